; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; The handle of the grid group is in the environment registers.

; CHECK: kernel k:
; CHECK-NEXT: grid-barrier: cannot be split: it synchronizes the whole grid
; CHECK-NOT: :

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p) {
  %h = call i32 asm "mov.u32 $0, %envreg2;", "=r"()
  store i32 %h, ptr %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
