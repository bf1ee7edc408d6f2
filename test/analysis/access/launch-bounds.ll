; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Launch bounds and the parameters' places are part of the summary.

; CHECK-LABEL: kernel k, at most 256 threads a block
; CHECK-NEXT: pointer arg0: not accessed

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p) {
  ret void
}


!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"maxntidx", i32 64}
!2 = !{ptr @k, !"maxntidy", i32 4}
