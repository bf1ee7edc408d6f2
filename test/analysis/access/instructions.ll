; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Everything that touches memory: atomics, exchanges, cached loads, vectors, block copies.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write atomic
; CHECK-NEXT: atomic 4 bytes at 0 (exact) [site 0]
; CHECK-NEXT: atomic 8 bytes at 0 (exact) [site 1]
; CHECK-NEXT: atomic 4 bytes at 0 (exact) [site 2]
; CHECK-NEXT: write 64 bytes at 0 (exact) [site 5]
; CHECK-NEXT: write arg2 bytes at 0 (exact) [site 6]
; CHECK-NEXT: write arg2 bytes at 0 (exact) [site 7]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 16 bytes at 0 (exact) [site 3]
; CHECK-NEXT: read 16 bytes at 0 (exact) [site 4]
; CHECK-NEXT: read 64 bytes at 0 (exact) [site 5]
; CHECK-NEXT: read arg2 bytes at 0 (exact) [site 6]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, ptr %q, i64 %n) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %x = cmpxchg ptr %p, i64 0, i64 1 seq_cst seq_cst
  %f = call float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr %p, float 1.0)
  %g = addrspacecast ptr %q to ptr addrspace(1)
  %l = call <4 x float> @llvm.nvvm.ldg.global.f.v4f32.p1(ptr addrspace(1) %g, i32 16)
  %v = load <2 x double>, ptr %q
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 64, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 0, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  call void @llvm.nvvm.barrier0()
  ret void
}

declare float @llvm.nvvm.atomic.add.gen.f.sys.f32.p0(ptr, float)
declare <4 x float> @llvm.nvvm.ldg.global.f.v4f32.p1(ptr addrspace(1), i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.nvvm.barrier0()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
