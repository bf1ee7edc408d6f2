; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; The device's heap exists once per device.

; CHECK: kernel k:
; CHECK-NEXT: device-heap: cannot be split: it allocates or frees memory on the device (malloc)
; CHECK-NOT: :

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare ptr @malloc(i64)

define void @k(ptr %p) {
  %m = call ptr @malloc(i64 4)
  store ptr %m, ptr %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
