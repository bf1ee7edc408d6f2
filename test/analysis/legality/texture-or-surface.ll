; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Textures by intrinsic and in assembly.

; CHECK: kernel k:
; CHECK-NEXT: texture-or-surface: cannot be split: it uses a texture or a surface
; CHECK: kernel asm:
; CHECK-NEXT: texture-or-surface:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)

define void @k(i64 %t, ptr %p) {
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %t, i32 0)
  %x = extractvalue { float, float, float, float } %v, 0
  store float %x, ptr %p
  ret void
}

define void @asm(i64 %t) {
  call void asm sideeffect "sust.b.1d.b32.trap [$0, {$1}], {$1};", "l,r"(i64 %t, i32 0)
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @asm, !"kernel", i32 1}
