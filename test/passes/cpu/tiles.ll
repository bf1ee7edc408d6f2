; Loops that a tile of neighbouring threads takes together, in kernels without
; barriers and in regions between them; and loops that are left alone.
; RUN: %opt -passes='print<gridspan-cpu-tiles>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s -o %t.ll
; RUN: %opt -passes='default<O2>' -S %t.ll | FileCheck --check-prefix=FAST %s

target triple = "nvptx64-nvidia-cuda"

; Behind the guard, all threads take the same turns. What they add up stays in
; registers.
; CHECK: window: loop 0: together
; FAST-LABEL: define internal void @__gridspan_cpu.run.window(
; FAST: phi <4 x float>
; FAST: fadd <4 x float>
define void @window(ptr %in, ptr %out, i32 %n, i32 %turns) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %out.of.range = icmp sge i32 %t, %n
  br i1 %out.of.range, label %end, label %first
first:
  %any = icmp sgt i32 %turns, 0
  br i1 %any, label %body, label %done
body:
  %i = phi i32 [ 0, %first ], [ %next, %body ]
  %sum = phi float [ 0.0, %first ], [ %more, %body ]
  %at = add nsw i32 %i, %t
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %turns
  br i1 %c, label %body, label %done
done:
  %all = phi float [ 0.0, %first ], [ %more, %body ]
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %all, ptr %q
  br label %end
end:
  ret void
}

; A row is the same in most tiles: where it is not, threads run one by one.
; CHECK: product: loop 0: together
; FAST-LABEL: define internal void @__gridspan_cpu.run.product(
; FAST-NOT: stacksave
; FAST: phi <4 x float>
; FAST: fadd <4 x float>
define void @product(ptr %a, ptr %b, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = sdiv i32 %t, %n
  %column = srem i32 %t, %n
  %start = mul nsw i32 %row, %n
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %at.a = add nsw i32 %start, %i
  %w.a = sext i32 %at.a to i64
  %p.a = getelementptr float, ptr %a, i64 %w.a
  %x = load float, ptr %p.a
  %at.b = add nsw i32 %i, %column
  %w.b = sext i32 %at.b to i64
  %p.b = getelementptr float, ptr %b, i64 %w.b
  %y = load float, ptr %p.b
  %xy = fmul float %x, %y
  %more = fadd float %sum, %xy
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %more, ptr %q
  ret void
}

; A loop in a region between barriers.
; CHECK: shared{{.*}}.region.1: loop 0: together
; FAST-LABEL: define internal void @__gridspan_cpu.run.shared(
; FAST: fadd <4 x float>
define void @shared(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  %own = load float, ptr %q
  call void @llvm.nvvm.barrier0()
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p
  %d = fsub float %x, %own
  %dd = fmul float %d, %d
  %more = fadd float %sum, %dd
  %next = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %next, 256
  br i1 %c, label %body, label %done
done:
  call void @llvm.nvvm.barrier0()
  store float %more, ptr %q
  ret void
}

; Each thread takes turns of its own.
; CHECK: triangle: loop 0: one by one: divergent-turns
define void @triangle(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %t
  br i1 %c, label %body, label %done
done:
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %more, ptr %q
  ret void
}

; Some threads do not get to the loop.
; CHECK: some: loop 0: one by one: divergent-entry
define void @some(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  %old = load float, ptr %q
  %takes = fcmp ogt float %old, 0.0
  br i1 %takes, label %body, label %end
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ %old, %entry ], [ %more, %body ]
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  store float %more, ptr %q
  br label %end
end:
  ret void
}

; CHECK: rows: loop 0: one by one: far-apart
define void @rows(ptr %in, ptr %out, i32 %n, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %pitch
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %at = add nsw i32 %row, %i
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %more, ptr %q
  ret void
}

; A sum of whole numbers is a vector of turns.
; CHECK: whole: loop 0: one by one: vector-of-turns
define void @whole(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ %t, %entry ], [ %more, %body ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %in, i64 %w
  %x = load i32, ptr %p
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %tw = zext i32 %t to i64
  %q = getelementptr i32, ptr %out, i64 %tw
  store i32 %more, ptr %q
  ret void
}

; CHECK: exits: loop 0: one by one: several-exits
define void @exits(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %more, %latch ]
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %stop = fcmp olt float %x, 0.0
  br i1 %stop, label %done, label %latch
latch:
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %all = phi float [ %sum, %body ], [ %more, %latch ]
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %all, ptr %q
  ret void
}

; The order of threads can be seen by the tickets that they draw.
; CHECK: tickets: one by one: observed-order
define void @tickets(ptr %in, ptr %out, ptr %ticket, i32 %n) {
entry:
  %t = atomicrmw add ptr %ticket, i32 1 monotonic
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %more, ptr %q
  ret void
}

; CHECK: own: one by one: private-memory
define void @own(ptr %in, ptr %out, i32 %n) {
entry:
  %array = alloca [8 x float]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %low = and i32 %i, 7
  %slot = getelementptr [8 x float], ptr %array, i32 0, i32 %low
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  store float %x, ptr %slot
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %at = and i32 %t, 7
  %from = getelementptr [8 x float], ptr %array, i32 0, i32 %at
  %last = load float, ptr %from
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %last, ptr %q
  ret void
}

; What a function does may show the order in which threads call it.
; CHECK: calling: one by one: call
define void @calling(ptr %out, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  call void @say(ptr %out)
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  ret void
}
define internal void @say(ptr %out) noinline {
  store i32 1, ptr %out
  ret void
}

; Sums in memory are added one after the other.
; CHECK: adding: loop 0: one by one: outer-loop
; CHECK: adding: loop 1: one by one: not-vectorizable
define void @adding(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %next.j, %outer.latch ]
  br label %body
body:
  %i = phi i32 [ 0, %outer ], [ %next, %body ]
  %old = atomicrmw add ptr %q, i32 1 monotonic
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %outer.latch
outer.latch:
  %next.j = add nuw nsw i32 %j, 1
  %c.j = icmp ult i32 %next.j, %n
  br i1 %c.j, label %outer, label %done
done:
  ret void
}

; Threads that part in front of the loop meet in its preheader again, which one
; side of a uniform branch would get to alone.
; CHECK: shares: one by one: no-regions
; CHECK: shares: loop 0: together
define void @shares(ptr %in, ptr %out, i32 %turns) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  %old = load float, ptr %q
  %takes = fcmp ogt float %old, 0.0
  br i1 %takes, label %ask, label %first
ask:
  %asks = icmp sgt i32 %turns, 7
  br i1 %asks, label %first, label %more.first
more.first:
  br label %first
first:
  %start = phi float [ 0.0, %entry ], [ 1.0, %ask ], [ 2.0, %more.first ]
  br label %body
body:
  %i = phi i32 [ 0, %first ], [ %next, %body ]
  %sum = phi float [ %start, %first ], [ %more, %body ]
  %at = add nsw i32 %i, %t
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %turns
  br i1 %c, label %body, label %done
done:
  store float %more, ptr %q
  ret void
}
; Memory has what the last thread has left.
; CHECK: exchanging: one by one: observed-order
define void @exchanging(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %old = atomicrmw xchg ptr %out, i32 %t monotonic
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  ret void
}

; A sum is rounded for each thread.
; CHECK: rounding: one by one: observed-order
define void @rounding(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %old = atomicrmw fadd ptr %out, float 1.0 monotonic
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  ret void
}

; Copies may be volatile, too.
; CHECK: copying: one by one: observed-order
define void @copying(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %in, i64 4, i1 true)
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  ret void
}

; A thread's time is its own.
; CHECK: timing: one by one: observed-order
define void @timing(ptr %in, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = call i64 @llvm.readcyclecounter()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %at = add nsw i32 %i, %t
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %end = call i64 @llvm.readcyclecounter()
  %tw = zext i32 %t to i64
  %q = getelementptr i64, ptr %out, i64 %tw
  %time = sub i64 %end, %begin
  store i64 %time, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @llvm.readcyclecounter()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.nvvm.barrier0()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16}
!0 = !{ptr @window, !"kernel", i32 1}
!1 = !{ptr @product, !"kernel", i32 1}
!2 = !{ptr @shared, !"kernel", i32 1}
!3 = !{ptr @triangle, !"kernel", i32 1}
!4 = !{ptr @some, !"kernel", i32 1}
!5 = !{ptr @rows, !"kernel", i32 1}
!6 = !{ptr @whole, !"kernel", i32 1}
!7 = !{ptr @exits, !"kernel", i32 1}
!8 = !{ptr @tickets, !"kernel", i32 1}
!9 = !{ptr @own, !"kernel", i32 1}
!10 = !{ptr @calling, !"kernel", i32 1}
!11 = !{ptr @adding, !"kernel", i32 1}
!12 = !{ptr @shares, !"kernel", i32 1}
!13 = !{ptr @exchanging, !"kernel", i32 1}
!14 = !{ptr @rounding, !"kernel", i32 1}
!15 = !{ptr @timing, !"kernel", i32 1}
!16 = !{ptr @copying, !"kernel", i32 1}
