; Shared variables are offsets in the block's memory. A kernel has room for those
; that it reaches, also through functions; variables that no kernel reaches both
; of may overlap.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@own = internal addrspace(3) global [10 x i32] undef, align 4
@other = internal addrspace(3) global [100 x i8] undef, align 1
@common = internal addrspace(3) global double undef, align 8
@shared_by_l_m = internal addrspace(3) global [6 x i32] undef, align 4
@big = internal addrspace(3) global [1000 x i32] undef, align 4
@dynamic = external addrspace(3) global [0 x float], align 16

; Static sizes are multiples of 16: 48 = 8 + 40, 128 = 24 + 100, 4032 = 24 + 4000.
; CHECK: @k.cpu = {{.*}} ptr null, i64 48, i32 0, i32 0 }
; CHECK: @l.cpu = {{.*}} ptr null, i64 128, i32 0, i32 0 }
; CHECK: @m.cpu = {{.*}} ptr null, i64 4032, i32 0, i32 0 }

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(i64 %i) {
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 8
  %p = getelementptr [10 x i32], ptr addrspacecast (ptr addrspace(3) @own to ptr), i64 0, i64 %i
  store i32 1, ptr %p
  call void @f()
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.f(
define void @f() noinline {
; CHECK: [[S:%.*]] = load ptr, ptr %{{.*}}, align 8, !invariant.load
; CHECK: [[A:%.*]] = getelementptr inbounds i8, ptr [[S]], i64 0
; CHECK: addrspacecast ptr [[A]] to ptr addrspace(3)
  store double 1.0, ptr addrspace(3) @common
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.l(
define void @l(i64 %i) {
; CHECK-DAG: getelementptr inbounds i8, ptr %block, i64 8
; CHECK-DAG: getelementptr inbounds i8, ptr %{{.*}}, i64 24
  %p = getelementptr [100 x i8], ptr addrspace(3) @other, i64 0, i64 %i
  store i8 1, ptr addrspace(3) %p
  store float 1.0, ptr addrspace(3) @dynamic
  call void @g()
  ret void
}

; What two kernels reach lies at one place for both.
; CHECK-LABEL: define internal void @__gridspan_cpu.g(
define void @g() noinline {
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 0
  store i32 1, ptr addrspace(3) @shared_by_l_m
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.h(
define void @h() noinline {
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 24
  store i32 1, ptr addrspace(3) @big
  ret void
}

define void @m() {
  call void @g()
  call void @h()
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @l, !"kernel", i32 1}
!2 = !{ptr @m, !"kernel", i32 1}
