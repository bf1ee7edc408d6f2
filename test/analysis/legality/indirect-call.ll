; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; A function pointer may lead anywhere.

; CHECK: kernel k:
; CHECK-NEXT: indirect-call: cannot be split: it calls through a function pointer
; CHECK-NOT: :

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %f) {
  call void %f()
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
