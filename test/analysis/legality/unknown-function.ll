; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; A body in another file is not seen; one in this file is walked.

; CHECK: kernel k:
; CHECK-NEXT: unknown-function: cannot be split: it calls a function whose body is not in this file (elsewhere)
; CHECK: kernel walks:
; CHECK-NEXT: device-heap:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @elsewhere()
declare ptr @malloc(i64)

define internal void @here(ptr %p) noinline {
  %m = call ptr @malloc(i64 4)
  store ptr %m, ptr %p
  ret void
}

define void @k(ptr %p) {
  call void @elsewhere()
  ret void
}

define void @walks(ptr %p) {
  call void @here(ptr %p)
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @walks, !"kernel", i32 1}
