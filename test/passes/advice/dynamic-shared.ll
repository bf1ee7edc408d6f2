; What a launch asks for in shared memory is part of the launch that is looked
; at; where nobody says it, but the kernel has an array there, that is said.
; RUN: rm -f %t.json %t.given.json
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json
; RUN: gridspan-advice %t.json | FileCheck %s
; RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
; RUN: %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-shared=stage=100000 -gridspan-advice=%t.given.json
; RUN: gridspan-advice %t.given.json | FileCheck %s --check-prefix=GIVEN

; CHECK: kernel stage of shared.cu: 4096 blocks of 256 threads (assumed: grid, block, no dynamic shared memory)
; CHECK-NEXT: predicted
; CHECK-NEXT: 64 warps a multiprocessor, by warps
; CHECK: assumed: no bytes of dynamic shared memory, although the kernel has an array there
; FILE: "assumed": [
; FILE-NEXT: "block",
; FILE-NEXT: "grid",
; FILE-NEXT: "dynamic_shared"
; FILE: "dynamic_shared_bytes": 0,
; GIVEN: kernel stage of shared.cu: 4096 blocks of 256 threads, 100000 bytes of dynamic shared memory (assumed: grid, block)
; GIVEN-NEXT: predicted
; GIVEN-NEXT: 16 warps a multiprocessor, by shared memory
; GIVEN-NOT: assumed

source_filename = "shared.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = external addrspace(3) global [0 x float], align 4

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
  %s = getelementptr float, ptr addrspace(3) @tile, i64 %tw
  store float %v, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.barrier0()
  %x = load float, ptr addrspace(3) @tile, align 4
  store float %x, ptr %p, align 4
  ret void
}

declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
