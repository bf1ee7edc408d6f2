; Loads of members become reads of registers; what is copied, or bound to a
; reference, is a copy on the stack.
; RUN: %opt -passes=gridspan-builtin-variables -S %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.uint3 = type { i32, i32, i32 }
%struct.dim3 = type { i32, i32, i32 }
@threadIdx = extern_weak addrspace(1) constant %struct.uint3
@blockDim = extern_weak addrspace(1) constant %struct.dim3
@gridDim = addrspace(1) constant i32 4

; CHECK-NOT: @threadIdx
; CHECK-NOT: @blockDim
; A program's own variable stays.
; CHECK: @gridDim

; CHECK-LABEL: define i32 @members(
; CHECK-NOT: alloca
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
define i32 @members() {
  %x = load i32, ptr addrspacecast (ptr addrspace(1) @threadIdx to ptr)
  %z = load i32, ptr getelementptr inbounds (%struct.dim3, ptr addrspacecast (ptr addrspace(1) @blockDim to ptr), i32 0, i32 2)
  %sum = add i32 %x, %z
  ret i32 %sum
}

; CHECK-LABEL: define void @passed(
; CHECK: %[[COPY:.*]] = alloca %struct.uint3
; CHECK: %[[Y:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK: store i32 %[[Y]]
; CHECK: call void @use(ptr %[[COPY]])
define void @passed(i1 %c, ptr %other) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi ptr [ %other, %0 ], [ addrspacecast (ptr addrspace(1) @threadIdx to ptr), %a ]
  call void @use(ptr %p)
  call void @use(ptr addrspacecast (ptr addrspace(1) @threadIdx to ptr))
  ret void
}
declare void @use(ptr)
