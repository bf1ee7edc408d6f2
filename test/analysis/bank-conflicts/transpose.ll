; A tile read by columns: all lanes in one bank, unless its rows are padded.
; RUN: %opt -passes='print<gridspan-bank-conflicts>' -disable-output %s \
; RUN:   -gridspan-block=32x8 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x [32 x float]] undef, align 4
@padded = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@counts = internal addrspace(3) global [256 x i32] undef, align 4
@wide = internal addrspace(3) global [64 x <4 x float>] undef, align 16

; CHECK-LABEL: kernel tiles,
; CHECK-NEXT: store 4 of tile: conflict-free, wavefronts 1 (ideal 1) a request, requests 8, lane stride 4
; CHECK-NEXT: load 4 of tile: conflicts, wavefronts 32 (ideal 1) a request, requests 8, lane stride 128
; CHECK-NEXT:   pad the rows by one element
; CHECK-NEXT: load 4 of padded: conflict-free, wavefronts 1 (ideal 1) a request, requests 8, lane stride 132
; CHECK-NOT: of
define ptx_kernel void @tiles(ptr %x) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %x64 = zext i32 %tx to i64
  %y64 = zext i32 %ty to i64
  %row = getelementptr [32 x [32 x float]], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %y64, i64 %x64
  store float 1.0, ptr %row, align 4
  %column = getelementptr [32 x [32 x float]], ptr addrspace(3) @tile, i64 0, i64 %x64, i64 %y64
  %a = load float, ptr addrspace(3) %column, align 4
  %free = getelementptr [32 x [33 x float]], ptr addrspace(3) @padded, i64 0, i64 %x64, i64 %y64
  %b = load float, ptr addrspace(3) %free, align 4
  store float %a, ptr %x, align 4
  ret void
}

; CHECK-LABEL: kernel others,
; CHECK-NEXT: atomic 4 of counts: conflicts, wavefronts 32 (ideal 1) a request, requests 8, lane stride 0
; CHECK-NEXT:   add up within the warp first
; CHECK-NEXT: load 4 of counts: conflict-free, wavefronts 1 (ideal 1) a request, requests 8, lane stride 0
; CHECK-NEXT: load 4 of counts: conflicts, wavefronts 2 (ideal 1) a request, requests 8, lane stride 8
; CHECK-NEXT:   lanes are 8 bytes apart
; CHECK-NEXT: load 16 of wide: conflict-free, wavefronts 4 (ideal 4) a request, requests 8, lane stride 16
; CHECK-NEXT: load 4 of shared memory: conflict-free, {{.*}}lanes share what is unknown: a pointer of unknown origin into shared memory
; CHECK-NEXT: store 4 of counts: conflict-free, {{.*}}lanes share what is unknown: loaded from memory
define ptx_kernel void @others(ptr %x, ptr addrspace(3) %s) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %y64 = zext i32 %ty to i64
  %x64 = zext i32 %tx to i64
  %c = getelementptr i32, ptr addrspace(3) @counts, i64 %y64
  %old = atomicrmw add ptr addrspace(3) %c, i32 %tx monotonic, align 4
  %v = load i32, ptr addrspace(3) %c, align 4
  %d = getelementptr [2 x i32], ptr addrspace(3) @counts, i64 %x64
  %w = load i32, ptr addrspace(3) %d, align 4
  %e = getelementptr <4 x float>, ptr addrspace(3) @wide, i64 %x64
  %f = load <4 x float>, ptr addrspace(3) %e, align 16
  %g = load i32, ptr addrspace(3) %s, align 4
  %h = load i32, ptr %x, align 4
  %i = sext i32 %h to i64
  %j = getelementptr i32, ptr addrspace(3) @counts, i64 %i
  store i32 0, ptr addrspace(3) %j, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
