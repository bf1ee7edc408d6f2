; What is not known is assumed, and said.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=128 \
; RUN:   -gridspan-grid=100 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel gather,
; CHECK: assumed: random addresses, in memory, where they are not known
; CHECK-NOT: assumed
define ptx_kernel void @gather(ptr %index, ptr %a, ptr %b) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %p = getelementptr i32, ptr %index, i64 %wide
  %v = load i32, ptr %p, align 4
  %w = sext i32 %v to i64
  %q = getelementptr float, ptr %a, i64 %w
  %x = load float, ptr %q, align 4
  %r = getelementptr float, ptr %b, i64 %wide
  store float %x, ptr %r, align 4
  ret void
}

; CHECK-LABEL: kernel search,
; CHECK: assumed: 16 iterations of a loop whose trip count is not known
define ptx_kernel void @search(ptr %a) #0 {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %start = load float, ptr %p, align 4
  br label %loop

loop:
  %x = phi float [ %start, %entry ], [ %y, %loop ]
  %y = fmul float %x, 0.5
  %more = fcmp ogt float %y, 1.0
  br i1 %more, label %loop, label %exit

exit:
  store float %y, ptr %p, align 4
  ret void
}

; CHECK-LABEL: kernel positive,
; CHECK: assumed: both sides of a branch that depends on data
define ptx_kernel void @positive(ptr %a, ptr %b) #0 {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p, align 4
  %is = fcmp ogt float %v, 0.0
  br i1 %is, label %then, label %exit

then:
  %q = getelementptr float, ptr %b, i64 %wide
  store float %v, ptr %q, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
