; RUN: %opt -passes=gridspan-repartition,verify -S %s | FileCheck %s
; RUN: %opt -passes=gridspan-repartition,gridspan-tile -S %s | FileCheck %s --check-prefix=TILE
; A loop whose iterations may be given to other threads: start, step and bound are
; chosen at the launch, if the conditions hold under which that is right. The clone
; asks its own tile.

; CHECK-LABEL: define void @up(
; CHECK: stride:
; CHECK-DAG: %[[ORIGIN:.+]] = call i32 @gridspan.tile.origin.x()
; CHECK-DAG: %[[COUNT:.+]] = call i32 @gridspan.tile.count.x()
; CHECK: %stride.shift = select i1 %[[VALID:.+]], i32 %{{.+}}, i32 0
; CHECK-NEXT: %stride.start = add i32 %i, %stride.shift
; CHECK: %stride.step = select i1 %[[VALID]], i32 %{{.+}}, i32 %s
; CHECK: %stride.limit = select i1 %[[VALID]], i32 %{{.+}}, i32 %n
; CHECK-NEXT: %[[ENTERED:.+]] = icmp slt i32 %stride.start, %stride.limit
; CHECK-NEXT: call void @llvm.assume(i1 %[[ENTERED]])
; CHECK: %j = phi i32 [ %stride.start, %stride ], [ %next, %latch ]
; CHECK: %next = add i32 %j, %stride.step
; CHECK-NEXT: %more = icmp slt i32 %next, %stride.limit

; CHECK-LABEL: define void @down(
; CHECK: %next = sub i32 %j, %stride.step
; CHECK-NEXT: %more = icmp sgt i32 %next, %stride.limit

; CHECK-LABEL: define void @kept(
; CHECK-NOT: stride
; CHECK: %next = add i32 %j, %s

; TILE-LABEL: define void @up__gridspan(
; TILE: %origin.x = load i32
; TILE: zext i32 %origin.x to i64
; TILE: %[[TILES:.+]] = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
; TILE-NEXT: zext i32 %[[TILES]] to i64
; TILE-NOT: call {{.*}}gridspan.tile

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @up(ptr %p, ptr %q, i32 %n) {
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

define void @down(ptr %p, ptr %q, i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %s = mul i32 %d, %g
  %not = xor i32 %i, -1
  %top = add i32 %not, %n
  %c = icmp sgt i32 %top, -1
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %top, %entry ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %latch

latch:
  %next = sub i32 %j, %s
  %more = icmp sgt i32 %next, -1
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @kept(ptr %p, ptr %q, i32 %n) {
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
  store float 0.0, ptr %p
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

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @up, !"kernel", i32 1}
!1 = !{ptr @down, !"kernel", i32 1}
!2 = !{ptr @kept, !"kernel", i32 1}
