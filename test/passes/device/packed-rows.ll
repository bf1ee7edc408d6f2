; RUN: %opt -passes=gridspan-device -S %s | FileCheck %s
; The clone with packed rows looks up where the second operand of a matrix product
; lies; the first one, which it walks along its rows, stays.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-LABEL: define {{.*}}void @product__gridspan(ptr %a, ptr %b, ptr %c, i64 %n, ptr noundef byval({ [3 x i32], [3 x i32] }) align 4 %tile)
; CHECK-NOT: packed

; CHECK-LABEL: define {{.*}}void @product__packed__gridspan(ptr %a, ptr %b, ptr %c, i64 %n, ptr noundef byval([1 x [4 x i64]]) align 8 %packings, ptr noundef byval({ [3 x i32], [3 x i32] }) align 4 %tile)
; CHECK: %[[BASE:base]] = load i64
; CHECK: %[[MOVE:move]] = load i64
; CHECK: %[[BEFORE:before]] = load i32
; CHECK: %[[MAGIC:magic]] = load i32
; CHECK: %[[AFTER:after]] = load i32
; CHECK: %[[STEP:step]] = load i32
; CHECK: loop:
; CHECK: %x = load float, ptr %pa
; CHECK: %[[AT:.*]] = ptrtoint ptr %pb to i64
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
; CHECK: %[[MOVED:.*]] = getelementptr i8, ptr %pb, i64 %[[MOVE]]
; CHECK: %[[PACKED:.*]] = getelementptr i8, ptr %[[MOVED]], i64 %[[BACK]]
; CHECK: %y = load float, ptr %[[PACKED]]
; CHECK: store float %sum.next, ptr %pc
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

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @product, !"kernel", i32 1}
!1 = !{ptr @chosen, !"kernel", i32 1}
!2 = !{ptr @written, !"kernel", i32 1}
