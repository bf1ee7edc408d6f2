; The hardware adds integers in shared memory. For floats ptxas makes a loop in
; which one lane of the block after the other has its turn, and all others try.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@count = internal addrspace(3) global i32 undef, align 4
@sum = internal addrspace(3) global float undef, align 4
@sums = internal addrspace(3) global [256 x float] undef, align 4

; CHECK-LABEL: kernel integers,
; CHECK: latency 0.2013
define ptx_kernel void @integers() #0 {
  %old = atomicrmw add ptr addrspace(3) @count, i32 1 seq_cst
  ret void
}

; 256 turns of 77 cycles at 1.98 GHz are 9.9 us.
; CHECK-LABEL: kernel floats,
; CHECK: latency 10.12
define ptx_kernel void @floats() #0 {
  %old = atomicrmw fadd ptr addrspace(3) @sum, float 1.0 seq_cst
  ret void
}

; Lanes and warps that have addresses of their own do not wait.
; CHECK-LABEL: kernel apart,
; CHECK: latency 0.2491
define ptx_kernel void @apart() #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @sums, i32 %tid
  %old = atomicrmw fadd ptr addrspace(3) %p, float 1.0 seq_cst
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
