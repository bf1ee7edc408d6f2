; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A block strides over a share of its own: start and limit both differ, and their
; difference, as a count, must not seem to wrap.

; CHECK-LABEL: kernel share
; CHECK: read 4 bytes at {{.*}}udiv(trunc32(smax((sext64({{.*}}) - sext64({{.*}})), 0)), ntid.x)

; Between two limits that are not negative, `j == last` at the end also says j <= last
; for unsigned numbers.
; CHECK-LABEL: kernel between
; CHECK: write 4 bytes at (zext64({{.*}} ule {smin((ctaid.x + arg3), arg1) sge smax((ctaid.x - arg2), 0)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @share(ptr %p, i32 %n, i32 %size, ptr %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %size
  %i = add i32 %m, %t
  %end = add i32 %m, %size
  %last = call i32 @llvm.smin.i32(i32 %end, i32 %n)
  %g = icmp slt i32 %i, %last
  br i1 %g, label %head, label %out.block

head:
  br label %loop

loop:
  %j = phi i32 [ %i, %head ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  %v = load float, ptr %a
  call void @llvm.nvvm.barrier0()
  %next = add i32 %j, %d
  %more = icmp slt i32 %next, %last
  br i1 %more, label %loop, label %out.block

out.block:
  ret void
}

define void @between(ptr %p, i32 %n, i32 %below, i32 %above) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = sub nsw i32 %b, %below
  %first = call i32 @llvm.smax.i32(i32 %before, i32 0)
  %after = add nsw i32 %b, %above
  %last = call i32 @llvm.smin.i32(i32 %after, i32 %n)
  %none = icmp sgt i32 %first, %last
  br i1 %none, label %out, label %head

head:
  br label %loop

loop:
  %j = phi i32 [ %first, %head ], [ %next, %loop ]
  %x = zext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nuw i32 %j, 1
  %end = icmp eq i32 %j, %last
  br i1 %end, label %out, label %loop

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare void @llvm.nvvm.barrier0()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @share, !"kernel", i32 1}
!1 = !{ptr @between, !"kernel", i32 1}
