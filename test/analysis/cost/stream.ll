; b[i] = 2 * a[i] under i < n. Large arrays pass through memory; small ones stay
; in L2 from launch to launch; a tiny launch is bound by launching.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-registers=scale=16 \
; RUN:   -gridspan-block=256 -gridspan-grid=262144 -gridspan-param=0=67108864 \
; RUN:   2>&1 | FileCheck %s --check-prefix=LARGE
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json \
; RUN:   -gridspan-block=256 -gridspan-grid=4096 -gridspan-param=0=1048576 \
; RUN:   2>&1 | FileCheck %s --check-prefix=SMALL
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json \
; RUN:   -gridspan-block=64 -gridspan-grid=1 -gridspan-param=0=64 \
; RUN:   2>&1 | FileCheck %s --check-prefix=TINY

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; LARGE: kernel scale, block 256x1x1, grid 262144x1x1: 280.7 us, limited by blocks
; LARGE-NEXT: blocks: 8 with 64 warps on a multiprocessor, by warps; 16 registers, 0 bytes of shared memory; waves 327.7
; LARGE-NEXT: warps: 2.097e+06 with 17 instructions (fp32 1, int 1, imad 3, control 10, memory 2)
; LARGE-NEXT: moved: L1 2.684e+08, L2 read 2.684e+08 written 2.684e+08, memory read 2.684e+08 written 2.684e+08 bytes; different ones 5.369e+08
; LARGE-NEXT: microseconds: launch 2, blocks 262.1, {{.*}} L2 67.11, memory 134.2
; LARGE-NEXT: roofline: {{.*}}, 0.125 operations a byte of memory
; SMALL: registers (estimated)
; SMALL: L2 read 4.194e+06 written 4.194e+06, memory read 0 written 0 bytes
; SMALL-NOT: memory {{[0-9]}}
; TINY: 3 us, limited by launch

define ptx_kernel void @scale(i32 %n, ptr %a, ptr %b) #0 {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %exit

body:
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %q = getelementptr float, ptr %b, i64 %wide
  %v = load float, ptr %p, align 4
  %w = fmul float %v, 2.0
  store float %w, ptr %q, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
