; Shared memory that the launch asks for counts with the kernel's own.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=256 \
; RUN:   -gridspan-grid=1000 2>&1 | FileCheck %s --check-prefix=NOTHING
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=256 \
; RUN:   -gridspan-grid=1000 -gridspan-shared=48000 \
; RUN:   -gridspan-shared=plain=0 2>&1 | FileCheck %s --check-prefix=GIVEN
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=256 \
; RUN:   -gridspan-grid=1000 -gridspan-shared=_Z5stagePf=300000 2>&1 \
; RUN:   | FileCheck %s --check-prefix=MUCH
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-shared=stage=4096 2>&1 | FileCheck %s --check-prefix=LAUNCH
; RUN: not %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-shared=stage 2>&1 | FileCheck %s --check-prefix=BAD
; RUN: not %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-shared=stage=-1 2>&1 | FileCheck %s --check-prefix=BAD
; BAD: -gridspan-shared=stage{{(=-1)?}}: expected [kernel=]bytes

; NOTHING-LABEL: kernel _Z5stagePf,
; NOTHING: blocks: 8 with 64 warps on a multiprocessor, by warps; {{.*}}, 1024 bytes of shared memory; waves
; NOTHING: assumed: no bytes of dynamic shared memory, although the kernel has an array there
; NOTHING-LABEL: kernel plain,
; NOTHING-NOT: assumed

; 233472 bytes for blocks that take 50048 with what the system takes of each.
; GIVEN-LABEL: kernel _Z5stagePf,
; GIVEN: blocks: 4 with 32 warps on a multiprocessor, by shared memory; {{.*}}, 49024 bytes of shared memory (48000 dynamic); waves
; GIVEN-NOT: assumed
; GIVEN-LABEL: kernel plain,
; GIVEN: blocks: 8 with 64 warps on a multiprocessor, by warps; {{.*}}, 0 bytes of shared memory; waves
; MUCH: kernel _Z5stagePf: unknown, a block needs more shared memory than a multiprocessor has
; LAUNCH: kernel _Z5stagePf, block 256x1x1, grid 4x1x1, 4096 bytes of dynamic shared memory
; LAUNCH: kernel plain, block 256x1x1, grid 4x1x1{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = external addrspace(3) global [0 x float], align 4
@own = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @_Z5stagePf(ptr %a) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p, align 4
  %tw = zext i32 %thread to i64
  %s = getelementptr float, ptr addrspace(3) @tile, i64 %tw
  %o = getelementptr float, ptr addrspace(3) @own, i64 %tw
  store float %v, ptr addrspace(3) %s, align 4
  store float %v, ptr addrspace(3) %o, align 4
  call void @llvm.nvvm.barrier0()
  %x = load float, ptr addrspace(3) @tile, align 4
  %y = load float, ptr addrspace(3) @own, align 4
  %z = fadd float %x, %y
  store float %z, ptr %p, align 4
  ret void
}

define ptx_kernel void @plain(ptr %a) #0 {
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

declare void @llvm.nvvm.barrier0()

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
