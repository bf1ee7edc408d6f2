; The header's functions pass the mask where the intrinsic wants the value; others
; are left alone.
; RUN: %opt -passes=gridspan-redux-order -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define {{.*}}@_ZL17__reduce_add_syncjj
; CHECK: call i32 @llvm.nvvm.redux.sync.add(i32 %value, i32 %mask)
define internal i32 @_ZL17__reduce_add_syncjj(i32 %mask, i32 %value) {
  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %mask, i32 %value)
  ret i32 %r
}

; At -O0.
; CHECK-LABEL: define {{.*}}@_ZL17__reduce_max_syncji
; CHECK: call i32 @llvm.nvvm.redux.sync.max(i32 %v, i32 %m)
define internal i32 @_ZL17__reduce_max_syncji(i32 %mask, i32 %value) {
  %ms = alloca i32
  %vs = alloca i32
  store i32 %mask, ptr %ms
  store i32 %value, ptr %vs
  %m = load i32, ptr %ms
  %v = load i32, ptr %vs
  %r = call i32 @llvm.nvvm.redux.sync.max(i32 %m, i32 %v)
  ret i32 %r
}

; A header that has it right.
; CHECK-LABEL: define {{.*}}@_ZL17__reduce_min_syncjj
; CHECK: call i32 @llvm.nvvm.redux.sync.min(i32 %value, i32 %mask)
define internal i32 @_ZL17__reduce_min_syncjj(i32 %mask, i32 %value) {
  %r = call i32 @llvm.nvvm.redux.sync.min(i32 %value, i32 %mask)
  ret i32 %r
}

; The user's own function.
; CHECK-LABEL: define {{.*}}@_Z3ownjj
; CHECK: call i32 @llvm.nvvm.redux.sync.add(i32 %mask, i32 %value)
define i32 @_Z3ownjj(i32 %mask, i32 %value) {
  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %mask, i32 %value)
  ret i32 %r
}

declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.redux.sync.min(i32, i32)
declare i32 @llvm.nvvm.redux.sync.max(i32, i32)
