; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Textures and surfaces, by intrinsic and in assembly.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%two = type { i32, i64, float, i64 }

declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)
declare { float, float, float, float } @llvm.nvvm.tex.1d.v4f32.s32(i64, i64, i32)
declare void @llvm.nvvm.sust.b.1d.i32.trap(i64, i32, i32)

; CHECK: kernel parameter: may be split
define void @parameter(i64 %t, ptr %p) {
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %t, i32 0)
  %x = extractvalue { float, float, float, float } %v, 0
  store float %x, ptr %p
  ret void
}

; CHECK: kernel fields: may be split
define void @fields(ptr byval(%two) align 8 %s, ptr %p) {
  %at = getelementptr i8, ptr %s, i64 8
  %a = load i64, ptr %at
  %bt = getelementptr i8, ptr %s, i64 24
  %b = load i64, ptr %bt
  %n = load i32, ptr %s
  %c = icmp eq i32 %n, 0
  %t = select i1 %c, i64 %a, i64 %b
  %v = call { i32, i32, i32, i32 } asm "tex.1d.v4.s32.s32 {$0, $1, $2, $3}, [$4, {$5}];", "=r,=r,=r,=r,l,r"(i64 %t, i32 0)
  %w = call i32 asm "txq.width.b32 $0, [$1];", "=r,l"(i64 %a)
  store i32 %w, ptr %p
  ret void
}

; CHECK: kernel memory:
; CHECK-NEXT: texture-handle-from-memory: cannot be split: it reads the handle of a texture from memory
; CHECK-NOT: texture
define void @memory(ptr %handles, ptr %p) {
  %t = load i64, ptr %handles
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %t, i32 0)
  ret void
}

; CHECK: kernel computed:
; CHECK-NEXT: texture-handle-computed: cannot be split: it reads a texture by something else than a parameter, or does more with the parameter
define void @computed(i64 %t) {
  %u = add i64 %t, 1
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %u, i32 0)
  ret void
}

; CHECK: kernel stored:
; CHECK-NEXT: texture-handle-computed:
define void @stored(i64 %t, ptr %p) {
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %t, i32 0)
  store i64 %t, ptr %p
  ret void
}

; CHECK: kernel chosen:
; CHECK-NEXT: texture-handle-computed:
define void @chosen(i64 %t, i1 %c) {
  %u = select i1 %c, i64 %t, i64 7
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %u, i32 0)
  ret void
}

; CHECK: kernel part:
; CHECK-NEXT: texture-handle-computed:
define void @part(ptr byval(%two) align 8 %s, ptr %p) {
  %at = getelementptr i8, ptr %s, i64 8
  %a = load i64, ptr %at
  %half = load i32, ptr %at
  store i32 %half, ptr %p
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %a, i32 0)
  ret void
}

; CHECK: kernel indexed:
; CHECK-NEXT: texture-handle-from-memory:
define void @indexed(ptr byval(%two) align 8 %s, i64 %i) {
  %at = getelementptr i64, ptr %s, i64 %i
  %a = load i64, ptr %at
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %a, i32 0)
  ret void
}

; CHECK: kernel twice_in_text:
; CHECK-NEXT: texture-handle-computed:
define void @twice_in_text(i64 %t, ptr %p) {
  %v = call { i32, i64 } asm "txq.width.b32 $0, [$2]; mov.b64 $1, $2;", "=r,=l,l"(i64 %t)
  %x = extractvalue { i32, i64 } %v, 1
  store i64 %x, ptr %p
  ret void
}

; CHECK: kernel with_sampler:
; CHECK-NEXT: texture-handle-computed:
define void @with_sampler(i64 %t, i64 %s) {
  %v = call { float, float, float, float } @llvm.nvvm.tex.1d.v4f32.s32(i64 %t, i64 %s, i32 0)
  ret void
}

; CHECK: kernel surface:
; CHECK-NEXT: surface: cannot be split: it uses a surface
define void @surface(i64 %t) {
  call void asm sideeffect "sust.b.1d.b32.trap [$0, {$1}], {$1};", "l,r"(i64 %t, i32 0)
  ret void
}

; CHECK: kernel surface_by_intrinsic:
; CHECK-NEXT: surface:
define void @surface_by_intrinsic(i64 %t) {
  call void @llvm.nvvm.sust.b.1d.i32.trap(i64 %t, i32 0, i32 0)
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11}
!0 = !{ptr @parameter, !"kernel", i32 1}
!1 = !{ptr @fields, !"kernel", i32 1}
!2 = !{ptr @memory, !"kernel", i32 1}
!3 = !{ptr @computed, !"kernel", i32 1}
!4 = !{ptr @stored, !"kernel", i32 1}
!5 = !{ptr @chosen, !"kernel", i32 1}
!6 = !{ptr @part, !"kernel", i32 1}
!7 = !{ptr @indexed, !"kernel", i32 1}
!8 = !{ptr @twice_in_text, !"kernel", i32 1}
!9 = !{ptr @with_sampler, !"kernel", i32 1}
!10 = !{ptr @surface, !"kernel", i32 1}
!11 = !{ptr @surface_by_intrinsic, !"kernel", i32 1}
