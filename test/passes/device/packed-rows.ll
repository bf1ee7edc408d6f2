; RUN: %opt -passes=gridspan-device -S %s | FileCheck %s
; The clone with packed rows finds where the second operand of a matrix product
; lies; the first one, which it walks along its rows, stays. Where each iteration steps
; by whole rows the packed address does, too; otherwise each is looked up.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-LABEL: define {{.*}}void @product__gridspan(ptr %a, ptr %b, ptr %c, i64 %n, ptr noundef byval({ [3 x i32], [3 x i32] }) align 4 %tile)
; CHECK-NOT: packed

; CHECK-LABEL: define {{.*}}void @product__packed__gridspan(ptr %a, ptr %b, ptr %c, i64 %n, ptr noundef byval([1 x [5 x i64]]) align 8 %packings, ptr noundef byval({ [3 x i32], [3 x i32] }) align 4 %tile)
; CHECK: %[[BASE:base]] = load i64
; CHECK: %[[MOVE:move]] = load i64
; CHECK: %[[PITCH:pitch]] = load i64
; CHECK: %[[BEFORE:before]] = load i32
; CHECK: %[[MAGIC:magic]] = load i32
; CHECK: %[[AFTER:after]] = load i32
; CHECK: %[[STEP:step]] = load i32
; CHECK: %[[REST:.*]] = srem i64 %[[STRIDE:.*]], %[[PITCH]]
; CHECK: call i64 @llvm.abs.i64(i64 %[[STRIDE]], i1 false)
; CHECK: call { i64, i1 } @llvm.umul.with.overflow.i64(
; CHECK: icmp ult i64 %{{.*}}, 4611686018427387904
; CHECK: icmp eq i64 %[[REST]], 0
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}
; CHECK: %[[FIRST:first]] = getelementptr i8
; CHECK: %[[LONG:packed.step]] = add i64
; CHECK: loop:
; CHECK: %[[PACKED:packed]] = phi ptr [ %[[FIRST]], %{{.*}} ], [ %[[NEXT:packed.next]], %loop ]
; CHECK: %x = load float, ptr %pa
; CHECK: %y = load float, ptr %[[PACKED]]
; CHECK: %[[NEXT]] = getelementptr i8, ptr %[[PACKED]], i64 %[[LONG]]
; CHECK: store float %sum.next, ptr %pc
; CHECK: ret void
; CHECK: loop{{.*}}:
; CHECK: %[[X:.*]] = load float, ptr %pa
; CHECK: %[[AT:.*]] = ptrtoint ptr %[[PB:pb.*]] to i64
; CHECK: %[[FROM:.*]] = sub i64 %[[AT]], %[[BASE]]
; CHECK: %[[SHIFT:.*]] = zext i32 %[[BEFORE]] to i64
; CHECK: %[[SHIFTED:.*]] = lshr i64 %[[FROM]], %[[SHIFT]]
; CHECK: %[[UNITS:.*]] = trunc i64 %[[SHIFTED]] to i32
; CHECK-DAG: %[[WIDE:.*]] = zext i32 %[[UNITS]] to i64
; CHECK-DAG: %[[FACTOR:.*]] = zext i32 %[[MAGIC]] to i64
; CHECK: %[[PRODUCT:.*]] = mul i64 %[[WIDE]], %[[FACTOR]]
; CHECK: %[[UPPER:.*]] = lshr i64 %[[PRODUCT]], 32
; CHECK: %[[HIGH:.*]] = trunc i64 %[[UPPER]] to i32
; CHECK: %[[ROW:.*]] = lshr i32 %[[HIGH]], %[[AFTER]]
; CHECK-DAG: %[[ROW64:.*]] = sext i32 %[[ROW]] to i64
; CHECK-DAG: %[[STEP64:.*]] = sext i32 %[[STEP]] to i64
; CHECK: %[[BACK:.*]] = mul i64 %[[ROW64]], %[[STEP64]]
; CHECK: %[[MOVED:.*]] = getelementptr i8, ptr %[[PB]], i64 %[[MOVE]]
; CHECK: %[[FOUND:.*]] = getelementptr i8, ptr %[[MOVED]], i64 %[[BACK]]
; CHECK: load float, ptr %[[FOUND]]
; CHECK: br i1 %{{.*}}, label %loop{{.*}}, label %done{{.*}}, !llvm.loop
define void @product(ptr %a, ptr %b, ptr %c, i64 %n) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %j = zext i32 %block to i64
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %pa = getelementptr inbounds float, ptr %a, i64 %k
  %x = load float, ptr %pa
  %row = mul i64 %k, %n
  %at = add i64 %row, %j
  %pb = getelementptr inbounds float, ptr %b, i64 %at
  %y = load float, ptr %pb
  %xy = fmul float %x, %y
  %sum.next = fadd float %sum, %xy
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  %pc = getelementptr inbounds float, ptr %c, i64 %j
  store float %sum.next, ptr %pc
  ret void
}

; Arithmetic of 32 bits that may not wrap is as good.
; CHECK-LABEL: define {{.*}}void @narrow__packed__gridspan(
; CHECK: call { i64, i1 } @llvm.umul.with.overflow.i64(
; CHECK: %[[AT:packed]] = phi ptr
; CHECK: load float, ptr %[[AT]]
define void @narrow(ptr %b, ptr %c, i32 %n) {
entry:
  %j = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %row = mul nsw i32 %k, %n
  %at = add nsw i32 %row, %j
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %b, i64 %wide
  %y = load float, ptr %p
  %sum.next = fadd float %sum, %y
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store float %sum.next, ptr %c
  ret void
}

; Where it may, all rows are looked up.
; CHECK-LABEL: define {{.*}}void @wrapping__packed__gridspan(
; CHECK-NOT: umul
; CHECK-NOT: phi ptr
; CHECK: load float, ptr %packed
; CHECK-NOT: umul
; CHECK-NOT: phi ptr
; CHECK: ret void
define void @wrapping(ptr %b, ptr %c, i32 %n) {
entry:
  %j = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %row = mul i32 %k, %n
  %at = add i32 %row, %j
  %wide = zext i32 %at to i64
  %p = getelementptr inbounds float, ptr %b, i64 %wide
  %y = load float, ptr %p
  %sum.next = fadd float %sum, %y
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store float %sum.next, ptr %c
  ret void
}

; A pointer that is chosen with another one is not looked up.
; CHECK-NOT: @chosen__packed__gridspan
define void @chosen(ptr %a, ptr %b, ptr %c, i64 %n, i1 %which) {
entry:
  %from = select i1 %which, ptr %a, ptr %b
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %row = mul i64 %k, %n
  %p = getelementptr inbounds float, ptr %from, i64 %row
  %y = load float, ptr %p
  %q = getelementptr inbounds float, ptr %c, i64 %k
  store float %y, ptr %q
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

; Nor one that is written through.
; CHECK-NOT: @written__packed__gridspan
define void @written(ptr %b, i64 %n) {
entry:
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %row = mul i64 %k, %n
  %p = getelementptr inbounds float, ptr %b, i64 %row
  %y = load float, ptr %p
  %z = fadd float %y, 1.0
  store float %z, ptr %p
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @product, !"kernel", i32 1}
!1 = !{ptr @chosen, !"kernel", i32 1}
!2 = !{ptr @written, !"kernel", i32 1}
!3 = !{ptr @narrow, !"kernel", i32 1}
!4 = !{ptr @wrapping, !"kernel", i32 1}
