; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Compare-and-swaps that look as if they only tried again, and wait.

; CHECK: kernel least:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel sometimes:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel whenTold:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel otherCell:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel alternates:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel rounded:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel success:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel written:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel skips: may be split
; CHECK: kernel writtenInAssembly:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel writtenInCall:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel writtenByIndex:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel exchangedInCall:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel swappedTwice:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel variableInCall:
; CHECK-NEXT: waits-on-other-block:

declare i32 @llvm.smin.i32(i32, i32)

; What is carried on may be what the lock is free by.
define void @least(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = phi i32 [ %m, %entry ], [ %less, %loop ]
  %pair = cmpxchg ptr %p, i32 %e, i32 9 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %less = call i32 @llvm.smin.i32(i32 %e, i32 %found)
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The same, by a select.
define void @sometimes(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = phi i32 [ %m, %entry ], [ %next, %loop ]
  %pair = cmpxchg ptr %p, i32 %e, i32 9 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %magic = icmp eq i32 %found, 7
  %next = select i1 %magic, i32 %found, i32 %e
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; It is read only when another block says so.
define void @whenTold(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = phi i32 [ %m, %entry ], [ %now, %try ]
  %told = load volatile i32, ptr %go
  %reads = icmp ne i32 %told, 0
  br i1 %reads, label %read, label %try
read:
  %new = load volatile i32, ptr %p
  br label %try
try:
  %now = phi i32 [ %e, %loop ], [ %new, %read ]
  %next = add i32 %now, 1
  %pair = cmpxchg ptr %p, i32 %now, i32 %next monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Found in another cell.
define void @otherCell(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %at = getelementptr i32, ptr %p, i32 1
  %one = cmpxchg ptr %at, i32 0, i32 0 monotonic monotonic
  %e = extractvalue { i32, i1 } %one, 0
  %pair = cmpxchg ptr %p, i32 %e, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Found in another cell in the turn before.
define void @alternates(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %e = phi i32 [ %m, %entry ], [ %found, %loop ]
  %at = getelementptr i32, ptr %p, i32 %i
  %pair = cmpxchg ptr %at, i32 %e, i32 5 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %j = xor i32 %i, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Bits that get lost are a lock.
define void @rounded(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = phi i32 [ %m, %entry ], [ %back, %loop ]
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %half = trunc i32 %found to i16
  %back = sext i16 %half to i32
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Whether it has succeeded is not what was found.
define void @success(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = phi i32 [ %m, %entry ], [ %flag, %loop ]
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  %flag = zext i1 %done to i32
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The cycle itself writes there.
define void @written(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = load volatile i32, ptr %p
  store volatile i32 3, ptr %p
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A turn that does not come to the swap may carry on what it likes.
define void @skips(ptr %p, ptr %q, i32 %m, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %e = phi i32 [ %m, %entry ], [ %e2, %next ]
  %j = add i32 %i, 1
  %v = load i32, ptr %q
  %tries = icmp sgt i32 %v, %i
  br i1 %tries, label %try, label %next
try:
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %next
next:
  %e2 = phi i32 [ %e, %loop ], [ %found, %try ]
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The same in assembly, as of cuda::atomic, and in a function.
define void @writtenInAssembly(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = load volatile i32, ptr %p
  call void asm sideeffect "st.relaxed.gpu.b32 [$0],$1;", "l,r,~{memory}"(ptr %p, i32 3)
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define internal void @write(ptr %p) noinline {
  store i32 3, ptr %p
  ret void
}

define void @writtenInCall(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = load volatile i32, ptr %p
  call void @write(ptr %p)
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; By an index that may be the same.
define void @writtenByIndex(ptr %t, ptr %go, i32 %i, i32 %j) {
entry:
  %p = getelementptr i32, ptr %t, i32 %i
  %q = getelementptr i32, ptr %t, i32 %j
  br label %loop
loop:
  %e = phi i32 [ 0, %entry ], [ %found, %loop ]
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  store i32 3, ptr %q
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; What the assembly does is not said by its attributes.
define internal i32 @exchange(ptr %p) noinline {
  %x = call i32 asm "atom.global.exch.b32 $0, [$1], 1;", "=r,l"(ptr %p) memory(none)
  ret i32 %x
}

define void @exchangedInCall(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = load volatile i32, ptr %p
  %x = call i32 @exchange(ptr %p)
  store i32 %x, ptr %go
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The first swap leaves nothing, and changes what the second one expects.
define void @swappedTwice(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = load volatile i32, ptr %p
  %other = xor i32 %e, 1
  %first = cmpxchg ptr %p, i32 %e, i32 %other monotonic monotonic
  %pair = cmpxchg ptr %p, i32 %e, i32 5 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A variable, which a function need not be given.
@variable = internal addrspace(1) global i32 0
define internal void @writeVariable(i32 %v) noinline {
  store i32 %v, ptr addrspace(1) @variable
  ret void
}

define void @variableInCall(ptr %p, ptr %go, i32 %m) {
entry:
  br label %loop
loop:
  %e = load volatile i32, ptr addrspace(1) @variable
  call void @writeVariable(i32 %e)
  %pair = cmpxchg ptr addrspace(1) @variable, i32 %e, i32 5 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14}
!0 = !{ptr @least, !"kernel", i32 1}
!1 = !{ptr @sometimes, !"kernel", i32 1}
!2 = !{ptr @whenTold, !"kernel", i32 1}
!3 = !{ptr @otherCell, !"kernel", i32 1}
!4 = !{ptr @alternates, !"kernel", i32 1}
!5 = !{ptr @rounded, !"kernel", i32 1}
!6 = !{ptr @success, !"kernel", i32 1}
!7 = !{ptr @written, !"kernel", i32 1}
!8 = !{ptr @skips, !"kernel", i32 1}
!9 = !{ptr @writtenInAssembly, !"kernel", i32 1}
!10 = !{ptr @writtenInCall, !"kernel", i32 1}
!11 = !{ptr @writtenByIndex, !"kernel", i32 1}
!12 = !{ptr @exchangedInCall, !"kernel", i32 1}
!13 = !{ptr @swappedTwice, !"kernel", i32 1}
!14 = !{ptr @variableInCall, !"kernel", i32 1}
