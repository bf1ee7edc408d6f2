; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Known opcodes pass, unknown ones and the block's index inside a text do not.

; CHECK: kernel known: may be split
; CHECK: kernel unknown:
; CHECK-NEXT: inline-assembly: cannot be split: it has inline assembly that is not known to be safe (frobnicate.u32 [$0];)
; CHECK: kernel block:
; CHECK-NEXT: inline-assembly:{{.*}}(mov.u32 $0, %ctaid.x;)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @known(ptr %p) {
  %a = call i32 asm "{ .reg .u32 t; mov.u32 t, %laneid; shl.b32 $0, t, 2; }", "=r"()
  %b = call i32 asm "prmt.b32 $0, $1, $1, 0x123;", "=r,r"(i32 %a)
  store i32 %b, ptr %p
  %c = call i32 asm "{ .reg .u32 lo, hi; mov.b64 {lo,hi}, $1; mov.b32 $0, hi; }", "=r,l"(ptr %p)
  store i32 %c, ptr %p
  ret void
}

define void @unknown(ptr %p) {
  call void asm sideeffect "frobnicate.u32 [$0];", "l"(ptr %p)
  ret void
}

define void @block(ptr %p) {
  %a = call i32 asm "mov.u32 $0, %ctaid.x;", "=r"()
  store i32 %a, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @known, !"kernel", i32 1}
!1 = !{ptr @unknown, !"kernel", i32 1}
!2 = !{ptr @block, !"kernel", i32 1}
