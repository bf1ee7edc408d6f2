; Functions of the C++ ABI that a device has no library for are defined. Host
; modules are left alone.
; RUN: split-file %s %t
; RUN: %opt -passes=gridspan-pure-virtuals -S %t/device.ll | FileCheck %s
; RUN: %opt -passes=gridspan-pure-virtuals -S %t/host.ll \
; RUN:   | FileCheck --check-prefix=HOST %s

; CHECK: @table = internal constant [2 x ptr] [ptr @__cxa_pure_virtual, ptr @__cxa_deleted_virtual]
; CHECK: define internal void @__cxa_pure_virtual() {
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @llvm.trap()
; CHECK-NEXT: unreachable
; CHECK: define internal void @__cxa_deleted_virtual() {
; HOST: declare void @__cxa_pure_virtual()

;--- device.ll
target triple = "nvptx64-nvidia-cuda"
@table = internal constant [2 x ptr] [ptr @__cxa_pure_virtual, ptr @__cxa_deleted_virtual]
declare void @__cxa_pure_virtual()
declare void @__cxa_deleted_virtual()

;--- host.ll
target triple = "x86_64-pc-linux-gnu"
@table = internal constant [1 x ptr] [ptr @__cxa_pure_virtual]
declare void @__cxa_pure_virtual()
