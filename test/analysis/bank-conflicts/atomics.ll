; Lanes that do an atomic on one word of shared memory take turns, unless ptxas
; adds up their operands first, as it does where the address is uniform, or the
; hardware counts them, as it does where all add one. Nobody may need the word's
; old value, and both are for 32-bit integers only.
; RUN: %opt -passes='print<gridspan-bank-conflicts>' -disable-output %s \
; RUN:   -gridspan-block=32 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@word = internal addrspace(3) global i32 undef, align 4
@words = internal addrspace(3) global [64 x i32] undef, align 4
@long = internal addrspace(3) global i64 undef, align 8

; CHECK-LABEL: kernel together,
; CHECK-COUNT-3: conflict-free, wavefronts 1 (ideal 1) a request
; CHECK-NOT: add up within the warp
define ptx_kernel void @together(i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %max = atomicrmw max ptr addrspace(3) @word, i32 %tx monotonic, align 4
  %at = getelementptr i32, ptr addrspace(3) @words, i32 %n
  %or = atomicrmw or ptr addrspace(3) %at, i32 %tx monotonic, align 4
  ; All lanes of a warp have one word, which the compiler does not know.
  %half = lshr i32 %tx, 5
  %mine = getelementptr i32, ptr addrspace(3) @words, i32 %half
  %one = atomicrmw add ptr addrspace(3) %mine, i32 1 monotonic, align 4
  ret void
}

; CHECK-LABEL: kernel inTurn,
; CHECK: of words: conflicts, wavefronts 32 (ideal 1) a request
; CHECK: of word: conflicts, wavefronts 32 (ideal 1) a request
; CHECK: of long: conflicts, wavefronts 32 (ideal
; CHECK: of word: conflicts, wavefronts 32 (ideal 1) a request
define ptx_kernel void @inTurn(ptr %out) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %half = lshr i32 %tx, 5
  %mine = getelementptr i32, ptr addrspace(3) @words, i32 %half
  %max = atomicrmw max ptr addrspace(3) %mine, i32 %tx monotonic, align 4
  %ticket = atomicrmw add ptr addrspace(3) @word, i32 1 monotonic, align 4
  store i32 %ticket, ptr %out, align 4
  %big = atomicrmw add ptr addrspace(3) @long, i64 1 monotonic, align 8
  %swap = atomicrmw xchg ptr addrspace(3) @word, i32 %tx monotonic, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
