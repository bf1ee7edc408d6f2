; Cached loads are loads; atomics have system scope; addresses are asked about at
; run time.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %p, ptr addrspace(1) %g, i32 %v) {
; CHECK: load float, ptr addrspace(1) %g, align 4
  %ldg = call float @llvm.nvvm.ldg.global.f.f32.p1(ptr addrspace(1) %g, i32 4)
  store volatile float %ldg, ptr %p
; CHECK: atomicrmw uinc_wrap ptr %p, i32 %v monotonic
  %inc = call i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr %p, i32 %v)
; CHECK: atomicrmw fadd ptr %p, float
  %add = call float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr %p, float %ldg)
; CHECK: cmpxchg ptr %p, i32 1, i32 %v monotonic monotonic
  %cas = call i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr %p, i32 1, i32 %v)
; CHECK: atomicrmw add ptr %p, i32 %v seq_cst, align 4
  %rmw = atomicrmw add ptr %p, i32 %v syncscope("block") seq_cst
; CHECK: [[SPACE:%.*]] = call i32 @__gridspan_cpu_memory_space(ptr %block, ptr %p)
; CHECK: icmp eq i32 [[SPACE]], 1
  %shared = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
; CHECK: call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 {{.*}}, ptr addrspace(1) align 4 %g, i64 16, i1 false)
  %s = addrspacecast ptr %p to ptr addrspace(3)
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
; CHECK-NOT: cp.async
  call void @llvm.nvvm.cp.async.wait.all()
  ret void
}

declare float @llvm.nvvm.ldg.global.f.f32.p1(ptr addrspace(1), i32)
declare i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr, i32)
declare float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr, float)
declare i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr, i32, i32)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.wait.all()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
