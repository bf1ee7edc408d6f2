; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; What a thread has read of others, or what a retry expects, comes and goes by
; other pointers: which of them may lead to the same place?

; CHECK: kernel storesFromTable:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel addsFromTable:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel pushesNode: may be split
; CHECK: kernel keepsTooLate:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel throughPointer:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel throughGiven: may be split
; CHECK: kernel byNumber:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel byOtherNumber: may be split
; CHECK: kernel byUnknownNumber:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel copied:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel copiedByIntrinsic:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel copiedElsewhere: may be split
; CHECK: kernel readInCall:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel writtenInCall:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel handedOn:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel ranks: may be split
; CHECK: kernel appends: may be split
; CHECK: kernel changedAtomically:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel ownElement: may be split
; CHECK: kernel otherField: may be split
; CHECK: kernel innerTurns:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel innerChoice: may be split
; CHECK: kernel readsAgain:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel countsMeanwhile:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel boundInMemory: may be split
; CHECK: kernel storedWhenTold:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel changedInCall:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel countsRetries:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel stepsByNumber:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel byChangingNumber:
; CHECK-NEXT: waits-on-other-block:
; CHECK: kernel passesCache:
; CHECK-NEXT: waits-on-other-block:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@seen = internal addrspace(3) global [2 x i32] undef, align 4
@other = internal addrspace(3) global i32 undef, align 4
@where = internal addrspace(3) global ptr undef, align 8
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))

; Two locks that come from a table may be one.
define void @storesFromTable(ptr %locks, i64 %i, i64 %j) {
entry:
  %a = getelementptr ptr, ptr %locks, i64 %i
  %p = load ptr, ptr %a
  %b = getelementptr ptr, ptr %locks, i64 %j
  %q = load ptr, ptr %b
  br label %loop
loop:
  %old = load volatile i32, ptr %p
  %next = add i32 %old, 1
  store i32 %next, ptr %q
  %pair = cmpxchg ptr %p, i32 %old, i32 2 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define void @addsFromTable(ptr %p, ptr %table) {
entry:
  %q = load ptr, ptr %table
  br label %loop
loop:
  %old = load volatile i32, ptr %p
  %ignored = atomicrmw add ptr %q, i32 1 monotonic
  %pair = cmpxchg ptr %p, i32 %old, i32 2 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A list gets a node: what is stored is what the swap expects.
define void @pushesNode(ptr %nodes, ptr %top) {
entry:
  %node = load ptr, ptr %nodes
  %number = ptrtoint ptr %node to i64
  %first = load ptr, ptr %top
  br label %loop
loop:
  %head = phi ptr [ %first, %entry ], [ %found, %loop ]
  store ptr %head, ptr %node
  %expected = ptrtoint ptr %head to i64
  %pair = cmpxchg ptr %top, i64 %expected, i64 %number monotonic monotonic
  %old = extractvalue { i64, i1 } %pair, 0
  %found = inttoptr i64 %old to ptr
  %done = icmp eq ptr %head, %found
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; It is stored behind the swap, so that the next turn finds it.
define void @keepsTooLate(ptr %table, ptr %top) {
entry:
  %node = load ptr, ptr %table
  %first = load i32, ptr %top
  br label %loop
loop:
  %head = phi i32 [ %first, %entry ], [ %found, %loop ]
  %pair = cmpxchg ptr %top, i32 %head, i32 9 monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  store i32 %head, ptr %node
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The address of the shared variable is in shared memory.
define void @throughPointer(ptr %p, i64 %i) {
entry:
  %at = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @seen to ptr), i64 %i
  store ptr %at, ptr addrspace(3) @where
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %to = load ptr, ptr addrspace(3) @where
  store i32 %v, ptr %to
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr addrspace(3) @seen
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; No pointer of a struct that the host has filled leads to shared memory.
define void @throughGiven(ptr %p, ptr byval({ ptr }) readonly %s) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %to = load ptr, ptr %s
  store i32 %v, ptr %to
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr addrspace(3) @other
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @byNumber(ptr %p, i32 %i) {
entry:
  %base = ptrtoint ptr addrspace(3) @seen to i32
  %number = add i32 %base, %i
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr addrspace(3) @seen
  call void @llvm.nvvm.barrier0()
  %w = call i32 asm sideeffect "ld.shared.u32 $0, [$1+4];", "=r,r,~{memory}"(i32 %number)
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @byOtherNumber(ptr %p, i32 %i) {
entry:
  %base = ptrtoint ptr addrspace(3) @seen to i32
  %number = add i32 %base, %i
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr addrspace(3) @other
  %w = call i32 asm sideeffect "ld.shared.u32 $0, [$1+4];", "=r,r,~{memory}"(i32 %number)
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @byUnknownNumber(ptr %p, i32 %number) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  call void asm sideeffect "{ st.shared.u32 [$0], $1; }", "r,r,~{memory}"(i32 %number, i32 %v)
  call void @llvm.nvvm.barrier0()
  %w = load i32, ptr addrspace(3) @other
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Asynchronous copies fetch a flag.
define void @copied(ptr %p) {
entry:
  br label %loop
loop:
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4;", "r,l,~{memory}"(i32 ptrtoint (ptr addrspace(3) @other to i32), ptr %p)
  call void asm sideeffect "cp.async.wait_all;", "~{memory}"()
  %w = load i32, ptr addrspace(3) @other
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @copiedByIntrinsic(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) @other, ptr addrspace(1) %p)
  %w = load i32, ptr addrspace(3) @other
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @copiedElsewhere(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4;", "r,l,~{memory}"(i32 ptrtoint (ptr addrspace(3) @seen to i32), ptr %p)
  call void asm sideeffect "cp.async.wait_all;", "~{memory}"()
  %next = add i32 %i, 1
  %n = load i32, ptr addrspace(3) @other
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define internal i32 @peek(ptr %p) noinline {
  %v = load i32, ptr %p
  ret i32 %v
}
define void @readInCall(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr addrspace(3) @other
  call void @llvm.nvvm.barrier0()
  %w = call i32 @peek(ptr addrspacecast (ptr addrspace(3) @other to ptr))
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define internal void @put(ptr %p, i32 %v) noinline {
  store i32 %v, ptr %p
  ret void
}
define void @writtenInCall(ptr %p, ptr %own) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  call void @put(ptr %own, i32 %v)
  %w = load i32, ptr %own
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Two arrays of a table may be one.
define void @handedOn(ptr %p, ptr %table) {
entry:
  %a = load ptr, ptr %table
  %next = getelementptr ptr, ptr %table, i64 1
  %b = load ptr, ptr %next
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %a
  %w = load i32, ptr %b
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Fields of one struct are taken for different arrays.
define void @ranks(ptr %s, i32 %begin) {
entry:
  %second = getelementptr { ptr, ptr }, ptr %s, i64 0, i32 1
  br label %loop
loop:
  %i = phi i32 [ %begin, %entry ], [ %next, %loop ]
  %ranks = load ptr, ptr %second, !tbaa !3
  %to = getelementptr i32, ptr %ranks, i32 %i
  %rank = atomicrmw add ptr addrspace(1) null, i32 1 monotonic
  store i32 %rank, ptr %to
  %ends = load ptr, ptr %s, !tbaa !2
  %end = load i32, ptr %ends
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %end
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
!0 = !{!"root"}
!1 = !{!"any pointer", !0}
!2 = !{!4, !1, i64 0}
!3 = !{!4, !1, i64 8}
!4 = !{!"Graph", !1, i64 0, !1, i64 8}

; Where something is stored is no matter in arrays of which nothing is known.
define void @appends(ptr %ends, ptr %lists, i32 %begin) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %begin, %entry ], [ %next, %loop ]
  %list = load ptr, ptr %lists
  %slot = atomicrmw add ptr addrspace(1) null, i32 1 monotonic
  %to = getelementptr i32, ptr %list, i32 %slot
  store i32 %i, ptr %to
  %end = load i32, ptr %ends
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %end
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Threads of other blocks change what is read behind each atomic operation.
define void @changedAtomically(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %ignored = atomicrmw max ptr %p, i32 0 monotonic
  %v = load i32, ptr %p
  %c = icmp slt i32 %v, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Who also stores there plainly has it alone.
define void @ownElement(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  store i32 0, ptr %p
  call void @llvm.nvvm.barrier0()
  %ignored = atomicrmw max ptr %p, i32 0 monotonic
  %v = load i32, ptr %p
  %c = icmp slt i32 %v, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Numbers are counted beside what the exit depends on.
define void @otherField(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr { i32, i32 }, ptr %p, i32 %i
  %count = getelementptr i8, ptr %at, i64 4
  %ignored = atomicrmw add ptr %count, i32 1 monotonic
  %v = load i32, ptr %at
  %next = add i32 %i, 1
  %c = icmp slt i32 %v, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; A cycle waits for as many turns as an inner one makes.
define void @innerTurns(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  br label %inner
inner:
  %i = phi i32 [ 0, %loop ], [ %next, %more ]
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %last, label %more
more:
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, 100
  br i1 %go, label %inner, label %last
last:
  %turns = phi i32 [ %i, %inner ], [ 100, %more ]
  %c = icmp slt i32 %turns, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What is read decides on a way, but not on the number that the exit asks for.
define void @innerChoice(ptr %p, ptr %q, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %last ]
  %skip = icmp eq i32 %i, %n
  br i1 %skip, label %last, label %asks
asks:
  %v = atomicrmw add ptr %p, i32 1 monotonic
  %set = icmp ne i32 %v, 0
  br i1 %set, label %one, label %both
one:
  store i32 %v, ptr %q
  br label %both
both:
  br label %last
last:
  %step = phi i32 [ 1, %loop ], [ 2, %both ]
  %next = add i32 %i, %step
  %c = icmp slt i32 %next, 1000
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Nothing but a read can end the cycle, which a barrier keeps in it.
define void @readsAgain(ptr %p) {
entry:
  br label %loop
loop:
  call void @llvm.nvvm.barrier0()
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @countsMeanwhile(ptr %p, ptr %count) {
entry:
  br label %loop
loop:
  %ignored = atomicrmw add ptr %count, i32 1 seq_cst
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define void @boundInMemory(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.nvvm.barrier0()
  %next = add i32 %i, 1
  %n = load i32, ptr %p
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; It is stored where an element of the table leads, and read there anew.
define void @storedWhenTold(ptr %flag, ptr %table) {
entry:
  %first = load ptr, ptr %table
  br label %loop
loop:
  %to = phi ptr [ %first, %entry ], [ %now, %next ]
  %told = load volatile i32, ptr %flag
  %is = icmp ne i32 %told, 0
  br i1 %is, label %put, label %next
put:
  store i32 1, ptr %to
  br label %next
next:
  call void @llvm.nvvm.barrier0()
  %now = load ptr, ptr %table
  %v = load i32, ptr %now
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define internal void @bump(ptr %p) noinline {
  %ignored = atomicrmw max ptr %p, i32 0 monotonic
  ret void
}
define void @changedInCall(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  call void @bump(ptr %p)
  %v = load i32, ptr %p
  %c = icmp slt i32 %v, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; As often as others have come first is told to the block.
define void @countsRetries(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  br label %try
try:
  %count = load i32, ptr addrspace(3) @other
  %more = add i32 %count, 1
  store i32 %more, ptr addrspace(3) @other
  %old = load volatile i32, ptr %p
  %new = add i32 %old, 1
  %pair = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %told, label %try
told:
  %all = load i32, ptr addrspace(3) @other
  %c = icmp slt i32 %all, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; An address that goes on as a number.
define void @stepsByNumber(ptr %p, ptr %flag) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %number = ptrtoint ptr %at to i64
  %more = add i64 %number, 8
  %next = inttoptr i64 %more to ptr
  %told = load volatile i32, ptr %flag
  store i32 %told, ptr %next
  %v = load i32, ptr %at
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; The compiler is told that the assembly reads nothing.
define void @byChangingNumber(ptr %p, i32 %number) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %number, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  store i32 %v, ptr addrspace(3) @seen
  call void @llvm.nvvm.barrier0()
  %next = xor i32 %i, 4
  %w = call i32 asm "ld.shared.u32 $0, [$1];", "=r,r"(i32 %i) memory(none)
  %c = icmp eq i32 %w, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What .cg loads is new in each turn, whatever the assembly is marked as.
define void @passesCache(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %p, i64 %i
  %v = call i32 asm "ld.global.cg.u32 $0, [$1];", "=r,l"(ptr %at) memory(none)
  %next = xor i64 %i, 1
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

!nvvm.annotations = !{!10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20, !21, !22, !23, !24, !25, !26, !27, !28, !29, !30, !31, !32, !33, !34, !35, !36, !37, !38, !39, !40}
!10 = !{ptr @storesFromTable, !"kernel", i32 1}
!11 = !{ptr @addsFromTable, !"kernel", i32 1}
!12 = !{ptr @pushesNode, !"kernel", i32 1}
!13 = !{ptr @keepsTooLate, !"kernel", i32 1}
!14 = !{ptr @throughPointer, !"kernel", i32 1}
!15 = !{ptr @throughGiven, !"kernel", i32 1}
!16 = !{ptr @byNumber, !"kernel", i32 1}
!17 = !{ptr @byOtherNumber, !"kernel", i32 1}
!18 = !{ptr @byUnknownNumber, !"kernel", i32 1}
!19 = !{ptr @copied, !"kernel", i32 1}
!20 = !{ptr @copiedByIntrinsic, !"kernel", i32 1}
!21 = !{ptr @copiedElsewhere, !"kernel", i32 1}
!22 = !{ptr @readInCall, !"kernel", i32 1}
!23 = !{ptr @writtenInCall, !"kernel", i32 1}
!24 = !{ptr @handedOn, !"kernel", i32 1}
!25 = !{ptr @ranks, !"kernel", i32 1}
!26 = !{ptr @appends, !"kernel", i32 1}
!27 = !{ptr @changedAtomically, !"kernel", i32 1}
!28 = !{ptr @ownElement, !"kernel", i32 1}
!29 = !{ptr @otherField, !"kernel", i32 1}
!30 = !{ptr @innerTurns, !"kernel", i32 1}
!31 = !{ptr @innerChoice, !"kernel", i32 1}
!32 = !{ptr @readsAgain, !"kernel", i32 1}
!33 = !{ptr @countsMeanwhile, !"kernel", i32 1}
!34 = !{ptr @boundInMemory, !"kernel", i32 1}
!35 = !{ptr @storedWhenTold, !"kernel", i32 1}
!36 = !{ptr @changedInCall, !"kernel", i32 1}
!37 = !{ptr @countsRetries, !"kernel", i32 1}
!38 = !{ptr @stepsByNumber, !"kernel", i32 1}
!39 = !{ptr @passesCache, !"kernel", i32 1}
!40 = !{ptr @byChangingNumber, !"kernel", i32 1}
