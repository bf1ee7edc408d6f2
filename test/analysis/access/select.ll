; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A choice between values knows its condition in each arm.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at (sext64(when((((ctaid.x * ntid.x) + tid.x) eq 0), (arg1 + -1))) * 4) (exact) [site 0]
; CHECK-NEXT: read 4 bytes at (sext64(when((((ctaid.x * ntid.x) + tid.x) ne 0), ({((ctaid.x * ntid.x) + tid.x) ne 0} + -1))) * 4) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp eq i32 %i, 0
  %last = add i32 %n, -1
  %before = add i32 %i, -1
  %j = select i1 %c, i32 %last, i32 %before
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  %v = load float, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
