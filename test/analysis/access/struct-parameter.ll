; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Pointers and numbers in fields of a struct passed by value, also as a vector; a struct that
; the kernel writes to, or indexes, is not what the launch was given.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at (sext64(arg0+8) * 4) (exact) [site 3]
; CHECK-NEXT: pointer arg0+16: not accessed
; CHECK-NEXT: pointer arg0+24: write
; CHECK-NEXT: write 4 bytes at 0 (exact) [site 4]
; CHECK-LABEL: kernel vector
; CHECK-NEXT: pointer arg0: not accessed
; CHECK-NEXT: pointer arg0+16: not accessed
; CHECK-NEXT: pointer arg0+24: write
; CHECK-NEXT: write 4 bytes at 0 (exact) [site 1]
; CHECK-LABEL: kernel written
; CHECK-NEXT: pointer arg0: not accessed
; CHECK-NEXT: pointer arg0+16: not accessed
; CHECK-NEXT: pointer arg0+24: not accessed
; CHECK-NEXT: pointer arg1: not accessed
; CHECK-NEXT: any memory:
; CHECK-NEXT: write: unknown, a pointer loaded from memory [site 2]
; CHECK-LABEL: kernel indexed
; CHECK-NEXT: pointer arg0: not accessed
; CHECK-NEXT: pointer arg0+16: not accessed
; CHECK-NEXT: pointer arg0+24: not accessed
; CHECK-NEXT: any memory:
; CHECK-NEXT: write: unknown, a pointer loaded from memory [site 1]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%view = type { ptr, i32, [2 x ptr] }

define void @k(ptr byval(%view) align 8 %v) {
  %p = load ptr, ptr %v
  %na = getelementptr i8, ptr %v, i64 8
  %n = load i32, ptr %na
  %qa = getelementptr %view, ptr %v, i64 0, i32 2, i64 1
  %q = load ptr, ptr %qa
  %x = sext i32 %n to i64
  %a = getelementptr float, ptr %p, i64 %x
  %f = load float, ptr %a
  store float %f, ptr %q
  ret void
}

define void @vector(ptr byval(%view) align 8 %v) {
  %qa = getelementptr i8, ptr %v, i64 16
  %both = load <2 x ptr>, ptr %qa
  %q = extractelement <2 x ptr> %both, i64 1
  store float 0.0, ptr %q
  ret void
}

define void @written(ptr byval(%view) align 8 %v, ptr %r) {
  store ptr %r, ptr %v
  %p = load ptr, ptr %v
  store float 0.0, ptr %p
  ret void
}

define void @indexed(ptr byval(%view) align 8 %v, i64 %i) {
  %qa = getelementptr %view, ptr %v, i64 0, i32 2, i64 %i
  %q = load ptr, ptr %qa
  store float 0.0, ptr %q
  ret void
}


!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @vector, !"kernel", i32 1}
!2 = !{ptr @written, !"kernel", i32 1}
!3 = !{ptr @indexed, !"kernel", i32 1}
