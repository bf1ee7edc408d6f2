; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Shifts, masks, minima, absolute values, high products, casts of any width.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 1 bytes at zext64(trunc16(xor(trunc32(lshr((zext64(smax(umax(smin((shl(and(lshr(((ctaid.x * ntid.x) + tid.x), 3), 15), 4) + 5), ashr(arg1, 2)), 7), (0 - umax(smin((shl(and(lshr(((ctaid.x * ntid.x) + tid.x), 3), 15), 4) + 5), ashr(arg1, 2)), 7)))) * 12345), 32)), 3))) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = lshr i32 %i, 3
  %h = ashr i32 %n, 2
  %q = and i32 %s, 15
  %l = shl i32 %q, 4
  %dj = or disjoint i32 %l, 5
  %mi = call i32 @llvm.smin.i32(i32 %dj, i32 %h)
  %ma = call i32 @llvm.umax.i32(i32 %mi, i32 7)
  %ab = call i32 @llvm.abs.i32(i32 %ma, i1 true)
  %hi = call i32 @llvm.nvvm.mulhi.ui(i32 %ab, i32 12345)
  %x = xor i32 %hi, 3
  %tr = trunc i32 %x to i16
  %e = zext i16 %tr to i64
  %a = getelementptr i8, ptr %p, i64 %e
  store i8 0, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.nvvm.mulhi.ui(i32, i32)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
