; Conversions to integers saturate, as on devices, in operations that vectors have.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, float %a, double %d, i32 %i, <2 x float> %v) {
; CHECK: [[LEAST:%.*]] = fcmp ogt float %a, 0xC1E0000000000000
; CHECK: [[ABOVE:%.*]] = select i1 [[LEAST]], float %a, float 0xC1E0000000000000
; CHECK: [[LARGE:%.*]] = fcmp oge float [[ABOVE]], 0x41E0000000000000
; CHECK: [[LOW:%.*]] = select i1 [[LARGE]], float 0.000000e+00, float [[ABOVE]]
; CHECK: [[INT:%.*]] = fptosi float [[LOW]] to i32
; CHECK: [[MOST:%.*]] = select i1 [[LARGE]], i32 2147483647, i32 [[INT]]
; CHECK: [[NAN:%.*]] = fcmp uno float %a, %a
; CHECK: select i1 [[NAN]], i32 0, i32 [[MOST]]
  %plain = fptosi float %a to i32
  store volatile i32 %plain, ptr %out
; No device converts to less than 16 bits.
; CHECK: [[MOST:%.*]] = select i1 {{.*}}, float {{.*}}, float 3.276700e+04
; CHECK: fptosi float [[MOST]] to i32
; CHECK: [[S:%.*]] = trunc i32 {{.*}} to i16
; CHECK: trunc i16 [[S]] to i8
  %signed = fptosi float %a to i8
  store volatile i8 %signed, ptr %out
; CHECK: fcmp ogt <2 x float> %v, zeroinitializer
; CHECK: [[U:%.*]] = trunc <2 x i32> {{.*}} to <2 x i16>
; CHECK: trunc <2 x i16> [[U]] to <2 x i8>
  %bytes = fptoui <2 x float> %v to <2 x i8>
  store volatile <2 x i8> %bytes, ptr %out
; CHECK: [[N:%.*]] = call float @llvm.rint.f32(float %a)
; CHECK: fcmp ogt float [[N]], 0.000000e+00
; CHECK: fptoui float {{.*}} to i32
; CHECK: select i1 {{.*}}, i32 -1, i32
  %near = call i32 @llvm.nvvm.f2ui.rn(float %a)
  store volatile i32 %near, ptr %out
; CHECK: [[F:%.*]] = call double @llvm.floor.f64(double %d)
; CHECK: call i64 @llvm.fptosi.sat.i64.f64(double [[F]])
  %floor = call i64 @llvm.nvvm.d2ll.rm(double %d)
  store volatile i64 %floor, ptr %out
; CHECK: [[W:%.*]] = sext i32 %i to i64
; CHECK: call float @__gridspan_cpu_s64_to_f32(i64 [[W]], i32 2)
  %down = call float @llvm.nvvm.i2f.rm(i32 %i)
  store volatile float %down, ptr %out
; CHECK: call float @__gridspan_cpu_f64_to_f32(double %d, i32 1)
  %cut = call float @llvm.nvvm.d2f.rz(double %d)
  store volatile float %cut, ptr %out
; CHECK: fptrunc float %a to half
  %half = call i16 @llvm.nvvm.f2h.rn(float %a)
  store volatile i16 %half, ptr %out
; CHECK: [[BITS:%.*]] = bitcast double %d to i64
; CHECK: lshr i64 [[BITS]], 32
  %hi = call i32 @llvm.nvvm.d2i.hi(double %d)
  store volatile i32 %hi, ptr %out
  ret void
}

declare i32 @llvm.nvvm.f2ui.rn(float)
declare i64 @llvm.nvvm.d2ll.rm(double)
declare float @llvm.nvvm.i2f.rm(i32)
declare float @llvm.nvvm.d2f.rz(double)
declare i16 @llvm.nvvm.f2h.rn(float)
declare i32 @llvm.nvvm.d2i.hi(double)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
