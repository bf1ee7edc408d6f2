; RUN: %opt -passes='gridspan-tile,function(gridspan-widen-scope),verify' -S %s | FileCheck %s
; Fences and scoped assembly become system-wide; block scope stays.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.cta()

; CHECK-LABEL: define void @k__gridspan(
define void @k(ptr %p) {
; CHECK: call void @llvm.nvvm.membar.sys()
  call void @llvm.nvvm.membar.gl()
; CHECK: call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.membar.cta()
; CHECK: "fence.acq_rel.sys;"
  call void asm sideeffect "fence.acq_rel.gpu;", "~{memory}"()
; CHECK: "{ membar.sys; red.relaxed.sys.add.u32 [$0], 1; }"
  call void asm sideeffect "{ membar.gl; red.relaxed.gpu.add.u32 [$0], 1; }", "l,~{memory}"(ptr %p)
; CHECK: "atom.sys.add.u32 $0, [$1], 1;"
  %a = call i32 asm sideeffect "atom.add.u32 $0, [$1], 1;", "=r,l,~{memory}"(ptr %p)
; CHECK: "atom.cta.add.u32 $0, [$1], 1;"
  %b = call i32 asm sideeffect "atom.cta.add.u32 $0, [$1], 1;", "=r,l,~{memory}"(ptr %p)
; CHECK: "st.release.sys.u32 [$0], 1;"
  call void asm sideeffect "st.release.gpu.u32 [$0], 1;", "l,~{memory}"(ptr %p)
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
