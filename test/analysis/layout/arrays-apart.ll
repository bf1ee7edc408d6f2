; Arrays that are gathered by one index might be fields of one struct.
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=65536 2>&1 | FileCheck %s
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-grid=65536 \
; RUN:   -gridspan-kernel=gather -gridspan-advice=%t.json \
; RUN:   -pass-remarks-analysis=gridspan 2>&1 | FileCheck %s --check-prefix=REMARK
; RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
; RUN: gridspan-advice %t.json | FileCheck %s --check-prefix=TEXT

; REMARK: kernel gather: x, y, z are accessed at the same indices, 12 bytes in all; a launch of about {{.*}}: put the fields of an index into one struct

; FILE: "advice": "put the fields of an index into one struct
; FILE: "rule": "data-layout"
; FILE: "apart": [
; FILE-NEXT: "arg0",
; FILE-NEXT: "arg1",
; FILE-NEXT: "arg2"
; FILE: "layout": "soa"
; FILE: "layout": "aos"
; FILE: "recommended": "aos"

; TEXT: gather [data-layout]
; TEXT: arrays x, y, z, structs of 12 bytes: soa {{.*}}, aos {{.*}}; recommended: aos

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel gather,
; CHECK-NEXT: arrays arg0, arg1, arg2, 12 bytes, fields 0:4 4:4 8:4
; CHECK-NEXT: soa {{[^,]*}}, aos {{.*}}, aligned {{.*}}
; CHECK-NEXT: put the fields of an index into one struct, if the arrays have as many elements: predicted {{[1-3]\.[0-9]+}} times as fast
define ptx_kernel void @gather(ptr %x, ptr %y, ptr %z, ptr %index, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %j = zext i32 %loaded to i64
  %px = getelementptr float, ptr %x, i64 %j
  %vx = load float, ptr %px, align 4
  %py = getelementptr float, ptr %y, i64 %j
  %vy = load float, ptr %py, align 4
  %pz = getelementptr float, ptr %z, i64 %j
  %vz = load float, ptr %pz, align 4
  %s1 = fadd float %vx, %vy
  %s = fadd float %s1, %vz
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; Side by side in the lanes: a struct of arrays is the best form, no word.
; CHECK-LABEL: kernel stream,
; CHECK-NOT: arrays
define ptx_kernel void @stream(ptr %x, ptr %y, ptr %z, ptr %index, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %j = zext i32 %loaded to i64
  %px = getelementptr float, ptr %x, i64 %wide
  %vx = load float, ptr %px, align 4
  %py = getelementptr float, ptr %y, i64 %wide
  %vy = load float, ptr %py, align 4
  %pz = getelementptr float, ptr %z, i64 %wide
  %vz = load float, ptr %pz, align 4
  %s1 = fadd float %vx, %vy
  %s = fadd float %s1, %vz
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; One of them is also read side by side, which a struct would make slower; the
; two others still belong together.
; CHECK-LABEL: kernel also,
; CHECK-NEXT: arg2: it shares some of its indices with another array, not all
; CHECK-NEXT: arrays arg0, arg1, 8 bytes, fields 0:4 4:4
define ptx_kernel void @also(ptr %x, ptr %y, ptr %z, ptr %index, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %j = zext i32 %loaded to i64
  %px = getelementptr float, ptr %x, i64 %j
  %vx = load float, ptr %px, align 4
  %py = getelementptr float, ptr %y, i64 %j
  %vy = load float, ptr %py, align 4
  %pz0 = getelementptr float, ptr %z, i64 %j
  %vz0 = load float, ptr %pz0, align 4
  %pz1 = getelementptr float, ptr %z, i64 %wide
  %vz1 = load float, ptr %pz1, align 4
  %vz = fadd float %vz0, %vz1
  %s1 = fadd float %vx, %vy
  %s = fadd float %s1, %vz
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; Two indices, which may have nothing to do with each other.
; CHECK-LABEL: kernel different,
; CHECK-NOT: arrays arg
define ptx_kernel void @different(ptr %x, ptr %y, ptr %z, ptr %index, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %j = zext i32 %loaded to i64
  %px = getelementptr float, ptr %x, i64 %j
  %vx = load float, ptr %px, align 4
  %pi2 = getelementptr i32, ptr %index, i64 %j
  %loaded2 = load i32, ptr %pi2, align 4
  %j2 = zext i32 %loaded2 to i64
  %py = getelementptr float, ptr %y, i64 %j2
  %vy = load float, ptr %py, align 4
  %vz = fadd float 0.0, 0.0
  %s1 = fadd float %vx, %vy
  %s = fadd float %s1, %vz
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
