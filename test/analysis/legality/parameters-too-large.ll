; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; The tile is one more parameter of 24 bytes.

; CHECK: kernel fits: may be split
; CHECK: kernel full:
; CHECK-NEXT: parameters-too-large: cannot be split: its parameters leave no room for the tile

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @fits(ptr byval([4072 x i8]) align 8 %p) {
  ret void
}

define void @full(ptr byval([4080 x i8]) align 8 %p) {
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @fits, !"kernel", i32 1}
!1 = !{ptr @full, !"kernel", i32 1}
