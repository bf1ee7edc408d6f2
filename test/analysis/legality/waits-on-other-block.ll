; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Loops that leave only when some other thread has written.

; CHECK: kernel flag:
; CHECK-NEXT: waits-on-other-block: cannot be split: a loop waits for memory that another block may change
; CHECK: kernel lock:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel acquire:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel indirect:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel shared:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel called:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel entries:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel marked:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel handed:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel control:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel fenced:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel paused:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel expects:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel acquires:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel jumps:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel parameter:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel copies:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel bitLock:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel callsPause:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel counter:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel ownPlace:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel guardedExit:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel bothSpaces:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel calls:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel callsFenced:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel mutual:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel goesOn:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel flagAround:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel foundAround:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel ticket:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel bypassed:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel counts: may be split
; CHECK: kernel adds: may be split
; CHECK: kernel toldInAssembly:
; CHECK-NEXT: waits-on-other-block:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @flag(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @lock(ptr %p) {
entry:
  br label %loop
loop:
  %pair = cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst
  %old = extractvalue { i32, i1 } %pair, 0
  %c = icmp ne i32 %old, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @acquire(ptr %p) {
entry:
  br label %loop
loop:
  %v = call i32 asm sideeffect "ld.acquire.gpu.u32 $0, [$1];", "=r,l,~{memory}"(ptr %p)
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; The read decides a phi that decides the exit.
define void @indirect(ptr %p) {
entry:
  br label %loop
loop:
  %v = load atomic i32, ptr %p seq_cst, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %again, label %done
again:
  br label %latch
done:
  br label %latch
latch:
  %stop = phi i1 [ false, %again ], [ true, %done ]
  br i1 %stop, label %exit, label %loop
exit:
  ret void
}

; One thread reads, and all of the block look at what it has read.
@seen = internal addrspace(3) global i32 undef
declare void @llvm.nvvm.barrier0()
define void @shared(ptr %p, i1 %first) {
entry:
  br label %loop
loop:
  br i1 %first, label %reads, label %all
reads:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr addrspace(3) @seen
  br label %all
all:
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr addrspace(3) @seen
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A function reads.
define internal i32 @peek(ptr %p) noinline {
  %v = load volatile i32, ptr %p
  ret i32 %v
}
define void @called(ptr %p) {
entry:
  br label %loop
loop:
  %v = call i32 @peek(ptr %p)
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A cycle with two entries.
define void @entries(ptr %p, i1 %first) {
entry:
  br i1 %first, label %reads, label %rests
reads:
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %rests, label %exit
rests:
  call void @llvm.nvvm.barrier0()
  br label %reads
exit:
  ret void
}

; What was read comes to the others by an atomic of shared memory.
define void @marked(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %old = atomicrmw or ptr addrspace(3) @seen, i32 %v monotonic
  %c = icmp eq i32 %old, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A function stores what it has read.
define internal void @hand(ptr %p, ptr %to) noinline {
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %to
  ret void
}
define void @handed(ptr %p) {
entry:
  %own = alloca i32
  br label %loop
loop:
  call void @hand(ptr %p, ptr %own)
  %w = load i32, ptr %own
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What was read decides whether something is stored.
define void @control(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %store, label %all
store:
  store i32 1, ptr addrspace(3) @seen
  br label %all
all:
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr addrspace(3) @seen
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; With a fence, or a pause, memory is read anew.
declare void @llvm.nvvm.membar.gl()
define void @fenced(ptr %p) {
entry:
  br label %loop
loop:
  call void @llvm.nvvm.membar.gl()
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
define void @paused(ptr %p) {
entry:
  br label %loop
loop:
  call void asm sideeffect "nanosleep.u32 100;", "~{memory}"()
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A lock: what the swap expects is read from somewhere else.
define void @expects(ptr %p, ptr %free) {
entry:
  br label %loop
loop:
  %expected = load i32, ptr %free
  %pair = cmpxchg ptr %p, i32 %expected, i32 1 seq_cst seq_cst
  %old = extractvalue { i32, i1 } %pair, 0
  %c = icmp ne i32 %old, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Assembly that reads on purpose, though nothing says volatile.
define void @acquires(ptr %p) {
entry:
  br label %loop
loop:
  %v = call i32 asm "ld.acquire.gpu.u32 $0, [$1];", "=r,l,~{memory}"(ptr %p)
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Assembly that waits itself.
define void @jumps(ptr %p) {
  call void asm sideeffect "{ .reg .pred q; .reg .b32 x; W: ld.acquire.gpu.u32 x, [$0]; setp.eq.u32 q, x, 0; @q bra W; }", "l,~{memory}"(ptr %p)
  ret void
}

; A function is given shared memory.
define internal void @await(ptr %p, ptr %s) noinline {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %s
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr %s
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
define void @parameter(ptr %p) {
  call void @await(ptr %p, ptr addrspacecast (ptr addrspace(3) @seen to ptr))
  ret void
}

; One variable is copied to another.
@other = internal addrspace(3) global i32 undef
declare void @llvm.memcpy.p3.p3.i64(ptr addrspace(3), ptr addrspace(3), i64, i1)
define void @copies(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr addrspace(3) @other
  call void @llvm.memcpy.p3.p3.i64(ptr addrspace(3) @seen, ptr addrspace(3) @other, i64 4, i1 false)
  %w = load i32, ptr addrspace(3) @seen
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A lock of one bit: what the swap expects is computed.
define void @bitLock(ptr %p) {
entry:
  %first = load i32, ptr %p
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %got, %loop ]
  %free = and i32 %old, -2
  %taken = or i32 %old, 1
  %pair = cmpxchg ptr %p, i32 %free, i32 %taken seq_cst seq_cst
  %got = extractvalue { i32, i1 } %pair, 0
  %c = icmp ne i32 %got, %free
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A function pauses.
define internal void @pause() noinline {
  call void asm sideeffect "nanosleep.u32 100;", ""()
  ret void
}
define void @callsPause(ptr %p) {
entry:
  br label %loop
loop:
  call void @pause()
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; An atomic of NVVM's writes shared memory.
declare i32 @llvm.nvvm.atomic.load.inc.32.p3(ptr addrspace(3), i32)
define void @counter(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %store, label %all
store:
  %n = call i32 @llvm.nvvm.atomic.load.inc.32.p3(ptr addrspace(3) @seen, i32 9)
  br label %all
all:
  %w = load i32, ptr addrspace(3) @seen
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What was read comes back through memory of the same parameter.
define void @ownPlace(ptr %p, ptr %places, i64 %b) {
entry:
  %own = getelementptr i32, ptr %places, i64 %b
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %own
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr %own
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What was read decides whether the loop may be left.
define void @guardedExit(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %may, label %all
may:
  %w = load i32, ptr addrspace(3) @seen
  %c = icmp eq i32 %w, 0
  br i1 %c, label %all, label %exit
all:
  br label %loop
exit:
  ret void
}

; The same pointer is used as one into memory of any kind, and of the block's.
define void @bothSpaces(ptr %p, ptr %q) {
entry:
  %s = addrspacecast ptr %q to ptr addrspace(3)
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr addrspace(3) @seen
  call void @llvm.nvvm.barrier0()
  %own = load i32, ptr addrspace(3) %s
  %any = load i32, ptr %q
  %sum = add i32 %own, %any
  %c = icmp eq i32 %sum, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A function calls itself until it has read something.
define internal void @again(ptr %p) noinline {
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %more, label %exit
more:
  call void @again(ptr %p)
  br label %exit
exit:
  ret void
}
define void @calls(ptr %p) {
  call void @again(ptr %p)
  ret void
}
define internal void @againFenced(ptr %p) noinline {
  call void @llvm.nvvm.membar.gl()
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %more, label %exit
more:
  call void @againFenced(ptr %p)
  br label %exit
exit:
  ret void
}
define void @callsFenced(ptr %p) {
  call void @againFenced(ptr %p)
  ret void
}

; Two functions call each other: one reads, the other one decides.
define internal void @reads(ptr %p) noinline {
  %v = load atomic i32, ptr %p seq_cst, align 4
  call void @decides(ptr %p, i32 %v)
  ret void
}
define internal void @decides(ptr %p, i32 %v) noinline {
  %c = icmp eq i32 %v, 0
  br i1 %c, label %more, label %exit
more:
  call void @reads(ptr %p)
  br label %exit
exit:
  ret void
}
define void @mutual(ptr %p) {
  call void @reads(ptr %p)
  ret void
}

; A loop goes on although its swap, of what it has found, has succeeded.
define void @goesOn(ptr %p) {
entry:
  br label %loop
loop:
  %old = phi i32 [ 0, %entry ], [ %seen, %loop ]
  %pair = cmpxchg ptr %p, i32 %old, i32 %old seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %c = icmp eq i32 %seen, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Success is not enough: a flag has to be set as well.
define void @flagAround(ptr %p, ptr %flag) {
entry:
  br label %loop
loop:
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  %pair = cmpxchg ptr %p, i32 %old, i32 %new seq_cst seq_cst
  %swapped = extractvalue { i32, i1 } %pair, 1
  br i1 %swapped, label %check, label %loop
check:
  %v = load volatile i32, ptr %flag
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A retry reads, and a loop around it waits for what it finds.
define void @foundAround(ptr %p) {
entry:
  br label %outer
outer:
  %first = load i32, ptr %p
  br label %loop
loop:
  %old = phi i32 [ %first, %outer ], [ %seen, %loop ]
  %pair = cmpxchg ptr %p, i32 %old, i32 %old seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %swapped = extractvalue { i32, i1 } %pair, 1
  br i1 %swapped, label %check, label %loop
check:
  %c = icmp eq i32 %seen, 0
  br i1 %c, label %outer, label %exit
exit:
  ret void
}

; A swap expects what another one has found elsewhere: a ticket and whose turn
; it is.
define void @ticket(ptr %next, ptr %turn) {
entry:
  br label %loop
loop:
  %old = phi i32 [ 0, %entry ], [ %mine, %loop ]
  %pair = cmpxchg ptr %next, i32 %old, i32 %old seq_cst seq_cst
  %mine = extractvalue { i32, i1 } %pair, 0
  %after = add i32 %mine, 1
  %pair2 = cmpxchg ptr %turn, i32 %mine, i32 %after seq_cst seq_cst
  %c = extractvalue { i32, i1 } %pair2, 1
  br i1 %c, label %exit, label %loop
exit:
  ret void
}

; A turn may come to no swap: a lock.
define void @bypassed(ptr %p) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr %p
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %loop, label %try
try:
  %pair = cmpxchg ptr %p, i32 %old, i32 1 seq_cst seq_cst
  %c = extractvalue { i32, i1 } %pair, 1
  br i1 %c, label %exit, label %loop
exit:
  ret void
}

; What decides the exit is stored by the block itself, and an atomic's result is
; not.
define void @counts(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %more, %loop ]
  %old = atomicrmw add ptr %p, i32 1 monotonic
  store i32 %k, ptr addrspace(3) @seen
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr addrspace(3) @seen
  %more = add i32 %k, 1
  %c = icmp ult i32 %w, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A function that adds to memory, and keeps what it was given in memory of its
; own, as unoptimized ones do.
define internal i32 @add(ptr %p, i32 %x) noinline {
  %own = alloca i32
  store i32 %x, ptr %own
  %y = load i32, ptr %own
  %old = atomicrmw add ptr %p, i32 %y monotonic
  ret i32 %old
}
define void @adds(ptr %p, i32 %n) {
entry:
  %k = alloca i32
  store i32 0, ptr %k
  br label %loop
loop:
  %now = load i32, ptr %k
  %old = call i32 @add(ptr %p, i32 %now)
  %more = add i32 %now, 1
  store i32 %more, ptr %k
  %c = icmp ult i32 %more, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; By assembly that gets an address of shared memory as a number.
@told = internal addrspace(3) global [2 x i32] undef
define void @toldInAssembly(ptr %flag, ptr %out, i64 %which) {
entry:
  %number = add i64 %which, ptrtoint (ptr addrspace(3) @told to i64)
  %p = inttoptr i64 %number to ptr
  %q = getelementptr i32, ptr addrspace(3) @told, i64 %which
  br label %loop
loop:
  %v = load volatile i32, ptr %flag
  call void asm sideeffect "st.shared.u32 [$0], $1;", "l,r,~{memory}"(ptr %p, i32 %v)
  %x = load i32, ptr addrspace(3) %q
  %done = icmp ne i32 %x, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20, !21, !22, !23, !24, !25, !26, !27, !28, !29, !30, !31, !32, !33}
!0 = !{ptr @flag, !"kernel", i32 1}
!1 = !{ptr @lock, !"kernel", i32 1}
!2 = !{ptr @acquire, !"kernel", i32 1}
!3 = !{ptr @indirect, !"kernel", i32 1}
!4 = !{ptr @shared, !"kernel", i32 1}
!5 = !{ptr @called, !"kernel", i32 1}
!6 = !{ptr @counts, !"kernel", i32 1}
!7 = !{ptr @entries, !"kernel", i32 1}
!8 = !{ptr @marked, !"kernel", i32 1}
!9 = !{ptr @handed, !"kernel", i32 1}
!10 = !{ptr @adds, !"kernel", i32 1}
!11 = !{ptr @control, !"kernel", i32 1}
!12 = !{ptr @fenced, !"kernel", i32 1}
!13 = !{ptr @paused, !"kernel", i32 1}
!14 = !{ptr @expects, !"kernel", i32 1}
!15 = !{ptr @acquires, !"kernel", i32 1}
!16 = !{ptr @jumps, !"kernel", i32 1}
!17 = !{ptr @parameter, !"kernel", i32 1}
!18 = !{ptr @copies, !"kernel", i32 1}
!19 = !{ptr @bitLock, !"kernel", i32 1}
!20 = !{ptr @callsPause, !"kernel", i32 1}
!21 = !{ptr @counter, !"kernel", i32 1}
!22 = !{ptr @ownPlace, !"kernel", i32 1}
!23 = !{ptr @guardedExit, !"kernel", i32 1}
!24 = !{ptr @bothSpaces, !"kernel", i32 1}
!25 = !{ptr @calls, !"kernel", i32 1}
!26 = !{ptr @callsFenced, !"kernel", i32 1}
!27 = !{ptr @mutual, !"kernel", i32 1}
!28 = !{ptr @goesOn, !"kernel", i32 1}
!29 = !{ptr @flagAround, !"kernel", i32 1}
!30 = !{ptr @foundAround, !"kernel", i32 1}
!31 = !{ptr @ticket, !"kernel", i32 1}
!32 = !{ptr @bypassed, !"kernel", i32 1}
!33 = !{ptr @toldInAssembly, !"kernel", i32 1}
