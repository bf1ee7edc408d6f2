; Rounding to nearest is the host's; other roundings are calls, but for sums of
; floats, which are computed with doubles; .ftz flushes by hand; approximations
; are exact, or nearly so.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, float %a, float %b, double %d, i32 %i, i32 %j) {
; CHECK: [[ADD:%.*]] = fadd float %a, %b
; CHECK: store volatile float [[ADD]]
  %add = call float @llvm.nvvm.add.rn.f(float %a, float %b)
  store volatile float %add, ptr %out
; CHECK: call float @__gridspan_cpu_mul_f32(float %a, float %b, i32 3)
  %mul = call float @llvm.nvvm.mul.rp.f(float %a, float %b)
  store volatile float %mul, ptr %out
; CHECK: call double @__gridspan_cpu_sqrt_f64(double %d, i32 1)
  %sqrt = call double @llvm.nvvm.sqrt.rz.d(double %d)
  store volatile double %sqrt, ptr %out
; CHECK: call float @llvm.fma.f32(float %a, float %b, float %a)
  %fma = call float @llvm.nvvm.fma.rn.f(float %a, float %b, float %a)
  store volatile float %fma, ptr %out
; CHECK: [[ABS:%.*]] = call float @llvm.fabs.f32(float %a)
; CHECK: fcmp olt float [[ABS]], 0x3810000000000000
; CHECK: fdiv double
; CHECK-NOT: @llvm.log2
; CHECK: store volatile float
  %lg2 = call float @llvm.nvvm.lg2.approx.ftz.f(float %a)
  store volatile float %lg2, ptr %out
; CHECK: [[WIDE:%.*]] = fpext float %a to double
; CHECK: [[SHIFTED:%.*]] = fadd double [[WIDE]], 0x4338000000000000
; CHECK: [[BITS:%.*]] = bitcast double [[SHIFTED]] to i64
; CHECK: shl i64 [[BITS]], 52
; CHECK: [[SMALL:%.*]] = fcmp olt float %a, -1.260000e+02
; CHECK: select i1 [[SMALL]], float 0.000000e+00
; CHECK: [[LARGE:%.*]] = fcmp oge float %a, 1.280000e+02
; CHECK: [[EX2:%.*]] = select i1 [[LARGE]], float 0x7FF0000000000000
; CHECK: store volatile float [[EX2]]
  %ex2 = call float @llvm.nvvm.ex2.approx.ftz.f(float %a)
  store volatile float %ex2, ptr %out
; CHECK: fmul double {{.*}}, 0x3FE45F306DC9C883
; CHECK-NOT: @llvm.sin
; CHECK: xor i64
; CHECK: store volatile float
  %sin = call float @llvm.nvvm.sin.approx.f(float %b)
  store volatile float %sin, ptr %out
; CHECK: call float @llvm.minnum.f32(float %a, float %b)
  %min = call float @llvm.nvvm.fmin.f(float %a, float %b)
  store volatile float %min, ptr %out
; CHECK: [[P:%.*]] = call float @llvm.maxnum.f32(float %a, float 0.000000e+00)
; CHECK: call float @llvm.minnum.f32(float [[P]], float 1.000000e+00)
  %sat = call float @llvm.nvvm.saturate.f(float %a)
  store volatile float %sat, ptr %out
; CHECK: mul i64
; CHECK: lshr i64 {{.*}}, 32
  %high = call i32 @llvm.nvvm.mulhi.i(i32 %i, i32 %j)
  store volatile i32 %high, ptr %out
; CHECK: call i32 @__gridspan_cpu_prmt(i32 %i, i32 %j, i32 291)
  %prmt = call i32 @llvm.nvvm.prmt(i32 %i, i32 %j, i32 291)
  store volatile i32 %prmt, ptr %out
; The product is exact, and the error of the sum is a double.
; CHECK: [[PRODUCT:%.*]] = fmul double
; CHECK: [[SUM:%.*]] = fadd double [[PRODUCT]]
; CHECK: [[NEAREST:%.*]] = fptrunc double [[SUM]] to float
; CHECK: [[BACK:%.*]] = fpext float [[NEAREST]] to double
; CHECK: fsub double [[SUM]], [[BACK]]
; CHECK-NOT: __gridspan_cpu_fma_f32
; CHECK: store volatile float
  %down = call float @llvm.nvvm.fma.rm.ftz.f(float %a, float %b, float %a)
  store volatile float %down, ptr %out
; The integer part in CUDA's expf.
; CHECK: call float @llvm.minnum.f32(
; CHECK: [[SCALED:%.*]] = fmul double {{.*}}, 2.520000e+02
; CHECK: [[PART:%.*]] = fptosi double [[SCALED]] to i32
; CHECK: [[INTEGER:%.*]] = add i32 [[PART]], 1262485505
; CHECK: [[FLOAT:%.*]] = bitcast i32 [[INTEGER]] to float
  %unit = call float @llvm.nvvm.saturate.ftz.f(float %a)
  %part = call float @llvm.nvvm.fma.rm.ftz.f(float %unit, float 252.0, float 12582913.0)
  store volatile float %part, ptr %out
  ret void
}

declare float @llvm.nvvm.add.rn.f(float, float)
declare float @llvm.nvvm.mul.rp.f(float, float)
declare double @llvm.nvvm.sqrt.rz.d(double)
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.fma.rm.ftz.f(float, float, float)
declare float @llvm.nvvm.saturate.ftz.f(float)
declare float @llvm.nvvm.lg2.approx.ftz.f(float)
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.fmin.f(float, float)
declare float @llvm.nvvm.saturate.f(float)
declare i32 @llvm.nvvm.mulhi.i(i32, i32)
declare i32 @llvm.nvvm.prmt(i32, i32, i32)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
