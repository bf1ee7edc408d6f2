; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Signed id / N and id % N, the usual way to two dimensions, stay what they are.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 8 bytes at (sext64(((srem(((ctaid.x * ntid.x) + tid.x), arg1) * arg2) + {sdiv(((ctaid.x * ntid.x) + tid.x), arg1) slt arg2})) * 8) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n, i32 %rows) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %y = sdiv i32 %i, %n
  %x = srem i32 %i, %n
  %c = icmp slt i32 %y, %rows
  br i1 %c, label %in, label %out

in:
  %r = mul nsw i32 %x, %rows
  %o = add nsw i32 %r, %y
  %w = sext i32 %o to i64
  %a = getelementptr double, ptr %p, i64 %w
  store double 0.0, ptr %a
  br label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
