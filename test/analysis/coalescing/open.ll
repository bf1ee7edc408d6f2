; Addresses that are unknown, but by something that all lanes of a warp share: it
; does not matter what it is. Nothing of that is claimed to be exact.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 -gridspan-param=2=64 2>&1 \
; RUN:   | FileCheck %s
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=16x4 -gridspan-grid=1 -gridspan-param=2=64 2>&1 \
; RUN:   | FileCheck %s --check-prefix=NARROW
; RUN: %opt -passes='print<gridspan-bank-conflicts>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 -gridspan-param=2=64 2>&1 \
; RUN:   | FileCheck %s --check-prefix=BANKS
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-block=64 \
; RUN:   -gridspan-grid=1 -gridspan-kernel=row -gridspan-advice=%t.json
; RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@place = internal addrspace(3) global i32 undef, align 4
@lists = internal addrspace(3) global [64 x i32] undef, align 4

; x[start[block] + t]
; CHECK-LABEL: kernel row,
; CHECK-NEXT: load 4 of arg1: {{.*}}[site 0]
; CHECK-NEXT: load 4 of arg0: coalesced, sectors ~4 (ideal 4) a request, {{.*}}requests ~2, lane stride ~4, lanes share what is unknown: loaded from memory [site 1]
; FILE: "class": "coalesced"
; FILE: "exact": false
; FILE: "open": "loaded from memory"
define ptx_kernel void @row(ptr %x, ptr %start, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %wideb = zext i32 %b to i64
  %ps = getelementptr i32, ptr %start, i64 %wideb
  %s = load i32, ptr %ps, align 4
  %i = add i32 %s, %t
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; The same of two structs of 8 bytes, and of a pointer that is loaded.
; CHECK-LABEL: kernel pointers,
; CHECK-NEXT: load 8 of arg1: {{.*}}[site 0]
; CHECK-NEXT: load 4 of unknown memory: partial, sectors ~8 (ideal 4) a request, {{.*}}lanes share what is unknown: a pointer loaded from memory [site 1]
; CHECK-NEXT: only 4 of every 8 bytes of its array are used
define ptx_kernel void @pointers(ptr %x, ptr %rows, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %wideb = zext i32 %b to i64
  %pr = getelementptr ptr, ptr %rows, i64 %wideb
  %row = load ptr, ptr %pr, align 8
  %wide = zext i32 %t to i64
  %p = getelementptr { float, float }, ptr %row, i64 %wide, i32 1
  %v = load volatile float, ptr %p, align 4
  ret void
}

; Where all of them are at one place.
; CHECK-LABEL: kernel one,
; CHECK-NEXT: load 4 of arg0: broadcast, sectors ~1 (ideal 1) a request, {{.*}}lanes share what is unknown: loaded from shared memory
define ptx_kernel void @one(ptr %x, ptr %y, i32 %n) {
  %s = load i32, ptr addrspace(3) @place, align 4
  %wide = zext i32 %s to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; One of two neighbours, as something in each lane says: a sector more at most.
; CHECK-LABEL: kernel neighbours,
; CHECK-NEXT: load 4 of arg1: {{.*}}[site 0]
; CHECK-NEXT: load 4 of arg0: coalesced, {{.*}}lanes share what is unknown: the result of fcmp [site 1]
define ptx_kernel void @neighbours(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %py = getelementptr float, ptr %y, i64 %wide
  %f = load float, ptr %py, align 4
  %up = fcmp ogt float %f, 0.0
  %more = add nuw nsw i64 %wide, 1
  %i = select i1 %up, i64 %more, i64 %wide
  %p = getelementptr float, ptr %x, i64 %i
  %v = load volatile float, ptr %p, align 4
  ret void
}

; A pitch that is not known decides.
; CHECK-LABEL: kernel pitch,
; CHECK-NEXT: load 4 of arg1: {{.*}}[site 0]
; CHECK-NEXT: load 4 of arg0: unknown, loaded from memory [site 1]
define ptx_kernel void @pitch(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = load i32, ptr %y, align 4
  %i = mul i32 %s, %t
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; What is loaded differs from lane to lane.
; CHECK-LABEL: kernel gather,
; CHECK-NEXT: load 4 of arg1: {{.*}}[site 0]
; CHECK-NEXT: load 4 of arg0: unknown, loaded from memory [site 1]
define ptx_kernel void @gather(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %py = getelementptr i32, ptr %y, i64 %wide
  %s = load i32, ptr %py, align 4
  %widei = zext i32 %s to i64
  %p = getelementptr float, ptr %x, i64 %widei
  %v = load volatile float, ptr %p, align 4
  ret void
}

; Lanes leave the loop in different iterations, and so with different values.
; CHECK-LABEL: kernel leaves,
; CHECK: load 4 of arg0: unknown, loaded from memory [site 1]
define ptx_kernel void @leaves(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %widek = zext i32 %k to i64
  %py = getelementptr i32, ptr %y, i64 %widek
  %s = load i32, ptr %py, align 4
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %exit

exit:
  %widei = zext i32 %s to i64
  %p = getelementptr float, ptr %x, i64 %widei
  %v = load volatile float, ptr %p, align 4
  ret void
}

; A place that lane 0 tells the others, in shared memory.
; BANKS-LABEL: kernel told,
; BANKS-NEXT: load 4 of lists: conflict-free, wavefronts ~1 (ideal 1) a request, {{.*}}lanes share what is unknown: the result of llvm.nvvm.shfl.sync.idx.i32
define ptx_kernel void @told(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %wide = zext i32 %t to i64
  %py = getelementptr i32, ptr %y, i64 %wide
  %s = load i32, ptr %py, align 4
  %told = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %s, i32 0, i32 31)
  %i = add i32 %told, %lane
  %p = getelementptr [64 x i32], ptr addrspace(3) @lists, i32 0, i32 %i
  %v = load volatile i32, ptr addrspace(3) %p, align 4
  ret void
}

; A row for each warp: lanes have its start from one place. Where warps span rows
; they do not.
; CHECK-LABEL: kernel rows,
; CHECK-NEXT: load 4 of arg1: broadcast, {{.*}}[site 0]
; CHECK-NEXT: load 4 of arg0: coalesced, {{.*}}lanes share what is unknown: loaded from memory [site 1]
; NARROW-LABEL: kernel rows,
; NARROW: load 4 of arg0: unknown, loaded from memory [site 1]
define ptx_kernel void @rows(ptr %x, ptr %start, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %widerow = zext i32 %row to i64
  %ps = getelementptr i32, ptr %start, i64 %widerow
  %s = load i32, ptr %ps, align 4
  %i = add i32 %s, %t
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; A branch with three ways, of which two agree.
; CHECK-LABEL: kernel ways,
; CHECK: load 4 of arg0: coalesced, {{.*}}lanes share what is unknown
define ptx_kernel void @ways(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %k = load i32, ptr %y, align 4
  switch i32 %k, label %join [ i32 0, label %a
                               i32 1, label %b ]

a:
  %next = add nuw nsw i64 %wide, 64
  br label %join

b:
  %after = add nuw nsw i64 %wide, 128
  br label %join

join:
  %i = phi i64 [ %wide, %entry ], [ %next, %a ], [ %after, %b ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load volatile float, ptr %p, align 4
  ret void
}

; BANKS-LABEL: kernel scattered,
; BANKS-NEXT: load 4 of lists: unknown, loaded from memory
define ptx_kernel void @scattered(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %py = getelementptr i32, ptr %y, i64 %wide
  %s = load i32, ptr %py, align 4
  %i = and i32 %s, 63
  %p = getelementptr [64 x i32], ptr addrspace(3) @lists, i32 0, i32 %i
  %v = load volatile i32, ptr addrspace(3) %p, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
