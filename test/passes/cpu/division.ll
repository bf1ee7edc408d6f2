; Integer division never traps; a constant divisor needs no guard. Numbers of up
; to 32 bits are divided as doubles. Others are calls that may be speculated: LLVM
; 19 takes the address of a store that is the same for all lanes of a vector from
; lane 0, where a division under a condition may not have been computed.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, i32 %a, i32 %b, i64 %c) {
; CHECK: [[ZERO:%.*]] = icmp eq i32 %b, 0
; CHECK: [[MINUS:%.*]] = icmp eq i32 %b, -1
; CHECK: [[LEAST:%.*]] = icmp eq i32 %a, -2147483648
; CHECK: [[OVER:%.*]] = and i1 [[MINUS]], [[LEAST]]
; CHECK: [[TRAPS:%.*]] = or i1 [[ZERO]], [[OVER]]
; CHECK: [[SAFE:%.*]] = select i1 [[TRAPS]], i32 1, i32 %b
; CHECK: [[L:%.*]] = sitofp i32 %a to double
; CHECK: [[R:%.*]] = sitofp i32 [[SAFE]] to double
; CHECK: [[EXACT:%.*]] = fdiv double [[L]], [[R]]
; CHECK: [[QUOTIENT:%.*]] = fptosi double [[EXACT]] to i32
; CHECK: store volatile i32 [[QUOTIENT]]
  %q = sdiv i32 %a, %b
  store volatile i32 %q, ptr %out
; CHECK: [[ZERO:%.*]] = icmp eq i32 %b, 0
; CHECK: [[SAFE:%.*]] = select i1 [[ZERO]], i32 1, i32 %b
; CHECK: [[L:%.*]] = uitofp i32 %a to double
; CHECK: [[R:%.*]] = uitofp i32 [[SAFE]] to double
; CHECK: [[EXACT:%.*]] = fdiv double [[L]], [[R]]
; CHECK: [[QUOTIENT:%.*]] = fptoui double [[EXACT]] to i32
; CHECK: [[BACK:%.*]] = mul i32 [[QUOTIENT]], [[SAFE]]
; CHECK: [[REST:%.*]] = sub i32 %a, [[BACK]]
; CHECK: store volatile i32 [[REST]]
  %m = urem i32 %a, %b
  store volatile i32 %m, ptr %out
; CHECK: udiv i32 %a, 7
  %u = udiv i32 %a, 7
  store volatile i32 %u, ptr %out
; CHECK: call i64 @__gridspan_cpu.urem.i64(i64 %c, i64 0)
  %r = urem i64 %c, 0
  store volatile i64 %r, ptr %out
  ret void
}

; CHECK: define internal i64 @__gridspan_cpu.urem.i64(i64 %0, i64 %1) #[[ATTRIBUTES:[0-9]+]]
; CHECK: [[ZERO64:%.*]] = icmp eq i64 %1, 0
; CHECK: [[SAFE64:%.*]] = select i1 [[ZERO64]], i64 1, i64 %1
; CHECK: urem i64 %0, [[SAFE64]]
; CHECK: attributes #[[ATTRIBUTES]] = { {{.*}}noinline{{.*}}speculatable{{.*}}memory(none)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
