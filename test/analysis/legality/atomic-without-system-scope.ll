; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Every atomic on global memory needs a PTX form at system scope.

; CHECK: kernel byte:
; CHECK-NEXT: atomic-without-system-scope: cannot be split: it has an atomic that cannot be widened to all devices
; CHECK: kernel shared_byte: may be split

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global i8 undef, align 4

define void @byte(ptr %p) {
  %o = atomicrmw add ptr %p, i8 1 seq_cst
  ret void
}

define void @shared_byte(ptr %p) {
  %o = atomicrmw add ptr addrspace(3) @shared, i8 1 seq_cst
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @byte, !"kernel", i32 1}
!1 = !{ptr @shared_byte, !"kernel", i32 1}
