; Integer division never traps; a constant divisor needs no guard.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, i32 %a, i32 %b) {
; CHECK: [[ZERO:%.*]] = icmp eq i32 %b, 0
; CHECK: [[MINUS:%.*]] = icmp eq i32 %b, -1
; CHECK: [[LEAST:%.*]] = icmp eq i32 %a, -2147483648
; CHECK: [[OVER:%.*]] = and i1 [[MINUS]], [[LEAST]]
; CHECK: [[TRAPS:%.*]] = or i1 [[ZERO]], [[OVER]]
; CHECK: [[SAFE:%.*]] = select i1 [[TRAPS]], i32 1, i32 %b
; CHECK: sdiv i32 %a, [[SAFE]]
  %q = sdiv i32 %a, %b
  store volatile i32 %q, ptr %out
; CHECK: udiv i32 %a, 7
  %u = udiv i32 %a, 7
  store volatile i32 %u, ptr %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
