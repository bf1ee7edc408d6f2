; What nothing can have changed is loaded once, although many stores elsewhere
; are between.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=1024 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel once,
; CHECK: moved: L1 1.049e+06, L2 read 1.049e+06 written 1.049e+07,
define ptx_kernel void @once(ptr noalias %a, ptr noalias %b, ptr noalias %c) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %w
  %q = getelementptr float, ptr %b, i64 %w
  %r = getelementptr float, ptr %c, i64 %w
  %v = load float, ptr %p, align 4
  store float %v, ptr %q, align 4
  %q1 = getelementptr float, ptr %q, i64 262144
  store float %v, ptr %q1, align 4
  %q2 = getelementptr float, ptr %q, i64 524288
  store float %v, ptr %q2, align 4
  %q3 = getelementptr float, ptr %q, i64 786432
  store float %v, ptr %q3, align 4
  %q4 = getelementptr float, ptr %q, i64 1048576
  store float %v, ptr %q4, align 4
  %q5 = getelementptr float, ptr %q, i64 1310720
  store float %v, ptr %q5, align 4
  %q6 = getelementptr float, ptr %q, i64 1572864
  store float %v, ptr %q6, align 4
  %q7 = getelementptr float, ptr %q, i64 1835008
  store float %v, ptr %q7, align 4
  %q8 = getelementptr float, ptr %q, i64 2097152
  store float %v, ptr %q8, align 4
  %again = load float, ptr %p, align 4
  %s = fadd float %again, 1.0
  store float %s, ptr %r, align 4
  ret void
}

; Here the store may have changed it.
; CHECK-LABEL: kernel twice,
; CHECK: moved: L1 2.097e+06,
define ptx_kernel void @twice(ptr %a, ptr %b) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %w
  %q = getelementptr float, ptr %b, i64 %w
  %v = load float, ptr %p, align 4
  store float %v, ptr %q, align 4
  %q1 = getelementptr float, ptr %q, i64 262144
  store float %v, ptr %q1, align 4
  %q2 = getelementptr float, ptr %q, i64 524288
  store float %v, ptr %q2, align 4
  %q3 = getelementptr float, ptr %q, i64 786432
  store float %v, ptr %q3, align 4
  %q4 = getelementptr float, ptr %q, i64 1048576
  store float %v, ptr %q4, align 4
  %q5 = getelementptr float, ptr %q, i64 1310720
  store float %v, ptr %q5, align 4
  %q6 = getelementptr float, ptr %q, i64 1572864
  store float %v, ptr %q6, align 4
  %q7 = getelementptr float, ptr %q, i64 1835008
  store float %v, ptr %q7, align 4
  %q8 = getelementptr float, ptr %q, i64 2097152
  store float %v, ptr %q8, align 4
  %again = load float, ptr %p, align 4
  %s = fadd float %again, 1.0
  store float %s, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
