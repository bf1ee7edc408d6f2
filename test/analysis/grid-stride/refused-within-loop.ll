; RUN: %opt -passes='print<gridspan-grid-stride>' -disable-output %s 2>&1 | FileCheck %s
; A loop over the grid inside another loop: the other's iterations have an order.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel within
; CHECK: within-loop: a grid-stride loop keeps its distribution: it is within another loop
define void @within(ptr %p, i32 %n, i32 %times) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br label %outer

outer:
  %k = phi i32 [ 0, %entry ], [ %k1, %outerlatch ]
  br i1 %c, label %loop, label %outerlatch

loop:
  %j = phi i32 [ %i, %outer ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 %k, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %outerlatch

outerlatch:
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %times
  br i1 %again, label %outer, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @within, !"kernel", i32 1}
