; RUN: %opt -passes=gridspan-repartition,verify -S %s | FileCheck %s
; Along x a loop is cut at units of a warp's threads, so that their alignment stays;
; along y, where rows are short in number, between any two iterations.

; CHECK-LABEL: define void @columns(
; CHECK: add i64 %{{.+}}, 31
; CHECK: lshr i64 %{{.+}}, 5
; CHECK-LABEL: define void @rows(
; CHECK: call i32 @gridspan.tile.origin.y()
; CHECK-NOT: lshr
; CHECK: ret void

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @columns(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @rows(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @columns, !"kernel", i32 1}
!1 = !{ptr @rows, !"kernel", i32 1}
