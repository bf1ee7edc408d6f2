; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A pointer that moves on by a step in a loop.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at ((sext64(((ctaid.x * ntid.x) + tid.x)) * 4) + iter0(0, +arg1, (smax(arg2, 1) + -1))) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i64 %pitch, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %x = sext i32 %i to i64
  %s = getelementptr float, ptr %p, i64 %x
  br label %loop

loop:
  %a = phi ptr [ %s, %0 ], [ %moved, %loop ]
  %j = phi i32 [ 0, %0 ], [ %next, %loop ]
  %v = load float, ptr %a
  %moved = getelementptr i8, ptr %a, i64 %pitch
  %next = add nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
