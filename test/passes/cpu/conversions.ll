; Conversions to integers saturate, as on devices.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, float %a, double %d, i32 %i, <2 x float> %v) {
; CHECK: call i32 @llvm.fptosi.sat.i32.f32(float %a)
  %plain = fptosi float %a to i32
  store volatile i32 %plain, ptr %out
; No device converts to less than 16 bits.
; CHECK: [[S:%.*]] = call i16 @llvm.fptosi.sat.i16.f32(float %a)
; CHECK: trunc i16 [[S]] to i8
  %signed = fptosi float %a to i8
  store volatile i8 %signed, ptr %out
; CHECK: [[U:%.*]] = call <2 x i16> @llvm.fptoui.sat.v2i16.v2f32(<2 x float> %v)
; CHECK: trunc <2 x i16> [[U]] to <2 x i8>
  %bytes = fptoui <2 x float> %v to <2 x i8>
  store volatile <2 x i8> %bytes, ptr %out
; CHECK: [[N:%.*]] = call float @llvm.rint.f32(float %a)
; CHECK: call i32 @llvm.fptoui.sat.i32.f32(float [[N]])
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
