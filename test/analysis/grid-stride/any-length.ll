; RUN: %opt -passes='print<gridspan-grid-stride>' -disable-output %s 2>&1 | FileCheck %s
; Kernels that do the same in a grid of any length: all effects are in grid-stride
; loops, the grid's length is their step and nothing else, and no index can wrap in
; a longer grid if the parameters are far from the ends of their type.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel any
; CHECK: repartitioned
; CHECK: in a grid of any size along: x
define void @any(ptr %p, i32 %n, i32 %m, i64 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = mul i32 %b, %d
  %i = add i32 %f, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 0, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel below
; CHECK: repartitioned
; CHECK: in a grid of any size along: x
define void @below(ptr %p, i32 %n, i32 %m, i64 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = mul i32 %b, %d
  %i = add i32 %f, %t
  %s = mul i32 %d, %g
  %l = sub i32 %n, 1
  %c = icmp slt i32 %i, %l
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 0, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %l
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel product
; CHECK: repartitioned
; CHECK-NOT: any size
define void @product(ptr %p, i32 %n, i32 %m, i64 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = mul i32 %b, %d
  %i = add i32 %f, %t
  %s = mul i32 %d, %g
  %l = mul i32 %n, %m
  %c = icmp slt i32 %i, %l
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 0, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %l
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel narrowed
; CHECK: repartitioned
; CHECK-NOT: any size
define void @narrowed(ptr %p, i32 %n, i32 %m, i64 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = mul i32 %b, %d
  %i = add i32 %f, %t
  %s = mul i32 %d, %g
  %l = trunc i64 %w to i32
  %c = icmp slt i32 %i, %l
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 0, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %l
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel length
; CHECK: repartitioned
; CHECK-NOT: any size
define void @length(ptr %p, i32 %n, i32 %m, i64 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = mul i32 %b, %d
  %i = add i32 %f, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 %g, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel unsigned_down
; CHECK: repartitioned
; CHECK-NOT: any size
define void @unsigned_down(ptr %p, i32 %n, i32 %m, i64 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = mul i32 %b, %d
  %i = add i32 %f, %t
  %s = mul i32 %d, %g
  %not = xor i32 %i, -1
  %top = add i32 %not, %n
  %c = icmp ugt i32 %top, 5
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %top, %entry ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 0, ptr %a
  %next = sub i32 %j, %s
  %more = icmp ugt i32 %next, 5
  br i1 %more, label %loop, label %out

out:
  ret void
}

; CHECK-LABEL: kernel effect_outside
; CHECK: repartitioned
; CHECK-NOT: any size
define void @effect_outside(ptr %q, ptr %p, i32 %n, i32 %m, i64 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = mul i32 %b, %d
  %i = add i32 %f, %t
  %s = mul i32 %d, %g
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %i, %entry ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr i32, ptr %p, i64 %x
  store i32 0, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  %o = getelementptr i8, ptr %q, i64 0
  store i32 1, ptr %o
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6}
!0 = !{ptr @any, !"kernel", i32 1}
!1 = !{ptr @below, !"kernel", i32 1}
!2 = !{ptr @product, !"kernel", i32 1}
!3 = !{ptr @narrowed, !"kernel", i32 1}
!4 = !{ptr @length, !"kernel", i32 1}
!5 = !{ptr @unsigned_down, !"kernel", i32 1}
!6 = !{ptr @effect_outside, !"kernel", i32 1}
