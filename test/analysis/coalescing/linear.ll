; One element a thread under `i < n`: four sectors a request, fewer in the last
; warps. 41 of 48 threads run: a full warp, and nine lanes on two sectors.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=48 -gridspan-grid=1 -gridspan-param=0=41 2>&1 \
; RUN:   | FileCheck %s --check-prefix=SMALL
; Assumed launch: 256 threads, a grid that covers 1024 elements.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=ASSUMED
; A base address that is not aligned to a sector.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-base=4 2>&1 | FileCheck %s --check-prefix=BASE
; Few requests are sampled, and the printer says so.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-grid=100000 -gridspan-param=scale:0=100000000 2>&1 \
; RUN:   | FileCheck %s --check-prefix=SAMPLED

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; SMALL: kernel scale, block 48x1x1, grid 1x1x1
; SMALL-NEXT: load 4 of arg1: coalesced, sectors 3 (ideal 3) a request, 2 to 4, up to 3.5 if misaligned, requests 2, lane stride 4 [site 0]
; SMALL-NEXT: store 4 of arg1: coalesced, sectors 3 (ideal 3) a request
; ASSUMED: kernel scale, block 256x1x1, grid 4x1x1
; ASSUMED-NEXT: load 4 of arg1: coalesced, sectors 4 (ideal 4) a request, up to 5 if misaligned, requests 32, lane stride 4 [site 0]
; BASE: load 4 of arg1: coalesced, sectors 5 (ideal 4) a request, requests 32,
; SAMPLED: load 4 of arg1: coalesced, sectors ~4 (ideal 4) a request, up to 5 if misaligned, requests ~8e+05,
define ptx_kernel void @scale(i32 %n, ptr %x) {
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
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p, align 4
  %w = fmul float %v, 2.0
  store float %w, ptr %p, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
