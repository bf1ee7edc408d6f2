; RUN: %opt -passes=gridspan-tile,verify -S %s | FileCheck %s
; The reads of the grid's size go, also when one is the kernel's first instruction.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()

; CHECK-LABEL: define void @k__gridspan(
; CHECK-NOT: nctaid
; CHECK: add i32 %grid.x, %grid.y
define void @k(ptr %p) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %s = add i32 %x, %y
  store i32 %s, ptr %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
