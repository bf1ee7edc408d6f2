; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A texture in assembly that has no effects for LLVM reads memory that no
; pointer leads to.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel k
; CHECK: read: unknown, texture
define void @k(i64 %t, ptr %p) {
  %v = call { i32, i32, i32, i32 } asm "tex.1d.v4.s32.s32 {$0, $1, $2, $3}, [$4, {$5}];", "=r,=r,=r,=r,l,r"(i64 %t, i32 0)
  %x = extractvalue { i32, i32, i32, i32 } %v, 0
  store i32 %x, ptr %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
