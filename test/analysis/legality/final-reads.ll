; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Who looks for a slot, or through a list, waits for nobody, unless slots are
; given back, may be filled by others later, or are looked at again.

; CHECK: kernel probe: may be split
; CHECK: kernel probeInStruct: may be split
; CHECK: kernel probeGiven: may be split
; CHECK: kernel probeAssembly: may be split
; CHECK: kernel scan: may be split
; CHECK: kernel search: may be split
; CHECK: kernel pairs: may be split
; CHECK: kernel givenBack:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel swappedBack:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel exchanged:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel clearedInCall:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel clearedBehind:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel pairsCleared:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel pairsOverlap:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel pairsShifted:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel ownFree:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel filled:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel looked:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel outer:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel lock:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel fromMemory:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scanAgain:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scanUncounted:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scanJumps:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scanSame:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel searchWritten:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel searchShared:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel searchSame:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel exchangedInAssembly:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scattered:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scanWraps:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scanMeets: may be split
; CHECK: kernel scanNoWrap: may be split
; CHECK: kernel scanOtherWrap:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel scanNothing:
; CHECK-NEXT: waits-on-other-block:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, i32, <2 x i1>)

%pair = type { i32, i32 }

define internal void @clear(ptr %p) noinline {
  store i32 -1, ptr %p
  ret void
}

define void @probe(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  store i32 %s, ptr %out
  ret void
}

; The number that a slot is free by is the same in all threads.
define void @probeInStruct(ptr byval({ ptr, ptr }) readonly %s, i32 %mask, i32 %key) {
entry:
  %second = getelementptr { ptr, ptr }, ptr %s, i64 0, i32 1
  br label %loop
loop:
  %h = phi i32 [ %key, %entry ], [ %next, %on ]
  %i = and i32 %h, %mask
  %t = load ptr, ptr %s
  %slot = getelementptr i32, ptr %t, i32 %i
  %pair = cmpxchg ptr %slot, i32 -1, i32 %key monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %taken = extractvalue { i32, i1 } %pair, 1
  %same = icmp eq i32 %found, %key
  %done = or i1 %taken, %same
  br i1 %done, label %exit, label %on
on:
  %next = add i32 %h, 1
  br label %loop
exit:
  %out = load ptr, ptr %second
  store i32 %i, ptr %out
  ret void
}

define void @probeGiven(ptr %t, ptr %out, i32 %mask, i32 %key, i32 %free) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 %free, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  ret void
}

define void @probeAssembly(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %found = call i32 asm sideeffect "atom.cas.relaxed.gpu.b32 $0,[$1],$2,$3;", "=r,l,r,r,~{memory}"(ptr %p, i32 -1, i32 %key)
  %done = icmp eq i32 %found, -1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  ret void
}

; Each element is looked at once.
define void @scan(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Nobody writes to the array.
define void @search(ptr noalias %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %v, %loop ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %out
  %more = icmp sgt i32 %v, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The keys of an array of pairs, whose values are written as well.
define void @pairs(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr %pair, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %v = getelementptr i8, ptr %p, i64 4
  %before = atomicrmw xchg ptr %v, i32 %mask monotonic
  %w = getelementptr %pair, ptr %t, i32 %key, i32 1
  store i32 1, ptr %w
  ret void
}

; Slots as locks.
define void @givenBack(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  store i32 -1, ptr %p
  ret void
}

define void @swappedBack(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %back = cmpxchg ptr %p, i32 %key, i32 -1 seq_cst seq_cst
  ret void
}

define void @exchanged(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %back = atomicrmw xchg ptr %p, i32 -1 seq_cst
  ret void
}

define void @clearedInCall(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  call void @clear(ptr %p)
  ret void
}

; What is cleared may be any memory.
define void @clearedBehind(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %any = load ptr, ptr %out
  store i32 -1, ptr %any
  ret void
}

define void @pairsCleared(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr %pair, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %v = getelementptr %pair, ptr %t, i32 %key, i32 0
  store i32 -1, ptr %v
  ret void
}

define void @pairsOverlap(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr %pair, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %v = getelementptr i8, ptr %p, i64 4
  store i64 -1, ptr %v
  ret void
}

; By another index, values are keys.
define void @pairsShifted(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr %pair, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %w = getelementptr %pair, ptr %t, i32 %key, i32 1
  %v = getelementptr i32, ptr %w, i32 %mask
  store i32 -1, ptr %v
  ret void
}

; Each thread has another number by which a slot is free.
define void @ownFree(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  %own = load i32, ptr %out
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 %own, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  ret void
}

; Left when another block has filled the slot.
define void @filled(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %leaves = icmp eq i32 %found, 7
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  ret void
}

define void @looked(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %found = load volatile i32, ptr %p
  %done = icmp ne i32 %found, -1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  ret void
}

; The slot of the inner cycle tells when the outer one is left.
define void @outer(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %again
again:
  br label %loop
loop:
  %s = phi i32 [ %key, %again ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %next = add i32 %s, %mask
  br i1 %leaves, label %latch, label %loop
latch:
  %ready = icmp eq i32 %found, 7
  br i1 %ready, label %exit, label %again
exit:
  ret void
}

; The same slot again, which the host may free.
define void @lock(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %s, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %found = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %mine = icmp eq i32 %found, %key
  %leaves = or i1 %done, %mine
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %leaves, label %exit, label %loop
exit:
  ret void
}

; An array of which nothing is known.
define void @fromMemory(ptr %tables, ptr %out, i32 %mask, i32 %key) {
entry:
  %t = load ptr, ptr %tables
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %done = extractvalue { i32, i1 } %swap, 1
  %next = add i32 %s, %mask
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; All elements, again and again.
define void @scanAgain(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %again
again:
  br label %loop
loop:
  %i = phi i32 [ 0, %again ], [ %j, %next ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %again
exit:
  ret void
}

define void @scanUncounted(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  %j = add i32 %i, 1
  br i1 %found, label %exit, label %loop
exit:
  ret void
}

; Of few elements, as the counter overflows.
define void @scanJumps(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add i32 %i, 1073741824
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The counter ends the cycle, but does not say what is looked at.
define void @scanSame(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %first = and i32 %i, 3
  %p = getelementptr i32, ptr %t, i32 %first
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @searchWritten(ptr noalias %t, ptr %out, i32 %n, i32 %key) {
entry:
  %first = getelementptr i32, ptr %t, i32 %key
  store i32 0, ptr %first
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %v, %loop ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %more = icmp sgt i32 %v, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Others may have the memory by another argument.
define void @searchShared(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %v, %loop ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %out
  %more = icmp sgt i32 %v, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @searchSame(ptr noalias %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %p = getelementptr i32, ptr %t, i32 %key
  %v = load volatile i32, ptr %p
  %more = icmp sgt i32 %v, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Of assembly that is not volatile, the compiler says that it does not write.
define void @exchangedInAssembly(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %done = extractvalue { i32, i1 } %swap, 1
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %done, label %exit, label %loop
exit:
  %x = call i32 asm "atom.global.exch.b32 $0, [$1], 0;", "=r,l"(ptr %p) memory(none)
  store i32 %x, ptr %out
  ret void
}

define void @scattered(ptr %t, ptr %out, i32 %mask, i32 %key) {
entry:
  br label %loop
loop:
  %s = phi i32 [ %key, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %t, i32 %s
  %swap = cmpxchg ptr %p, i32 -1, i32 %key seq_cst seq_cst
  %done = extractvalue { i32, i1 } %swap, 1
  %one = add i32 %s, 1
  %next = and i32 %one, %mask
  br i1 %done, label %exit, label %loop
exit:
  %w = insertelement <2 x ptr> poison, ptr %p, i32 0
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> zeroinitializer, <2 x ptr> %w, i32 4, <2 x i1> <i1 true, i1 false>)
  ret void
}

; The counter may wrap and never be beyond its bound.
define void @scanWraps(ptr %t, ptr %out, i8 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %j, %next ]
  %p = getelementptr i32, ptr %t, i8 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add i8 %i, 1
  %end = icmp ugt i8 %j, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

define void @scanMeets(ptr %t, ptr %out, i8 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %j, %next ]
  %p = getelementptr i32, ptr %t, i8 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add i8 %i, 1
  %end = icmp uge i8 %j, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

define void @scanNoWrap(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add nsw i32 %i, 1
  %end = icmp sgt i32 %j, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

define void @scanOtherWrap(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %p = getelementptr i32, ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add nsw i32 %i, 1
  %end = icmp ugt i32 %j, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; All elements are at the same place.
define void @scanNothing(ptr %t, ptr %out, i32 %n, i32 %key) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %p = getelementptr [0 x i32], ptr %t, i32 %i
  %v = load volatile i32, ptr %p
  %found = icmp eq i32 %v, %key
  br i1 %found, label %exit, label %next
next:
  %j = add i32 %i, 1
  %end = icmp eq i32 %j, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20, !21, !22, !23, !24, !25, !26, !27, !28, !29, !30, !31, !32, !33, !34}
!0 = !{ptr @probe, !"kernel", i32 1}
!1 = !{ptr @probeGiven, !"kernel", i32 1}
!2 = !{ptr @probeAssembly, !"kernel", i32 1}
!3 = !{ptr @scan, !"kernel", i32 1}
!4 = !{ptr @search, !"kernel", i32 1}
!5 = !{ptr @pairs, !"kernel", i32 1}
!6 = !{ptr @givenBack, !"kernel", i32 1}
!7 = !{ptr @swappedBack, !"kernel", i32 1}
!8 = !{ptr @exchanged, !"kernel", i32 1}
!9 = !{ptr @clearedInCall, !"kernel", i32 1}
!10 = !{ptr @clearedBehind, !"kernel", i32 1}
!11 = !{ptr @pairsCleared, !"kernel", i32 1}
!12 = !{ptr @pairsOverlap, !"kernel", i32 1}
!13 = !{ptr @pairsShifted, !"kernel", i32 1}
!14 = !{ptr @ownFree, !"kernel", i32 1}
!15 = !{ptr @filled, !"kernel", i32 1}
!16 = !{ptr @looked, !"kernel", i32 1}
!17 = !{ptr @outer, !"kernel", i32 1}
!18 = !{ptr @lock, !"kernel", i32 1}
!19 = !{ptr @fromMemory, !"kernel", i32 1}
!20 = !{ptr @scanAgain, !"kernel", i32 1}
!21 = !{ptr @scanUncounted, !"kernel", i32 1}
!22 = !{ptr @scanJumps, !"kernel", i32 1}
!23 = !{ptr @scanSame, !"kernel", i32 1}
!24 = !{ptr @searchWritten, !"kernel", i32 1}
!25 = !{ptr @searchShared, !"kernel", i32 1}
!26 = !{ptr @searchSame, !"kernel", i32 1}
!27 = !{ptr @exchangedInAssembly, !"kernel", i32 1}
!28 = !{ptr @scattered, !"kernel", i32 1}
!29 = !{ptr @scanWraps, !"kernel", i32 1}
!30 = !{ptr @scanMeets, !"kernel", i32 1}
!31 = !{ptr @scanNoWrap, !"kernel", i32 1}
!32 = !{ptr @scanOtherWrap, !"kernel", i32 1}
!33 = !{ptr @scanNothing, !"kernel", i32 1}
!34 = !{ptr @probeInStruct, !"kernel", i32 1}
