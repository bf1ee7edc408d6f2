; Attributes of nvcc that the header annotates become annotations of the back end,
; before which the kernel moves to a new function. Annotations of others stay.
; Host modules are left alone.
; RUN: split-file %s %t
; RUN: %opt -passes=gridspan-kernel-attributes -S %t/device.ll | FileCheck %s
; RUN: %opt -passes=gridspan-kernel-attributes -S %t/host.ll \
; RUN:   | FileCheck --check-prefix=HOST %s
; RUN: llc -mcpu=sm_90 -mattr=+ptx80 < %t/device.ll | FileCheck --check-prefix=IGNORED %s
; RUN: %opt -passes='gridspan-kernel-attributes' -S %t/device.ll \
; RUN:   | llc -mcpu=sm_90 -mattr=+ptx80 | FileCheck --check-prefix=PTX %s

; CHECK: @llvm.global.annotations = appending global [1 x
; CHECK-SAME: ptr @other
; CHECK: @used = global ptr @few
; CHECK: define weak_odr void @few(i32 %n) comdat {
; CHECK: define void @constant(ptr byval(%desc) align 4 %d, ptr %p, i32 %n) #0 {
; CHECK-NEXT: %slot = alloca i32
; CHECK-NEXT: store i32 %n, ptr %slot
; CHECK-NEXT: call void @other(ptr %d, ptr %p)
; CHECK-NEXT: ret void
; CHECK: attributes #0 = { nounwind }
; CHECK: !nvvm.annotations = !{![[K0:[0-9]+]], ![[K1:[0-9]+]], ![[REGS:[0-9]+]], ![[CONST:[0-9]+]]}
; CHECK-DAG: ![[K0]] = !{ptr @few, !"kernel", i32 1}
; CHECK-DAG: ![[K1]] = !{ptr @constant, !"kernel", i32 1}
; CHECK-DAG: ![[REGS]] = !{ptr @few, !"maxnreg", i32 40}
; CHECK-DAG: ![[CONST]] = !{ptr @constant, !"grid_constant", ![[PLACE:[0-9]+]]}
; CHECK-DAG: ![[PLACE]] = !{i32 1}

; HOST: @llvm.global.annotations = appending global [1 x
; HOST-SAME: ptr @few

; Without the pass the kernel works on a copy of the parameter.
; IGNORED-NOT: .maxnreg
; IGNORED-NOT: cvta.param
; PTX-LABEL: .entry few(
; PTX: .maxnreg 40
; PTX-LABEL: .entry constant(
; PTX: mov.b64 [[PARAM:%rd[0-9]+]], constant_param_0;
; PTX: cvta.param.u64

;--- device.ll
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%desc = type { [8 x i32] }
@regs = private constant [17 x i8] c"gridspan.maxnreg\00", section "llvm.metadata"
@const = private constant [23 x i8] c"gridspan.grid_constant\00", section "llvm.metadata"
@mine = private constant [5 x i8] c"mine\00", section "llvm.metadata"
@file = private constant [5 x i8] c"a.cu\00", section "llvm.metadata"
@args = private constant { i32 } { i32 40 }, section "llvm.metadata"
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @few, ptr @regs, ptr @file, i32 1, ptr @args }, { ptr, ptr, ptr, i32, ptr } { ptr @other, ptr @mine, ptr @file, i32 2, ptr null }], section "llvm.metadata"
@used = global ptr @few
$few = comdat any

define weak_odr void @few(i32 %n) comdat {
  ret void
}

define void @constant(ptr byval(%desc) align 4 %d, ptr %p, i32 %n) nounwind {
  %slot = alloca i32
  call void @llvm.var.annotation.p0.p0(ptr %d, ptr @const, ptr @file, i32 3, ptr null)
  call void @llvm.var.annotation.p0.p0(ptr %slot, ptr @const, ptr @file, i32 3, ptr null)
  store i32 %n, ptr %slot
  call void @other(ptr %d, ptr %p)
  ret void
}

declare void @other(ptr, ptr)
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @few, !"kernel", i32 1}
!1 = !{ptr @constant, !"kernel", i32 1}

;--- host.ll
target triple = "x86_64-pc-linux-gnu"
@regs = private constant [17 x i8] c"gridspan.maxnreg\00", section "llvm.metadata"
@file = private constant [5 x i8] c"a.cu\00", section "llvm.metadata"
@args = private constant { i32 } { i32 40 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @few, ptr @regs, ptr @file, i32 1, ptr @args }], section "llvm.metadata"
define void @few(i32 %n) {
  ret void
}
