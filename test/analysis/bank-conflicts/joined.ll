; Neighbouring accesses of a thread are joined as the back end does it: where the
; shared variable is placed is the assembler's choice, and it aligns it.
; A copy of 16 bytes is two accesses of 8 in global memory.
; RUN: %opt -passes='print<gridspan-bank-conflicts>,print<gridspan-coalescing>' \
; RUN:   -disable-output %s -gridspan-block=32 -gridspan-grid=1 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@row = internal addrspace(3) global [128 x float] undef, align 4

; CHECK-LABEL: kernel joined,
; CHECK-NEXT: load 16 of row: conflict-free, wavefronts 4 (ideal 4) a request, requests 1, lane stride 16
; CHECK-NEXT: store 16 of row: conflict-free, wavefronts 4 (ideal 4) a request, requests 1, lane stride 16
; CHECK-LABEL: kernel joined,
; CHECK-NEXT: load 16 by 8 of arg0: partial, sectors 16 (ideal 8) a request
define ptx_kernel void @joined(ptr %x) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %tx to i64
  %p0 = getelementptr [4 x float], ptr addrspace(3) @row, i64 %w, i64 0
  %p1 = getelementptr [4 x float], ptr addrspace(3) @row, i64 %w, i64 1
  %p2 = getelementptr [4 x float], ptr addrspace(3) @row, i64 %w, i64 2
  %p3 = getelementptr [4 x float], ptr addrspace(3) @row, i64 %w, i64 3
  %a = load float, ptr addrspace(3) %p0, align 4
  %b = load float, ptr addrspace(3) %p1, align 4
  %c = load float, ptr addrspace(3) %p2, align 4
  %d = load float, ptr addrspace(3) %p3, align 4
  %q = getelementptr [4 x float], ptr %x, i64 %w
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) align 16 %p0, ptr align 16 %q, i64 16, i1 false)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)
