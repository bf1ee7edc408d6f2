; Machine instructions: 16 bytes at most, and no more than the alignment.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=32 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: load 16 of arg0: coalesced, sectors 16 (ideal 16) a request, up to 17 if misaligned, requests 1, lane stride 16 [site 0]
; CHECK-NEXT: load 16 by 4 of arg0: partial, sectors 16 (ideal 4) a request, up to 17 if misaligned, requests 4, lane stride 16 [site 1]
; CHECK-NEXT:   the 16 bytes of a lane take 4 instructions: align the type to 16 bytes
; CHECK-NEXT: load 32 by 16 of arg0: uncoalesced, sectors 32 (ideal 16) a request, requests 2, lane stride 32 [site 2]
; CHECK-NEXT:   the 32 bytes of a lane take 2 instructions that each skip bytes
; CHECK-NEXT: load 1 of arg0: coalesced, sectors 1 (ideal 1) a request, up to 2 if misaligned, requests 1, lane stride 1 [site 3]
; CHECK-NEXT: load 12 by 4 of arg1: broadcast, sectors 1 (ideal 1) a request, requests 3, lane stride 0 [site 4]
; CHECK-NEXT: store 12 by 4 of arg0: partial, sectors 12 (ideal 4) a request, up to 13 if misaligned, requests 3, lane stride 12 [site 4]
; CHECK-NEXT:   the 12 bytes of a lane take 3 instructions: align the type to 16 bytes
define ptx_kernel void @widths(ptr %x, ptr %y) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tx to i64
  %p = getelementptr <4 x float>, ptr %x, i64 %wide
  %a = load <4 x float>, ptr %p, align 16
  %b = load <4 x float>, ptr %p, align 4
  %q = getelementptr <8 x float>, ptr %x, i64 %wide
  %c = load <8 x float>, ptr %q, align 32
  %r = getelementptr i8, ptr %x, i64 %wide
  %d = load i8, ptr %r, align 1
  %s = getelementptr [3 x float], ptr %x, i64 %wide
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %s, ptr align 4 %y, i64 12, i1 false)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
