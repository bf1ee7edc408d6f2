; The counter of an inner loop that stays a loop selects the field.
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=65536 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; f[cell * 7 + k] for k from 0 to 6: structs of seven floats, which L1 holds until
; the loop has all of them.
; CHECK-LABEL: kernel cells,
; CHECK-NEXT: array arg0, 28 bytes, fields 0:4 4:4 8:4 12:4 16:4 20:4 24:4
; CHECK-NEXT: aos {{.*}}, aligned {{.*}}, soa {{.*}}
; CHECK-NEXT: stays: no-gain
define ptx_kernel void @cells(ptr %f, i32 %n, ptr %index, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %cell = add i32 %bd, %t
  %wide = zext i32 %cell to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %first = mul nsw i32 %cell, 7
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %at = add nsw i32 %first, %k
  %wide.at = sext i32 %at to i64
  %p = getelementptr float, ptr %f, i64 %wide.at
  %v = load float, ptr %p, align 4
  %s = fadd float %sum, %v
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ne i32 %k1, 7
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; The first four of eight: the others are not touched.
; CHECK-LABEL: kernel part,
; CHECK-NEXT: array arg0, 32 bytes, fields 0:4 4:4 8:4 12:4
; CHECK: make it a struct of arrays: predicted 1.{{[0-9]+}} times as fast{{.*}}; 16 of 32 bytes are not touched
define ptx_kernel void @part(ptr %f, i32 %n, ptr %index, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %cell = add i32 %bd, %t
  %wide = zext i32 %cell to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %first = mul nsw i32 %cell, 8
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %at = add nsw i32 %first, %k
  %wide.at = sext i32 %at to i64
  %p = getelementptr float, ptr %f, i64 %wide.at
  %v = load float, ptr %p, align 4
  %s = fadd float %sum, %v
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ne i32 %k1, 4
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; Of a record whose index was loaded, the loop reads one after the other from the
; same sectors.
; CHECK-LABEL: kernel gathered,
; CHECK-NEXT: array arg0, 48 bytes, fields 0:4 4:4
; CHECK-NEXT: aos {{.*}}, aligned {{.*}}, soa {{.*}}
; CHECK-NEXT: stays:
define ptx_kernel void @gathered(ptr %f, i32 %n, ptr %index, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %cell = add i32 %bd, %t
  %wide = zext i32 %cell to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %first = mul nsw i32 %loaded, 12
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %at = add nsw i32 %first, %k
  %wide.at = sext i32 %at to i64
  %p = getelementptr float, ptr %f, i64 %wide.at
  %v = load float, ptr %p, align 4
  %s = fadd float %sum, %v
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ne i32 %k1, 12
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; Nine elements of records of seven reach into the next record.
; CHECK-LABEL: kernel beyond,
; CHECK-NOT: array
define ptx_kernel void @beyond(ptr %f, i32 %n, ptr %index, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %cell = add i32 %bd, %t
  %wide = zext i32 %cell to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %first = mul nsw i32 %cell, 7
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %at = add nsw i32 %first, %k
  %wide.at = sext i32 %at to i64
  %p = getelementptr float, ptr %f, i64 %wide.at
  %v = load float, ptr %p, align 4
  %s = fadd float %sum, %v
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ne i32 %k1, 9
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; How many there are is not known while compiling.
; CHECK-LABEL: kernel counted,
; CHECK-NOT: array
define ptx_kernel void @counted(ptr %f, i32 %n, ptr %index, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %cell = add i32 %bd, %t
  %wide = zext i32 %cell to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %loaded = load i32, ptr %pi, align 4
  %first = mul nsw i32 %cell, 7
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %at = add nsw i32 %first, %k
  %wide.at = sext i32 %at to i64
  %p = getelementptr float, ptr %f, i64 %wide.at
  %v = load float, ptr %p, align 4
  %s = fadd float %sum, %v
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ne i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
