; Where all lanes of a warp have one address and nobody needs the old value, one
; lane does the atomic for all.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=65536 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel one,
; CHECK: atomics 11.71
define ptx_kernel void @one(ptr noalias %a) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %w = zext i32 %block to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %v = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}

; There is no such instruction for floating-point numbers.
; CHECK-LABEL: kernel float,
; CHECK: atomics 374.8
define ptx_kernel void @float(ptr noalias %a) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %w = zext i32 %block to i64
  %p = getelementptr float, ptr %a, i64 %w
  %v = atomicrmw fadd ptr %p, float 1.0 monotonic
  ret void
}

; CHECK-LABEL: kernel used,
; CHECK: atomics 374.8
define ptx_kernel void @used(ptr noalias %a, ptr noalias %b) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %w = zext i32 %block to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %v = atomicrmw add ptr %p, i32 1 monotonic
  store i32 %v, ptr %b, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

attributes #0 = { "target-cpu"="sm_90" }
