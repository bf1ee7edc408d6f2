; RUN: %opt -passes='print<gridspan-grid-stride>' -disable-output %s 2>&1 | FileCheck %s
; Iterations that were one thread's and touch the same memory, written by one of
; them.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel one_place
; CHECK: shared-element: a grid-stride loop keeps its distribution: iterations may write the same memory
define void @one_place(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  store float 0.0, ptr %p
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel folded
; CHECK: shared-element: a grid-stride loop keeps its distribution
define void @folded(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %r = srem i32 %j, 100
  %rw = sext i32 %r to i64
  %a = getelementptr i32, ptr %p, i64 %rw
  store i32 %j, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel indirect
; CHECK: shared-element: a grid-stride loop keeps its distribution
define void @indirect(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %ia = getelementptr i32, ptr %q, i64 %x
  %k = load i32, ptr %ia
  %kw = sext i32 %k to i64
  %a = getelementptr i32, ptr %p, i64 %kw
  store i32 %j, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel overlapping
; CHECK: other-element: a grid-stride loop keeps its distribution
define void @overlapping(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr i8, ptr %p, i64 %x
  store i32 %j, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel previous
; CHECK: other-element: a grid-stride loop keeps its distribution: memory that an iteration writes is accessed by others
define void @previous(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %before = sub i32 %j, %s
  %bw = sext i32 %before to i64
  %ba = getelementptr float, ptr %p, i64 %bw
  %v = load float, ptr %ba
  %a = getelementptr float, ptr %p, i64 %x
  store float %v, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel before_loop
; CHECK: other-element: a grid-stride loop keeps its distribution
define void @before_loop(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %iw = sext i32 %i to i64
  %fa = getelementptr float, ptr %p, i64 %iw
  store float 1.0, ptr %fa
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  %v = load float, ptr %a
  %w = fadd float %v, 1.0
  store float %w, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel longer_rows
; CHECK: shared-element: a grid-stride loop keeps its distribution
define void @longer_rows(ptr %p, i32 %n, i32 %w, i32 %l) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %some = icmp sgt i32 %l, 0
  %row = mul nsw i32 %j, %w
  br i1 %some, label %inner, label %latch

inner:
  %k = phi i32 [ 0, %loop ], [ %k1, %inner ]
  %e = add nsw i32 %row, %k
  %ew = sext i32 %e to i64
  %a = getelementptr float, ptr %p, i64 %ew
  store float 0.0, ptr %a
  %k1 = add nuw nsw i32 %k, 1
  %end = icmp eq i32 %k1, %l
  br i1 %end, label %done, label %inner

done:
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel unknown
; CHECK: unknown-memory: a grid-stride loop keeps its distribution
define void @unknown(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %ia = getelementptr ptr, ptr %q, i64 %x
  %to = load ptr, ptr %ia
  store i32 %j, ptr %to
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{ptr @one_place, !"kernel", i32 1}
!1 = !{ptr @folded, !"kernel", i32 1}
!2 = !{ptr @indirect, !"kernel", i32 1}
!3 = !{ptr @overlapping, !"kernel", i32 1}
!4 = !{ptr @previous, !"kernel", i32 1}
!5 = !{ptr @before_loop, !"kernel", i32 1}
!6 = !{ptr @longer_rows, !"kernel", i32 1}
!7 = !{ptr @unknown, !"kernel", i32 1}
