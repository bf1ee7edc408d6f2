; Rounding to nearest is the host's; other roundings are calls; .ftz flushes by
; hand; approximations are exact.
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
; CHECK: call float @llvm.exp2.f32(
  %ex2 = call float @llvm.nvvm.ex2.approx.ftz.f(float %a)
  store volatile float %ex2, ptr %out
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
  ret void
}

declare float @llvm.nvvm.add.rn.f(float, float)
declare float @llvm.nvvm.mul.rp.f(float, float)
declare double @llvm.nvvm.sqrt.rz.d(double)
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.fmin.f(float, float)
declare float @llvm.nvvm.saturate.f(float)
declare i32 @llvm.nvvm.mulhi.i(i32, i32)
declare i32 @llvm.nvvm.prmt(i32, i32, i32)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
