; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Dynamic parallelism.

; CHECK: kernel k:
; CHECK-NEXT: device-launch: cannot be split: it launches kernels from the device (cudaGetParameterBufferV2)
; CHECK-NOT: :

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare ptr @cudaGetParameterBufferV2(ptr, i64, i64, i64, i64, i32)

define void @k(ptr %p) {
  %b = call ptr @cudaGetParameterBufferV2(ptr %p, i64 1, i64 1, i64 1, i64 1, i32 0)
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
