; Sums of integers on one address are joined on the way, those of floats are not.
; A line's operations are done in turn, those of different lines side by side.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=65536 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; 524288 warps at 0.685 in a cycle of 1.98 GHz.
; CHECK-LABEL: kernel integers,
; CHECK: atomics 386.6
define void @integers(ptr addrspace(1) %out) #0 {
  %old = atomicrmw add ptr addrspace(1) %out, i32 1 seq_cst
  ret void
}

; 16.8 million lanes at as many.
; CHECK-LABEL: kernel floats,
; CHECK: atomics 1.237e+04
define void @floats(ptr addrspace(1) %out) #0 {
  %old = atomicrmw fadd ptr addrspace(1) %out, float 1.0 seq_cst
  ret void
}

; A double for each 8192 threads: those that are resident together have 34, in
; three or four lines. Each takes twice.
; CHECK-LABEL: kernel rows,
; CHECK: atomics 8247
define void @rows(ptr addrspace(1) %out) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %row = lshr i32 %i, 13
  %index = zext i32 %row to i64
  %p = getelementptr double, ptr addrspace(1) %out, i64 %index
  %old = atomicrmw fadd ptr addrspace(1) %p, double 1.0 seq_cst
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @integers, !"kernel", i32 1}
!1 = !{ptr @floats, !"kernel", i32 1}
!2 = !{ptr @rows, !"kernel", i32 1}
