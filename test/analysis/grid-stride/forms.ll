; RUN: %opt -passes='print<gridspan-grid-stride>' -disable-output %s 2>&1 | FileCheck %s
; Loops that stride over the grid: by threads and by blocks, with a scale, an
; offset, downward, in 64 bits.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel up
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
; CHECK: own element: arg0 arg1
define void @up(ptr %p, ptr %q, i32 %n) {
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
  %a = getelementptr float, ptr %q, i64 %x
  %v = load float, ptr %a
  %o = getelementptr float, ptr %p, i64 %x
  store float %v, ptr %o
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel unsigned
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
define void @unsigned(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel inclusive
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
define void @inclusive(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp sle i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp sle i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel scaled
; CHECK: repartitioned: axis x, by threads, scale 4, from 0
define void @scaled(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %i4 = shl i32 %i, 2
  %s4 = shl i32 %s, 2
  %c = icmp slt i32 %i4, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i4, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel offset
; CHECK: repartitioned: axis x, by threads, scale 1, from 1 + 1 * i32 %k
define void @offset(ptr %p, i32 %n, i32 %k) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %ik = add i32 %i, %k
  %ik1 = add i32 %ik, 1
  %c = icmp slt i32 %ik1, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %ik1, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel down
; CHECK: repartitioned: axis x, by threads, scale -1, from -1 + 1 * i32 %n
define void @down(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %not = xor i32 %i, -1
  %top = add i32 %not, %n
  %c = icmp sgt i32 %top, -1
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %top, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = sub i32 %j, %s
  %more = icmp sgt i32 %next, -1
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel wide
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
define void @wide(ptr %p, i64 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %iw = sext i32 %i to i64
  %sw = zext i32 %s to i64
  %c = icmp slt i64 %iw, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i64 [ %iw, %entry ], [ %next, %latch ]
  %a = getelementptr float, ptr %p, i64 %j
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i64 %j, %sw
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel blocks
; CHECK: repartitioned: axis x, by blocks, scale 1, from 0
define void @blocks(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %b, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %b, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %r = mul i64 %x, 1024
  %tw = zext i32 %t to i64
  %rt = add i64 %r, %tw
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %g
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel count
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
define void @count(ptr %p, ptr %q, i32 %n) {
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
  %a = getelementptr i32, ptr %q, i64 %x
  %v = load i32, ptr %a
  %h = zext i32 %v to i64
  %o = getelementptr i32, ptr %p, i64 %h
  %old = atomicrmw add ptr %o, i32 1 monotonic
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel neighbours
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
; CHECK: own element: arg0{{$}}
define void @neighbours(ptr %p, ptr %q, i32 %n) {
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
  %j1 = add nsw i32 %j, 1
  %x1 = sext i32 %j1 to i64
  %a = getelementptr float, ptr %q, i64 %x1
  %v = load float, ptr %a
  %o = getelementptr float, ptr %p, i64 %x
  store float %v, ptr %o
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel rows
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
define void @rows(ptr %p, i32 %n, i32 %w) {
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
  %some = icmp sgt i32 %w, 0
  %row = mul nsw i32 %j, %w
  br i1 %some, label %inner, label %latch

inner:
  %k = phi i32 [ 0, %loop ], [ %k1, %inner ]
  %e = add nsw i32 %row, %k
  %ew = sext i32 %e to i64
  %a = getelementptr float, ptr %p, i64 %ew
  store float 0.0, ptr %a
  %k1 = add nuw nsw i32 %k, 1
  %end = icmp eq i32 %k1, %w
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

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10}
!0 = !{ptr @up, !"kernel", i32 1}
!1 = !{ptr @unsigned, !"kernel", i32 1}
!2 = !{ptr @inclusive, !"kernel", i32 1}
!3 = !{ptr @scaled, !"kernel", i32 1}
!4 = !{ptr @offset, !"kernel", i32 1}
!5 = !{ptr @down, !"kernel", i32 1}
!6 = !{ptr @wide, !"kernel", i32 1}
!7 = !{ptr @blocks, !"kernel", i32 1}
!8 = !{ptr @count, !"kernel", i32 1}
!9 = !{ptr @neighbours, !"kernel", i32 1}
!10 = !{ptr @rows, !"kernel", i32 1}
