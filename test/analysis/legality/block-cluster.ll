; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Clusters and distributed shared memory, by intrinsic and in assembly.

; CHECK: kernel k:
; CHECK-NEXT: block-cluster: cannot be split: it uses thread block clusters or distributed shared memory
; CHECK: kernel asm:
; CHECK-NEXT: block-cluster:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()

define void @k(ptr %p) {
  %r = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  store i32 %r, ptr %p
  ret void
}

define void @asm(ptr %p) {
  call void asm sideeffect "barrier.cluster.arrive;", "~{memory}"()
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @asm, !"kernel", i32 1}
