; RUN: %opt -passes=gridspan-tile -S %s | FileCheck %s
; RUN: %opt -passes=gridspan-tile,gridspan-tile -S %s | FileCheck %s --check-prefix=TWICE
; The clone adds the tile's origin to the block index and takes the grid from the
; tile; the original is untouched; launch bounds are copied; a second run of the
; pass adds nothing.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: define void @k(ptr %p)
; CHECK-NOT: tile
; CHECK: ret void
define void @k(ptr %p) memory(argmem: write) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add i32 %x, %y
  %b = add i32 %a, %g
  %c = add i32 %b, %t
  store i32 %c, ptr %p
  ret void
}

; CHECK-LABEL: define void @refused(
define void @refused(ptr %f) {
  call void %f()
  ret void
}

; CHECK-LABEL: define void @k__gridspan(
; CHECK-SAME: ptr %p, ptr noundef byval({ [3 x i32], [3 x i32] }) align 4 %tile)
; CHECK-NOT: memory
; CHECK-DAG: [[OX:%origin.x]] = load i32
; CHECK-DAG: [[OY:%origin.y]] = load i32
; CHECK-DAG: [[GZ:%grid.z]] = load i32
; CHECK: [[X:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-NEXT: [[TX:%.*]] = add i32 [[X]], [[OX]]
; CHECK: [[Y:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
; CHECK-NEXT: [[TY:%.*]] = add i32 [[Y]], [[OY]]
; CHECK-NOT: nctaid
; CHECK: [[A:%.*]] = add i32 [[TX]], [[TY]]
; CHECK-NEXT: add i32 [[A]], [[GZ]]
; CHECK-NOT: refused__gridspan

; CHECK-DAG: !{ptr @k, !"kernel", i32 1}
; CHECK-DAG: !{ptr @k, !"maxntidx", i32 128}
; CHECK-DAG: !{ptr @k__gridspan, !"kernel", i32 1}
; CHECK-DAG: !{ptr @k__gridspan, !"maxntidx", i32 128}

; TWICE: define void @k__gridspan(
; TWICE-NOT: define {{.*}}__gridspan

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"maxntidx", i32 128}
!2 = !{ptr @refused, !"kernel", i32 1}
