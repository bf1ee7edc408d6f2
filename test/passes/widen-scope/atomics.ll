; RUN: %opt -passes='gridspan-tile,function(gridspan-widen-scope),verify' -S %s | FileCheck %s
; Atomics on global memory become system-wide in the clone. Those on shared
; memory, those of block scope and the original kernel stay as they are.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global i32 undef, align 4
declare i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)

; CHECK-LABEL: define void @k(
; CHECK-NOT: asm
; CHECK-LABEL: define void @k__gridspan(
define void @k(ptr %p, ptr addrspace(1) %g, i32 %v, double %d, float %f) {
; CHECK: call i32 asm sideeffect "atom.sys.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  %a = atomicrmw add ptr %p, i32 %v seq_cst
; CHECK: [[N:%.*]] = sub i32 0, %v
; CHECK: "atom.sys.add.u32 $0, [$1], $2;", {{.*}}(ptr %p, i32 [[N]])
  %b = atomicrmw sub ptr %p, i32 %v seq_cst
; CHECK: "atom.sys.max.s32
  %c = atomicrmw max ptr %p, i32 %v seq_cst
; CHECK: "atom.sys.min.u32
  %e = atomicrmw umin ptr %p, i32 %v seq_cst
; CHECK: [[DB:%.*]] = bitcast double %d to i64
; CHECK: call i64 asm sideeffect "atom.sys.add.f64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 [[DB]])
  %h = atomicrmw fadd ptr %p, double %d seq_cst
; CHECK: "atom.sys.exch.b32
  %i = atomicrmw xchg ptr %p, float %f seq_cst
; CHECK: [[G:%.*]] = addrspacecast ptr addrspace(1) %g to ptr
; CHECK: "atom.sys.or.b32 $0, [$1], $2;", {{.*}}(ptr [[G]], i32 %v)
  %j = atomicrmw or ptr addrspace(1) %g, i32 %v seq_cst
; CHECK: [[OLD:%.*]] = call i32 asm sideeffect "atom.sys.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r,~{memory}"(ptr %p, i32 1, i32 %v)
; CHECK: icmp eq i32 [[OLD]], 1
  %k = cmpxchg ptr %p, i32 1, i32 %v seq_cst seq_cst
; CHECK: "atom.sys.inc.u32
  %l = call i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr %p, i32 %v)
; CHECK: call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %p, i32 %v)
  %m = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %p, i32 %v)
; CHECK: atomicrmw add ptr addrspace(3) @shared, i32 %v seq_cst
  %n = atomicrmw add ptr addrspace(3) @shared, i32 %v seq_cst
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
