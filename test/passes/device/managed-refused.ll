; Addresses in and of the initializers of __managed__ variables are errors.
;
; RUN: split-file %s %t
; RUN: not %opt -passes=gridspan-managed -S %t/in.ll -o /dev/null 2>&1 | FileCheck --check-prefix=IN %s
; RUN: not %opt -passes=gridspan-managed -S %t/of.ll -o /dev/null 2>&1 | FileCheck --check-prefix=OF %s
; IN: the __managed__ variable p: its initializer has an address
; OF: the __managed__ variable p: its address is in the initializer of another variable

;--- in.ll
target triple = "nvptx64-nvidia-cuda"
@text = private constant [17 x i8] c"gridspan.managed\00", section "llvm.metadata"
@other = addrspace(1) global i32 0
@p = addrspace(1) externally_initialized global ptr addrspacecast (ptr addrspace(1) @other to ptr)
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @p to ptr), ptr @text, ptr @text, i32 1, ptr null }], section "llvm.metadata"

;--- of.ll
target triple = "nvptx64-nvidia-cuda"
@text = private constant [17 x i8] c"gridspan.managed\00", section "llvm.metadata"
@p = addrspace(1) externally_initialized global i32 1
@other = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @p to ptr)
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @p to ptr), ptr @text, ptr @text, i32 1, ptr null }], section "llvm.metadata"
