; How many blocks fit a multiprocessor, and what keeps more from it.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=256 \
; RUN:   -gridspan-grid=1000 -gridspan-registers=few=32 \
; RUN:   -gridspan-registers=stage=40 2>&1 | FileCheck %s --check-prefix=SHARED
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=256 \
; RUN:   -gridspan-grid=1000 -gridspan-registers=few=128 2>&1 \
; RUN:   | FileCheck %s --check-prefix=REGISTERS
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=32 \
; RUN:   -gridspan-grid=1000 2>&1 | FileCheck %s --check-prefix=BLOCKS
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=1024 \
; RUN:   -gridspan-grid=1000 -gridspan-registers=few=255 2>&1 \
; RUN:   | FileCheck %s --check-prefix=NONE
; RUN: not %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-registers=few 2>&1 | FileCheck %s --check-prefix=BAD
; BAD: -gridspan-registers=few: expected kernel=number
; RUN: not %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%s 2>&1 | FileCheck %s --check-prefix=FILE
; FILE: occupancy.ll:

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; SHARED-LABEL: kernel few,
; SHARED: blocks: 8 with 64 warps on a multiprocessor, by warps; 32 registers, 0 bytes
; SHARED-LABEL: kernel stage,
; SHARED: blocks: 4 with 32 warps on a multiprocessor, by shared memory; 40 registers, 48000 bytes
; REGISTERS: blocks: 2 with 16 warps on a multiprocessor, by registers; 128 registers
; BLOCKS: blocks: 32 with 32 warps on a multiprocessor, by blocks;
; NONE: kernel few: unknown, a block needs more registers than a multiprocessor has

@tile = internal addrspace(3) global [12000 x float] undef, align 4

define ptx_kernel void @few(ptr %a) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %wide
  store float 1.0, ptr %p, align 4
  ret void
}

define ptx_kernel void @stage(ptr %a) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p, align 4
  %tw = zext i32 %thread to i64
  %s = getelementptr [12000 x float], ptr addrspace(3) @tile, i64 0, i64 %tw
  store float %v, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.barrier0()
  %first.s = load float, ptr addrspace(3) @tile, align 4
  store float %first.s, ptr %p, align 4
  ret void
}

declare void @llvm.nvvm.barrier0()

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
