; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Assembly without an operand that could be an address touches nothing.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: not accessed
; CHECK-NEXT: any memory:
; CHECK-NEXT: read: unknown, inline assembly [site 0]
; CHECK-NEXT: write: unknown, inline assembly [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i64 %a) {
  call void asm sideeffect "membar.gl;", "~{memory}"()
  %l = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %v = call i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l,~{memory}"(i64 %a)
  ret void
}


!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
