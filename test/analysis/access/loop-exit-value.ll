; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; What a loop leaves behind is its last value; the end of a loop is no guard.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(smax(arg1, 1)) * 4) (exact) [site 0]
; CHECK-NEXT: write 4 bytes at (sext64(((ctaid.x * ntid.x) + tid.x)) * 4) (exact) [site 1]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  br label %loop

loop:
  %j = phi i32 [ 0, %0 ], [ %next, %loop ]
  fence seq_cst
  %next = add nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  %l = phi i32 [ %next, %loop ]
  %x = sext i32 %l to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %xi = sext i32 %i to i64
  %ai = getelementptr float, ptr %p, i64 %xi
  store float 0.0, ptr %ai
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
