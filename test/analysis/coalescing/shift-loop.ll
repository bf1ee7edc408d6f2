; A loop that halves its counter is followed to its end: two iterations from 2 on,
; of which ScalarEvolution knows only a bound.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=32 -gridspan-grid=1 -gridspan-param=0=2 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: load 4 of arg1: coalesced, sectors 4 (ideal 4) a request, {{.*}} requests 2, lane stride 4 [site 0]
define ptx_kernel void @halving(i32 %n, ptr %x) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %thread to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %exit

loop:
  %j = phi i32 [ %n, %entry ], [ %half, %loop ]
  %v = load volatile float, ptr %p, align 4
  %half = ashr i32 %j, 1
  %more = icmp sgt i32 %half, 0
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
