; RUN: %opt -passes='print<gridspan-grid-stride>' -disable-output %s 2>&1 | FileCheck %s
; Loops over the grid that are not of the form that can be repartitioned.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel carried
; CHECK: carried-value: a grid-stride loop keeps its distribution: a value goes from one iteration to the next
define void @carried(ptr %p, ptr %q, i32 %n) {
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
  %sum = phi float [ 0.0, %entry ], [ %sum1, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %q, i64 %x
  %v = load float, ptr %a
  br label %latch

latch:
  %sum1 = fadd float %sum, %v
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel after
; CHECK: used-after: a grid-stride loop keeps its distribution
define void @after(ptr %p, ptr %q, i32 %n) {
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
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  %last = phi i32 [ 0, %entry ], [ %next, %latch ]
  store i32 %last, ptr %q
  ret void
}

; CHECK-LABEL: kernel early
; CHECK: exit-form: a grid-stride loop keeps its distribution
define void @early(ptr %p, ptr %q, i32 %n) {
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
  %v = load float, ptr %a
  %stop = fcmp oeq float %v, 0.0
  br i1 %stop, label %out, label %go

go:
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel different
; CHECK: exit-form: a grid-stride loop keeps its distribution
define void @different(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp ne i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel bound_of_thread
; CHECK: thread-dependence: a grid-stride loop keeps its distribution
define void @bound_of_thread(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %n1 = add i32 %n, %t
  %c = icmp slt i32 %i, %n1
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n1
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel base_of_thread
; CHECK: base-form: a grid-stride loop keeps its distribution
define void @base_of_thread(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %tw = zext i32 %t to i64
  %ka = getelementptr i32, ptr %q, i64 %tw
  %k = load i32, ptr %ka
  %ik = add i32 %i, %k
  %c = icmp slt i32 %ik, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %ik, %entry ], [ %next, %latch ]
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

; CHECK-LABEL: kernel base_of_grid
; CHECK: base-form: a grid-stride loop keeps its distribution
define void @base_of_grid(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %ik = add i32 %i, %s
  %c = icmp slt i32 %ik, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %ik, %entry ], [ %next, %latch ]
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

; CHECK-LABEL: kernel entered_by_some
; CHECK: entry-depends: a grid-stride loop keeps its distribution
define void @entered_by_some(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c0 = icmp slt i32 %i, %n
  %odd = trunc i32 %t to i1
  %c = and i1 %c0, %odd
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
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

; CHECK-LABEL: kernel entered_by_block
; CHECK: repartitioned: axis x, by threads, scale 1, from 0
define void @entered_by_block(ptr %p, ptr %q, i32 %n, i1 %on) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c0 = icmp slt i32 %i, %n
  %c = and i1 %c0, %on
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
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

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!0 = !{ptr @carried, !"kernel", i32 1}
!1 = !{ptr @after, !"kernel", i32 1}
!2 = !{ptr @early, !"kernel", i32 1}
!3 = !{ptr @different, !"kernel", i32 1}
!4 = !{ptr @bound_of_thread, !"kernel", i32 1}
!5 = !{ptr @base_of_thread, !"kernel", i32 1}
!6 = !{ptr @base_of_grid, !"kernel", i32 1}
!7 = !{ptr @entered_by_some, !"kernel", i32 1}
!8 = !{ptr @entered_by_block, !"kernel", i32 1}
