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

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @flag, !"kernel", i32 1}
!1 = !{ptr @lock, !"kernel", i32 1}
!2 = !{ptr @acquire, !"kernel", i32 1}
!3 = !{ptr @indirect, !"kernel", i32 1}
