; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; An ordinary kernel: shared memory, barriers, warp operations, printf, clock
; and atomics on global memory are no obstacle.

; CHECK: kernel k: may be split

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x i32] undef, align 4
@text = private unnamed_addr constant [3 x i8] c"x\0A\00", align 1
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @vprintf(ptr, ptr)

define void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = getelementptr [32 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %s
  call void @llvm.nvvm.barrier0()
  %c = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %t, i32 1, i32 31)
  %o = atomicrmw add ptr %p, i32 %v seq_cst
  %r = call i32 @vprintf(ptr @text, ptr null)
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
