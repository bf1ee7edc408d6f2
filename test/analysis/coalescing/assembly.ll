; Inline assembly that is one access of global memory: CUDA's headers write
; atomics on halves so. It is counted, and nothing else of it is concluded.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel pairs,
; CHECK-NEXT: atomic 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}lane stride 4 [site 0]
define ptx_kernel void @pairs(ptr %x, i32 %v) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %old = call i32 asm sideeffect "{ atom.add.noftz.f16x2 $0,[$1],$2; }\0A", "=r,l,r,~{memory}"(ptr %p, i32 %v)
  ret void
}

; A vector of a lane, and a number that a pointer was made.
; CHECK-LABEL: kernel vectors,
; CHECK-NEXT: store 16 of arg0: coalesced, sectors 16 (ideal 16) a request
; CHECK-NEXT: atomic 2 of arg0: uncoalesced, sectors 32 (ideal 2) a request
define ptx_kernel void @vectors(ptr %x, i32 %v, i16 %h) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr [16 x i8], ptr %x, i64 %wide
  call void asm sideeffect "st.global.cs.v4.u32 [$0], {$1, $1, $1, $1};", "l,r,~{memory}"(ptr %p, i32 %v)
  %q = getelementptr [64 x i8], ptr %x, i64 %wide
  %number = ptrtoint ptr %q to i64
  call void asm sideeffect "red.global.add.noftz.bf16 [$0], $1;", "l,h,~{memory}"(i64 %number, i16 %h)
  ret void
}

; Two accesses, one under a predicate, one beside the pointer, one of the block's
; memory, and an address that the text computes.
; CHECK-LABEL: kernel refused,
; CHECK-COUNT-10: of unknown memory: unknown, inline assembly
; CHECK-NOT: of
define ptx_kernel void @refused(ptr %x, i32 %v) {
  call void asm sideeffect "st.u32 [$0], $1; st.u32 [$0], $1;", "l,r,~{memory}"(ptr %x, i32 %v)
  call void asm sideeffect "{ .reg .pred p; setp.eq.u32 p, $1, 0; @p st.u32 [$0], $1; }", "l,r,~{memory}"(ptr %x, i32 %v)
  call void asm sideeffect "st.u32 [$0+4], $1;", "l,r,~{memory}"(ptr %x, i32 %v)
  call void asm sideeffect "st.shared.u32 [$0], $1;", "l,r,~{memory}"(ptr %x, i32 %v)
  call void asm sideeffect "{ .reg .u64 a; add.u64 a, $0, 8; st.u32 [a], $1; }", "l,r,~{memory}"(ptr %x, i32 %v)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
