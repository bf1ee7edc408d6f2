; A sum over m elements: instructions and waiting grow with the trip count, and
; the iterations that are unrolled wait together: four, of which ptxas joins four.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=128 \
; RUN:   -gridspan-grid=100 -gridspan-param=0=1000 2>&1 \
; RUN:   | FileCheck %s --check-prefix=THOUSAND
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=128 \
; RUN:   -gridspan-grid=100 -gridspan-param=0=4000 2>&1 \
; RUN:   | FileCheck %s --check-prefix=FOUR

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; THOUSAND: limited by latency
; THOUSAND: warps: 400 with 4769 instructions (fp32 1000, {{.*}} memory 1001); alone 4.251e+04 cycles, 15.58 loads under way
; FOUR: limited by latency
; FOUR: warps: 400 with 1.902e+04 instructions (fp32 4000, {{.*}} memory 4001); alone 1.663e+05 cycles, 15.58 loads under way

define ptx_kernel void @columns(i32 %m, ptr %a, ptr %b) #0 {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %row = mul i32 %k, 12800
  %at = add i32 %row, %i
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p, align 4
  %t = fadd float %s, %v
  %next = add nsw i32 %k, 1
  %more = icmp slt i32 %next, %m
  br i1 %more, label %loop, label %exit

exit:
  %iw = sext i32 %i to i64
  %q = getelementptr float, ptr %b, i64 %iw
  store float %t, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
