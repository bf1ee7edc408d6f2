; RUN: %opt -passes='print<gridspan-grid-stride>' -disable-output %s 2>&1 | FileCheck %s
; Iterations that depend on the thread that runs them, or have effects that have an
; order.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global float undef

; CHECK-LABEL: kernel thread
; CHECK: thread-dependence: a grid-stride loop keeps its distribution: an iteration depends on the thread that runs it
define void @thread(ptr %p, ptr %q, i32 %n) {
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
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 %t, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel lane
; CHECK: thread-dependence: a grid-stride loop keeps its distribution
define void @lane(ptr %p, ptr %q, i32 %n) {
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
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 %l, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel loaded
; CHECK: thread-dependence: a grid-stride loop keeps its distribution
define void @loaded(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %tw = zext i32 %t to i64
  %wa = getelementptr i32, ptr %q, i64 %tw
  %w = load i32, ptr %wa
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 %w, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel barrier
; CHECK: side-effect: a grid-stride loop keeps its distribution
define void @barrier(ptr %p, ptr %q, i32 %n) {
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
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  call void @llvm.nvvm.barrier0()
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel volatile
; CHECK: side-effect: a grid-stride loop keeps its distribution
define void @volatile(ptr %p, ptr %q, i32 %n) {
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
  %a = getelementptr float, ptr %p, i64 %x
  store volatile float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel printed
; CHECK: side-effect: a grid-stride loop keeps its distribution
define void @printed(ptr %p, ptr %q, i32 %n) {
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
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %pr = call i32 @vprintf(ptr %q, ptr null)
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel shared
; CHECK: private-memory: a grid-stride loop keeps its distribution
define void @shared(ptr %p, ptr %q, i32 %n) {
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
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  store float 1.0, ptr addrspace(3) @tile
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel local
; CHECK: private-memory: a grid-stride loop keeps its distribution
define void @local(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %mine = alloca float
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  store float 1.0, ptr %mine
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel seen_result
; CHECK: ordered-atomic: a grid-stride loop keeps its distribution
define void @seen_result(ptr %p, ptr %q, i32 %n) {
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
  %old = atomicrmw add ptr %q, i32 1 monotonic
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 %old, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel rounded
; CHECK: ordered-atomic: a grid-stride loop keeps its distribution
define void @rounded(ptr %p, ptr %q, i32 %n) {
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
  %old = atomicrmw fadd ptr %q, float 1.0 monotonic
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel two_operations
; CHECK: ordered-atomic: a grid-stride loop keeps its distribution
define void @two_operations(ptr %p, ptr %q, i32 %n) {
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
  %o1 = atomicrmw add ptr %q, i32 1 monotonic
  %o2 = atomicrmw max ptr %q, i32 7 monotonic
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
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier0()
declare i32 @vprintf(ptr, ptr)

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10}
!0 = !{ptr @thread, !"kernel", i32 1}
!1 = !{ptr @lane, !"kernel", i32 1}
!2 = !{ptr @loaded, !"kernel", i32 1}
!3 = !{ptr @barrier, !"kernel", i32 1}
!4 = !{ptr @volatile, !"kernel", i32 1}
!5 = !{ptr @printed, !"kernel", i32 1}
!6 = !{ptr @shared, !"kernel", i32 1}
!7 = !{ptr @local, !"kernel", i32 1}
!8 = !{ptr @seen_result, !"kernel", i32 1}
!9 = !{ptr @rounded, !"kernel", i32 1}
!10 = !{ptr @two_operations, !"kernel", i32 1}
