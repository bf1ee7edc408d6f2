; Kernels that calculate with floating point have a code for each level above the
; program's own: AVX2, and AVX-512 where it is asked for. What they call has one,
; too; the highest level that the runtime names runs.
; RUN: %opt -passes=gridspan-cpu-lower,gridspan-cpu-wide -gridspan-cpu-trace=false -gridspan-cpu-host-features=+sse2 -S %s -o %t.two
; RUN: FileCheck %s --check-prefix=TWO < %t.two
; RUN: %opt -passes=gridspan-cpu-lower,gridspan-cpu-wide -gridspan-cpu-trace=false -gridspan-cpu-host-features=+sse2 -gridspan-cpu-avx512 -S %s -o %t.three
; RUN: FileCheck %s --check-prefix=THREE < %t.three
; Only what is above the processors of the program; without features, none.
; RUN: %opt -passes=gridspan-cpu-lower,gridspan-cpu-wide -gridspan-cpu-trace=false -gridspan-cpu-host-features=+sse2,+avx2 -gridspan-cpu-avx512 -S %s | FileCheck %s --check-prefix=ABOVE
; RUN: %opt -passes=gridspan-cpu-lower,gridspan-cpu-wide -gridspan-cpu-trace=false -gridspan-cpu-host-features=+avx2,+avx512f -gridspan-cpu-avx512 -S %s | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes=gridspan-cpu-lower,gridspan-cpu-wide -gridspan-cpu-trace=false -gridspan-cpu-avx512 -S %s | FileCheck %s --check-prefix=NONE
; Large code has another only if much of it calculates, or if it calls for fma.
; RUN: %opt -passes=gridspan-cpu-lower,gridspan-cpu-wide -gridspan-cpu-trace=false -gridspan-cpu-host-features=+sse2 -gridspan-cpu-wide-limit=1 -S %s | FileCheck %s --check-prefix=LARGE

target triple = "nvptx64-nvidia-cuda"

; TWO-LABEL: define internal void @__gridspan_cpu.run.sums(
; TWO: [[L:%.*]] = call i32 @__gridspan_cpu_wide()
; TWO: icmp uge i32 [[L]], 1
; TWO: tail call void @__gridspan_cpu.run.sums.avx2(
; TWO: tail call void @__gridspan_cpu.run.sums.base(
; TWO-NOT: avx512
; TWO-NOT: fmul contract

; THREE-LABEL: define internal void @__gridspan_cpu.run.sums(
; THREE: [[L:%.*]] = call i32 @__gridspan_cpu_wide()
; THREE: icmp uge i32 [[L]], 2
; THREE: tail call void @__gridspan_cpu.run.sums.avx512(
; THREE: icmp uge i32 [[L]], 1
; THREE: tail call void @__gridspan_cpu.run.sums.avx2(
; THREE: tail call void @__gridspan_cpu.run.sums.base(
; THREE-DAG: define internal void @__gridspan_cpu.run.sums.avx512({{.*}} [[W512:#[0-9]+]]
; THREE-DAG: define internal void @__gridspan_cpu.run.sums.avx2({{.*}} [[W256:#[0-9]+]]
; THREE-DAG: define internal float @__gridspan_cpu.part.avx512(
; THREE-DAG: attributes [[W512]] = {{.*}}"prefer-vector-width"="512"{{.*}}"target-cpu"="x86-64-v4"
; THREE-DAG: attributes [[W256]] = {{.*}}"target-cpu"="x86-64-v3"
; THREE-NOT: gridspan-wide

; ABOVE-NOT: .avx2
; ABOVE: call void @__gridspan_cpu.run.sums.avx512(
; ABOVE: call void @__gridspan_cpu.run.sums.base(
; ABOVE-NOT: .avx2
; NONE: @__gridspan_cpu.run.sums(
; NONE-NOT: __gridspan_cpu_wide

define float @part(float %x) noinline {
  %p = fmul contract float %x, 3.0
  ret float %p
}

define void @sums(float %a, ptr %x) {
  %v = load float, ptr %x
  %p = call float @part(float %v)
  %s = fadd contract float %p, %a
  store float %s, ptr %x
  ret void
}

; Integers alone would not be faster.
; TWO-NOT: counts.avx2
; THREE-NOT: counts.avx
define void @counts(i32 %a, ptr %x) {
  store i32 %a, ptr %x
  ret void
}

; LARGE-NOT: sums.avx2
; LARGE: call void @__gridspan_cpu.run.exact.avx2(
; LARGE-NOT: sums.avx2
define void @exact(double %a, ptr %x) {
  %p = call double @llvm.fma.f64(double %a, double %a, double 1.0)
  store double %p, ptr %x
  ret void
}
declare double @llvm.fma.f64(double, double, double)

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @sums, !"kernel", i32 1}
!1 = !{ptr @counts, !"kernel", i32 1}
!2 = !{ptr @exact, !"kernel", i32 1}
