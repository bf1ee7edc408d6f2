; Sums of integers on one address are joined on the way, those of floats are not.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=65536 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: integers
; CHECK: atomics 386.9
; CHECK-LABEL: floats
; 16.8 million at one a cycle of 1.98 GHz.
; CHECK: atomics 8473
define void @integers(ptr addrspace(1) %out) #0 {
  %old = atomicrmw add ptr addrspace(1) %out, i32 1 seq_cst
  ret void
}
define void @floats(ptr addrspace(1) %out) #0 {
  %old = atomicrmw fadd ptr addrspace(1) %out, float 1.0 seq_cst
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @integers, !"kernel", i32 1}
!1 = !{ptr @floats, !"kernel", i32 1}
