; The blocks in the middle of the grid have nothing to do; those at its start say
; what goes through L1.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=65536 -gridspan-param=2=1048576 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; The sampled blocks stand for a few more than the 4096 that have something to do.
; CHECK: moved: L1 4.794e+06, L2 read 4.794e+06 written 4.794e+06,
define ptx_kernel void @copy(ptr %a, ptr %b, i32 %n) #0 {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %is = icmp ult i32 %i, %n
  br i1 %is, label %do, label %exit

do:
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %w
  %q = getelementptr float, ptr %b, i64 %w
  %v = load float, ptr %p, align 4
  store float %v, ptr %q, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
