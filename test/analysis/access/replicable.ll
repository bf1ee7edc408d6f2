; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Only a pointer that is used for nothing but the addresses of loads may be replaced.

; CHECK-LABEL: kernel loads
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at (when(arg2, 0) + 4) (exact) [site 0]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 4 bytes at (when(xor(arg2, -1), 0) + 4) (exact) [site 0]
; CHECK-LABEL: kernel compares
; CHECK-NEXT: pointer arg0: read
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]
; CHECK-LABEL: kernel stores_it
; CHECK-NEXT: pointer arg0: read
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]
; CHECK-NEXT: pointer arg1: write
; CHECK-NEXT: write 8 bytes at 0 (exact) [site 1]
; CHECK-LABEL: kernel passes_it
; CHECK-NEXT: pointer arg0: read
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]
; CHECK-LABEL: kernel writes_the_other
; CHECK-NEXT: pointer arg0: read write
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]
; CHECK-NEXT: write 4 bytes at when(arg2, 0) (exact) [site 1]
; CHECK-NEXT: pointer arg1: write
; CHECK-NEXT: write 4 bytes at when(xor(arg2, -1), 0) (exact) [site 1]
; CHECK-LABEL: kernel number
; CHECK-NEXT: pointer arg0: read
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @loads(ptr %p, ptr %q, i1 %c) {
  %r = select i1 %c, ptr %p, ptr %q
  %a = getelementptr i8, ptr %r, i64 4
  %v = load float, ptr %a
  ret void
}

define void @compares(ptr %p) {
  %v = load float, ptr %p
  %c = icmp eq ptr %p, null
  ret void
}

define void @stores_it(ptr %p, ptr %q) {
  %v = load float, ptr %p
  store ptr %p, ptr %q
  ret void
}

define void @passes_it(ptr %p) {
  %v = load float, ptr %p
  call void @f(ptr %p)
  ret void
}

define void @writes_the_other(ptr %p, ptr %q, i1 %c) {
  %v = load float, ptr %p
  %r = select i1 %c, ptr %p, ptr %q
  store float %v, ptr %r
  ret void
}

define void @number(ptr %p) {
  %v = load float, ptr %p
  %n = ptrtoint ptr %p to i64
  ret void
}

declare void @f(ptr) memory(none)

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5}
!0 = !{ptr @loads, !"kernel", i32 1}
!1 = !{ptr @compares, !"kernel", i32 1}
!2 = !{ptr @stores_it, !"kernel", i32 1}
!3 = !{ptr @passes_it, !"kernel", i32 1}
!4 = !{ptr @writes_the_other, !"kernel", i32 1}
!5 = !{ptr @number, !"kernel", i32 1}
