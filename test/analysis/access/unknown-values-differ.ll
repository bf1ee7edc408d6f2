; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Two loaded values are both unknown, and their difference is not zero.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write: unknown, loaded from memory; inspected: 4 bytes at (sext64((load32(arg1, 0) - load32(arg1, 0))) * 4) [site 2]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 1]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, ptr %q) {
  %a = load i32, ptr %q
  %b = load i32, ptr %q
  %d = sub i32 %a, %b
  %y = sext i32 %d to i64
  %r = getelementptr float, ptr %p, i64 %y
  store float 0.0, ptr %r
  ret void
}


!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
