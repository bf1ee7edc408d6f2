; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Loops with synchronizing reads that wait for nobody: a compare-and-swap retry,
; a read that no exit depends on, a spin on the block's own shared memory, by
; name or by a cast of a pointer, and on constants, which nobody writes.

; CHECK: kernel retry: may be split
; CHECK: kernel counted: may be split
; CHECK: kernel own: may be split
; CHECK: kernel cast: may be split
; CHECK: kernel constant: may be split

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

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @retry, !"kernel", i32 1}
!1 = !{ptr @counted, !"kernel", i32 1}
!2 = !{ptr @own, !"kernel", i32 1}
!3 = !{ptr @cast, !"kernel", i32 1}
!4 = !{ptr @constant, !"kernel", i32 1}
