; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Pointers that come from nowhere one can see: any memory, with the reason.

; CHECK-LABEL: kernel loaded
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 8 bytes at 0 (exact) [site 0]
; CHECK-NEXT: any memory:
; CHECK-NEXT: write: unknown, a pointer loaded from memory [site 1]
; CHECK-LABEL: kernel integer
; CHECK-NEXT: any memory:
; CHECK-NEXT: read: unknown, a pointer made from an integer [site 0]
; CHECK-LABEL: kernel returned
; CHECK-NEXT: pointer arg0: not accessed
; CHECK-NEXT: any memory:
; CHECK-NEXT: write: unknown, a pointer returned by a call [site 0]
; CHECK-LABEL: kernel null
; CHECK-NEXT: any memory:
; CHECK-NEXT: write: unknown, a pointer made from an integer [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @loaded(ptr %p) {
  %q = load ptr, ptr %p
  store i32 1, ptr %q
  ret void
}

define void @integer(i64 %p) {
  %q = inttoptr i64 %p to ptr
  %v = load i32, ptr %q
  ret void
}

define void @returned(ptr %p) {
  %q = call ptr @f()
  store i32 1, ptr %q
  ret void
}

define void @null(i64 %x) {
  %q = getelementptr i8, ptr null, i64 %x
  store i32 1, ptr %q
  ret void
}

declare ptr @f() memory(none)

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @loaded, !"kernel", i32 1}
!1 = !{ptr @integer, !"kernel", i32 1}
!2 = !{ptr @returned, !"kernel", i32 1}
!3 = !{ptr @null, !"kernel", i32 1}
