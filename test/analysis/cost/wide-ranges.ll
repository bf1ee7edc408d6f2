; Ranges of masked indices are far wider than what a wave touches. No more passes
; to and from memory than is asked for: 134 million bytes each.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=32768 -gridspan-param=1=4194304 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: memory read 1.342e+08 written 1.342e+08
define ptx_kernel void @radix4(ptr %a, i32 %stride) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %pos = add i32 %first, %thread
  %mask = sub i32 %stride, 1
  %lo = and i32 %pos, %mask
  %high = sub i32 %pos, %lo
  %base = shl i32 %high, 2
  %i0 = add i32 %base, %lo
  %i1 = add i32 %i0, %stride
  %i2 = add i32 %i1, %stride
  %i3 = add i32 %i2, %stride
  %p0 = getelementptr float, ptr %a, i32 %i0
  %p1 = getelementptr float, ptr %a, i32 %i1
  %p2 = getelementptr float, ptr %a, i32 %i2
  %p3 = getelementptr float, ptr %a, i32 %i3
  %v0 = load float, ptr %p0, align 4
  %v1 = load float, ptr %p1, align 4
  %v2 = load float, ptr %p2, align 4
  %v3 = load float, ptr %p3, align 4
  %s0 = fadd float %v0, %v2
  %s1 = fadd float %v1, %v3
  store float %s0, ptr %p0, align 4
  store float %s1, ptr %p1, align 4
  store float %v2, ptr %p2, align 4
  store float %v3, ptr %p3, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
