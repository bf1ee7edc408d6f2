; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Shared and local memory, constants and variables of the module are nobody's parameter.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: not accessed

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global i32 undef
@constant = addrspace(4) global i32 1
@variable = addrspace(1) global i32 1

define void @k(ptr addrspace(5) %l) {
  %s = addrspacecast ptr addrspace(3) @shared to ptr
  store i32 1, ptr %s
  %own = alloca i32
  store i32 2, ptr %own
  store i32 3, ptr addrspace(5) %l
  %c = load i32, ptr addrspace(4) @constant
  %g = addrspacecast ptr addrspace(1) @variable to ptr
  %v = load i32, ptr %g
  ret void
}


!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
