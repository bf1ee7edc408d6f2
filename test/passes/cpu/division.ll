; Integer division never traps; a constant divisor needs no guard. Others are
; calls that may be speculated: LLVM 19 takes the address of a store that is the
; same for all lanes of a vector from lane 0, where a division under a condition
; may not have been computed.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, i32 %a, i32 %b, i64 %c) {
; CHECK: call i32 @__gridspan_cpu.sdiv.i32(i32 %a, i32 %b)
  %q = sdiv i32 %a, %b
  store volatile i32 %q, ptr %out
; CHECK: udiv i32 %a, 7
  %u = udiv i32 %a, 7
  store volatile i32 %u, ptr %out
; CHECK: call i64 @__gridspan_cpu.urem.i64(i64 %c, i64 0)
  %r = urem i64 %c, 0
  store volatile i64 %r, ptr %out
  ret void
}

; CHECK: define internal i32 @__gridspan_cpu.sdiv.i32(i32 %0, i32 %1) #[[ATTRIBUTES:[0-9]+]]
; CHECK: [[ZERO:%.*]] = icmp eq i32 %1, 0
; CHECK: [[MINUS:%.*]] = icmp eq i32 %1, -1
; CHECK: [[LEAST:%.*]] = icmp eq i32 %0, -2147483648
; CHECK: [[OVER:%.*]] = and i1 [[MINUS]], [[LEAST]]
; CHECK: [[TRAPS:%.*]] = or i1 [[ZERO]], [[OVER]]
; CHECK: [[SAFE:%.*]] = select i1 [[TRAPS]], i32 1, i32 %1
; CHECK: sdiv i32 %0, [[SAFE]]
; CHECK: define internal i64 @__gridspan_cpu.urem.i64(
; CHECK: [[ZERO64:%.*]] = icmp eq i64 %1, 0
; CHECK: [[SAFE64:%.*]] = select i1 [[ZERO64]], i64 1, i64 %1
; CHECK: urem i64 %0, [[SAFE64]]
; CHECK: attributes #[[ATTRIBUTES]] = { {{.*}}noinline{{.*}}speculatable{{.*}}memory(none)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
