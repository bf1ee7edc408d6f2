; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Loops with synchronizing reads that wait for nobody: a compare-and-swap retry,
; a read that no exit depends on, a spin on the block's own shared memory, by
; name or by a cast of a pointer, and on constants, which nobody writes.

; CHECK: kernel retry: may be split
; CHECK: kernel counted: may be split
; CHECK: kernel own: may be split
; CHECK: kernel cast: may be split
; CHECK: kernel constant: may be split
; CHECK: kernel join: may be split
; CHECK: kernel append: may be split
; CHECK: kernel blockFence: may be split
; CHECK: kernel readsAnew: may be split
; CHECK: kernel flagged: may be split
; CHECK: kernel around: may be split
; CHECK: kernel recursive: may be split
; CHECK: kernel unavoidable: may be split

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global i32 undef, align 4
@table = internal addrspace(4) constant i32 0, align 4

define void @retry(ptr %p, i32 %x) {
entry:
  %first = load i32, ptr %p
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ]
  %new = add i32 %old, %x
  %pair = cmpxchg ptr %p, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %c = icmp ne i32 %seen, %old
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @counted(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @own(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(3) @shared
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @cast(ptr %p) {
entry:
  %s = addrspacecast ptr %p to ptr addrspace(3)
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(3) %s
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @constant(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(4) @table
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A set that is joined to another one, by way of its parents.
define void @join(ptr %parents, i32 %a, i32 %b) {
entry:
  br label %loop
loop:
  %x = phi i32 [ %a, %entry ], [ %found, %loop ]
  %at = getelementptr i32, ptr %parents, i32 %x
  %pair = cmpxchg ptr %at, i32 %x, i32 %b monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A queue that is appended to, in a loop whose end is read anew each time.
define void @append(ptr %rows, ptr %seen, ptr %tail, ptr %queue) {
entry:
  br label %loop
loop:
  %e = phi i32 [ 0, %entry ], [ %more, %next ]
  %mark = getelementptr i32, ptr %seen, i32 %e
  %old = atomicrmw xchg ptr %mark, i32 1 monotonic
  %new = icmp eq i32 %old, 0
  br i1 %new, label %push, label %next
push:
  %at = atomicrmw add ptr %tail, i32 1 monotonic
  %slot = getelementptr i32, ptr %queue, i32 %at
  store i32 %e, ptr %slot
  br label %next
next:
  %more = add i32 %e, 1
  %end = load i32, ptr %rows
  %c = icmp slt i32 %more, %end
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @blockFence(ptr %n, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %slot = getelementptr i32, ptr %out, i32 %i
  store i32 %i, ptr %slot
  call void asm sideeffect "fence.acq_rel.cta;", "~{memory}"()
  %more = add i32 %i, 1
  %end = load i32, ptr %n
  %c = icmp slt i32 %more, %end
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What is expected is read on purpose.
define void @readsAnew(ptr %p) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr %p
  %new = add i32 %old, 1
  %pair = cmpxchg ptr %p, i32 %old, i32 %new seq_cst seq_cst
  %found = extractvalue { i32, i1 } %pair, 0
  %c = icmp eq i32 %found, %old
  br i1 %c, label %exit, label %loop
exit:
  ret void
}

; Success comes to the exit through a variable, and another exit may be taken
; before.
define void @flagged(ptr %p, i32 %x) {
entry:
  br label %loop
loop:
  %old = phi i32 [ 0, %entry ], [ %seen, %latch ]
  %most = icmp sge i32 %old, %x
  br i1 %most, label %exit, label %try
try:
  %pair = cmpxchg ptr %p, i32 %old, i32 %x seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %ne = icmp ne i32 %seen, %old
  br i1 %ne, label %latch, label %swapped
swapped:
  br label %latch
latch:
  %done = phi i8 [ 0, %try ], [ 1, %swapped ]
  %c = icmp eq i8 %done, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A retry within a counted loop whose turns end in several places.
define void @around(ptr %p, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %more, %latch ]
  %odd = and i32 %i, 1
  %skip = icmp eq i32 %odd, 0
  br i1 %skip, label %other, label %begin
begin:
  %first = load i32, ptr %p
  br label %loop
loop:
  %old = phi i32 [ %first, %begin ], [ %seen, %loop ]
  %new = add i32 %old, 1
  %pair = cmpxchg ptr %p, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %swapped = extractvalue { i32, i1 } %pair, 1
  br i1 %swapped, label %latch, label %loop
other:
  br label %latch
latch:
  %step = phi i32 [ 1, %loop ], [ 3, %other ]
  %more = add i32 %i, %step
  %c = icmp slt i32 %more, %n
  br i1 %c, label %outer, label %exit
exit:
  ret void
}

; Recursion that reads nothing on purpose, and uses nothing that an atomic gives.
define internal void @descend(ptr %p, i32 %n) noinline {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %c = icmp eq i32 %n, 0
  br i1 %c, label %exit, label %more
more:
  %less = sub i32 %n, 1
  call void @descend(ptr %p, i32 %less)
  br label %exit
exit:
  ret void
}
define void @recursive(ptr %p, i32 %n) {
  call void @descend(ptr %p, i32 %n)
  ret void
}

; What is found decides on a way, but each one comes to what the exit depends on.
define void @unavoidable(ptr %p, ptr %out) {
entry:
  br label %loop
loop:
  %depth = load i32, ptr addrspace(3) @shared
  %found = atomicrmw add ptr %p, i32 1 monotonic
  %few = icmp slt i32 %found, 100
  br i1 %few, label %put, label %pop
put:
  store i32 %found, ptr %out
  br label %pop
pop:
  %less = sub i32 %depth, 1
  store i32 %less, ptr addrspace(3) @shared
  %c = icmp sgt i32 %less, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12}
!0 = !{ptr @retry, !"kernel", i32 1}
!1 = !{ptr @counted, !"kernel", i32 1}
!2 = !{ptr @own, !"kernel", i32 1}
!3 = !{ptr @cast, !"kernel", i32 1}
!4 = !{ptr @constant, !"kernel", i32 1}
!5 = !{ptr @join, !"kernel", i32 1}
!6 = !{ptr @append, !"kernel", i32 1}
!7 = !{ptr @blockFence, !"kernel", i32 1}
!8 = !{ptr @readsAnew, !"kernel", i32 1}
!9 = !{ptr @flagged, !"kernel", i32 1}
!10 = !{ptr @around, !"kernel", i32 1}
!11 = !{ptr @recursive, !"kernel", i32 1}
!12 = !{ptr @unavoidable, !"kernel", i32 1}
