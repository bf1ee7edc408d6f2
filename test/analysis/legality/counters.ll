; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Queues of work wait for nobody, unless what they have taken is given back, or
; the exit is where the counter never gets to by itself.

; CHECK: kernel queue: may be split
; CHECK: kernel queueInStruct: may be split
; CHECK: kernel undoneInStruct:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel countdown: may be split
; CHECK: kernel negative: may be split
; CHECK: kernel block: may be split
; CHECK: kernel warp: may be split
; CHECK: kernel addsZero:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel addsUnknown:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel wrongWay:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel small:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel equal:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel wraps:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scaled:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel shifted:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel undone:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel undoneBehind:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel undoneInCall:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel bound:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel eitherExit:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel eitherExitCounted: may be split
; CHECK: kernel eitherExitTooFar:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel swapped: may be split
; CHECK: kernel loaded: may be split
; CHECK: kernel locked:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel fetched: may be split
; CHECK: kernel fetchedBack:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel fetchedAndStored:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel fetchedFloat:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel byGrid: may be split
; CHECK: kernel byGridDown:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel byBlockIndex:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel constant: may be split
; CHECK: kernel overMaximum:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel overMaximumByGrid:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel inTime: may be split
; CHECK: kernel notInTime:
; CHECK-NEXT: waits-on-other-block:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global i32 undef, align 4
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
define internal void @giveBack(ptr %p) noinline {
  %old = atomicrmw sub ptr %p, i32 1 monotonic
  ret void
}

define void @queue(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %slot = getelementptr i32, ptr %out, i32 %i
  store i32 1, ptr %slot
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; The counter is behind a pointer in a struct that is an argument.
define void @queueInStruct(ptr byval({ ptr, ptr }) readonly %s, i32 %n) {
entry:
  %second = getelementptr { ptr, ptr }, ptr %s, i64 0, i32 1
  br label %loop
loop:
  %counter = load ptr, ptr %s
  %old = atomicrmw add ptr %counter, i32 1 monotonic
  %out = load ptr, ptr %second
  store i32 %old, ptr %out
  %more = icmp slt i32 %old, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @undoneInStruct(ptr byval({ ptr, ptr }) readonly %s, i32 %n) {
entry:
  %counter = load ptr, ptr %s
  br label %loop
loop:
  %old = atomicrmw add ptr %counter, i32 1 monotonic
  %again = load ptr, ptr %s
  %back = atomicrmw sub ptr %again, i32 1 monotonic
  %more = icmp slt i32 %old, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @countdown(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw sub ptr %counter, i32 1 monotonic
  %c = icmp sgt i32 %i, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @negative(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 -1 monotonic
  %c = icmp ult i32 0, %i
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; One thread takes for the block, and a branch depends on what was taken.
define void @block(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  %first = icmp eq i32 %k, 0
  br label %loop
loop:
  br i1 %first, label %take, label %all
take:
  %taken = atomicrmw add ptr %counter, i32 32 monotonic
  store i32 %taken, ptr addrspace(3) @shared
  br label %all
all:
  call void @llvm.nvvm.barrier0()
  %i = load i32, ptr addrspace(3) @shared
  call void @llvm.nvvm.barrier0()
  %mine = add i32 %i, %k
  %c = icmp slt i32 %i, %n
  br i1 %c, label %works, label %exit
works:
  %own = icmp slt i32 %mine, %n
  br i1 %own, label %stores, label %loop
stores:
  %slot = getelementptr i32, ptr %out, i32 %mine
  store i32 1, ptr %slot
  br label %loop
exit:
  ret void
}

; One thread takes as many as the block has threads, for its warp.
define void @warp(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  %first = icmp eq i32 %k, 0
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %loop
loop:
  br i1 %first, label %take, label %all
take:
  %taken = atomicrmw add ptr %counter, i32 %threads monotonic
  br label %all
all:
  %given = phi i32 [ 0, %loop ], [ %taken, %take ]
  %i = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %given, i32 0, i32 31)
  %mine = add i32 %i, %k
  %c = icmp slt i32 %mine, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @addsZero(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 0 monotonic
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @addsUnknown(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 %k monotonic
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @wrongWay(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 -1 monotonic
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Left when another block has set the counter back.
define void @small(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %c = icmp sge i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @equal(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %c = icmp ne i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @wraps(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw uinc_wrap ptr %counter, i32 9 monotonic
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @scaled(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %x = mul i32 %i, -1
  %c = icmp slt i32 %x, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; The shift drops what was added.
define void @shifted(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 65536 monotonic
  %x = shl i32 %i, 16
  %c = icmp ult i32 %x, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What was taken is given back: the counter is only looked at.
define void @undone(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %back = atomicrmw sub ptr %counter, i32 1 monotonic
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @undoneBehind(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %any = load ptr, ptr %out
  store i32 0, ptr %any
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @undoneInCall(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  call void @giveBack(ptr %counter)
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; The bound is what is waited for.
define void @bound(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %end = load volatile i32, ptr %out
  %c = icmp slt i32 %i, %end
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What was read decides which exit a turn comes to.
define void @eitherExit(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %counter
  %set = icmp ne i32 %v, 0
  br i1 %set, label %one, label %other
one:
  %a = icmp eq i32 %n, 0
  br i1 %a, label %loop, label %exit
other:
  %b = icmp eq i32 %k, 0
  br i1 %b, label %loop, label %exit
exit:
  ret void
}

; The same, but the turns are counted.
define void @eitherExitCounted(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %latch ]
  %v = atomicrmw or ptr %counter, i32 1 monotonic
  %set = icmp ne i32 %v, 0
  br i1 %set, label %one, label %latch
one:
  %a = icmp eq i32 %n, 0
  br i1 %a, label %latch, label %exit
latch:
  %next = add i32 %t, 1
  %last = icmp eq i32 %next, %k
  br i1 %last, label %exit, label %loop
exit:
  ret void
}

; No program makes so many turns.
define void @eitherExitTooFar(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %latch ]
  %v = load volatile i32, ptr %counter
  %set = icmp ne i32 %v, 0
  br i1 %set, label %one, label %latch
one:
  %a = icmp eq i32 %n, 0
  br i1 %a, label %latch, label %exit
latch:
  %next = add i64 %t, 1
  %last = icmp eq i64 %next, 4611686018427387904
  br i1 %last, label %exit, label %loop
exit:
  ret void
}

; A retry in assembly, as of cuda::atomic, and a lock.
define void @swapped(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %old = phi i32 [ %n, %entry ], [ %seen, %loop ]
  %new = mul i32 %old, %k
  %seen = call i32 asm sideeffect "atom.cas.relaxed.gpu.b32 $0,[$1],$2,$3;", "=r,l,r,r,~{memory}"(ptr %counter, i32 %old, i32 %new)
  %c = icmp eq i32 %seen, %old
  br i1 %c, label %exit, label %loop
exit:
  ret void
}

define void @loaded(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %old = call i32 asm sideeffect "ld.relaxed.gpu.b32 $0,[$1];", "=r,l,~{memory}"(ptr %counter)
  %new = mul i32 %old, %k
  %seen = call i32 asm sideeffect "atom.cas.relaxed.gpu.b32 $0,[$1],$2,$3;", "=r,l,r,r,~{memory}"(ptr %counter, i32 %old, i32 %new)
  %c = icmp eq i32 %seen, %old
  br i1 %c, label %exit, label %loop
exit:
  ret void
}

define void @locked(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %seen = call i32 asm sideeffect "atom.cas.acquire.gpu.b32 $0,[$1],$2,$3;", "=r,l,r,r,~{memory}"(ptr %counter, i32 0, i32 1)
  %c = icmp eq i32 %seen, 0
  br i1 %c, label %exit, label %loop
exit:
  ret void
}

; Taken as cuda::atomic does, and given back so.
define void @fetched(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  call void asm sideeffect "fence.sc.gpu;", "~{memory}"()
  %i = call i32 asm sideeffect "atom.add.acquire.gpu.s32 $0,[$1],$2;", "=r,l,r,~{memory}"(ptr %counter, i32 1)
  call void asm sideeffect "st.relaxed.gpu.b32 [$0],$1;", "l,r,~{memory}"(ptr %out, i32 %i)
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @fetchedBack(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = call i32 asm sideeffect "atom.add.relaxed.gpu.u32 $0,[$1],$2;", "=r,l,r,~{memory}"(ptr %counter, i32 1)
  %b = call i32 asm sideeffect "atom.add.relaxed.gpu.u32 $0,[$1],$2;", "=r,l,r,~{memory}"(ptr %counter, i32 -1)
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @fetchedAndStored(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = call i32 asm sideeffect "atom.add.relaxed.gpu.u32 $0,[$1],$2;", "=r,l,r,~{memory}"(ptr %counter, i32 1)
  call void asm sideeffect "st.relaxed.gpu.b32 [$0],$1;", "l,r,~{memory}"(ptr %counter, i32 0)
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A sum that is large enough gets no larger.
define void @fetchedFloat(ptr %counter, ptr %out, float %n, float %k) {
entry:
  br label %loop
loop:
  %i = call float asm sideeffect "atom.add.relaxed.gpu.f32 $0,[$1],$2;", "=f,l,f,~{memory}"(ptr %counter, float 1.0)
  %c = fcmp olt float %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; As many as there are blocks, asked for in each turn.
define void @byGrid(ptr %counter, ptr %out, i64 %n, i32 %k) {
entry:
  br label %loop
loop:
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %by = zext i32 %blocks to i64
  %i = atomicrmw add ptr %counter, i64 %by monotonic
  %c = icmp ult i64 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @byGridDown(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %i = atomicrmw sub ptr %counter, i32 %blocks monotonic
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Block 0 adds nothing.
define void @byBlockIndex(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = atomicrmw add ptr %counter, i32 %block monotonic
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @constant(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 256 monotonic
  %c = icmp slt i32 %i, 2147483000
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; The counter may step over the numbers beyond the bound.
define void @overMaximum(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 256 monotonic
  %c = icmp slt i32 %i, 2147483646
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @overMaximumByGrid(ptr %counter, ptr %out, i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %i = atomicrmw add ptr %counter, i32 %blocks monotonic
  %c = icmp ult i32 %i, -2
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @inTime(ptr %counter, ptr %out, i64 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i64 1 monotonic
  %c = icmp ult i64 %i, 1000000000000
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @notInTime(ptr %counter, ptr %out, i64 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i64 1 monotonic
  %c = icmp ult i64 %i, 4611686018427387904
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20, !21, !22, !23, !24, !25, !26, !27, !28, !29, !30, !31, !32, !33, !34, !35, !36}
!0 = !{ptr @queue, !"kernel", i32 1}
!1 = !{ptr @countdown, !"kernel", i32 1}
!2 = !{ptr @negative, !"kernel", i32 1}
!3 = !{ptr @block, !"kernel", i32 1}
!4 = !{ptr @warp, !"kernel", i32 1}
!5 = !{ptr @addsZero, !"kernel", i32 1}
!6 = !{ptr @addsUnknown, !"kernel", i32 1}
!7 = !{ptr @wrongWay, !"kernel", i32 1}
!8 = !{ptr @small, !"kernel", i32 1}
!9 = !{ptr @equal, !"kernel", i32 1}
!10 = !{ptr @wraps, !"kernel", i32 1}
!11 = !{ptr @scaled, !"kernel", i32 1}
!12 = !{ptr @shifted, !"kernel", i32 1}
!13 = !{ptr @undone, !"kernel", i32 1}
!14 = !{ptr @undoneBehind, !"kernel", i32 1}
!15 = !{ptr @undoneInCall, !"kernel", i32 1}
!16 = !{ptr @bound, !"kernel", i32 1}
!17 = !{ptr @eitherExit, !"kernel", i32 1}
!18 = !{ptr @eitherExitCounted, !"kernel", i32 1}
!34 = !{ptr @eitherExitTooFar, !"kernel", i32 1}
!19 = !{ptr @swapped, !"kernel", i32 1}
!20 = !{ptr @locked, !"kernel", i32 1}
!21 = !{ptr @loaded, !"kernel", i32 1}
!22 = !{ptr @fetched, !"kernel", i32 1}
!23 = !{ptr @fetchedBack, !"kernel", i32 1}
!24 = !{ptr @fetchedAndStored, !"kernel", i32 1}
!25 = !{ptr @fetchedFloat, !"kernel", i32 1}
!26 = !{ptr @byGrid, !"kernel", i32 1}
!27 = !{ptr @byGridDown, !"kernel", i32 1}
!28 = !{ptr @byBlockIndex, !"kernel", i32 1}
!29 = !{ptr @constant, !"kernel", i32 1}
!30 = !{ptr @overMaximum, !"kernel", i32 1}
!31 = !{ptr @overMaximumByGrid, !"kernel", i32 1}
!32 = !{ptr @inTime, !"kernel", i32 1}
!33 = !{ptr @notInTime, !"kernel", i32 1}
!35 = !{ptr @queueInStruct, !"kernel", i32 1}
!36 = !{ptr @undoneInStruct, !"kernel", i32 1}
