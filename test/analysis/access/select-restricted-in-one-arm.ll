; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A guard that restricts one arm of a select only is no reason to call the range
; exact: the other arm has values that do not get there. (Found by random
; kernels: i >= 2 for i = block == 0 ? tid : tid + ntid * block.)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK: read 4 bytes at
; CHECK-NOT: (exact)
define void @k(ptr %p, ptr %q) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %block, %ntid
  %i = add i32 %first, %tid
  %late = icmp sge i32 %i, 2
  br i1 %late, label %body, label %exit

body:
  %zero = icmp eq i32 %block, 0
  %index = select i1 %zero, i32 %tid, i32 %i
  %wide = sext i32 %index to i64
  %address = getelementptr i32, ptr %p, i64 %wide
  %v = load i32, ptr %address
  br label %exit

exit:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
