; Where the bytes come from: neighbours find each other's sectors in L1, a table
; that all blocks read stays there, and what one warp strides over does not.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=256 \
; RUN:   -gridspan-grid=8192 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel neighbours,
; CHECK: moved: L1 2.936e+07, L2 read 8.651e+06 written 8.389e+06,
define ptx_kernel void @neighbours(ptr %a, ptr %b) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %u = load float, ptr %p, align 4
  %p1 = getelementptr float, ptr %p, i64 1
  %v = load float, ptr %p1, align 4
  %p2 = getelementptr float, ptr %p, i64 2
  %w = load float, ptr %p2, align 4
  %x = fadd float %u, %v
  %y = fadd float %x, %w
  %q = getelementptr float, ptr %b, i64 %wide
  store float %y, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel table,
; CHECK: moved: L1 8.389e+06, L2 read 0 written 8.389e+06,
define ptx_kernel void @table(ptr %a, ptr %b) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %at = and i64 %wide, 1023
  %p = getelementptr float, ptr %a, i64 %at
  %u = load float, ptr %p, align 4
  %q = getelementptr float, ptr %b, i64 %wide
  store float %u, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel strided,
; CHECK: moved: L1 6.711e+07, L2 read 6.711e+07 written 8.389e+06, memory read 6.711e+07
define ptx_kernel void @strided(ptr %a, ptr %b) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %at = mul i64 %wide, 8
  %p = getelementptr float, ptr %a, i64 %at
  %u = load float, ptr %p, align 4
  %q = getelementptr float, ptr %b, i64 %wide
  store float %u, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
