; RUN: %opt -passes=gridspan-tile,verify -S %s | FileCheck %s
; Functions that read the block index are cloned once and get the tile by value,
; also through callers and recursion; others are shared with the original.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

define internal i32 @index(i32 %i) noinline {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %s = add i32 %x, %i
  ret i32 %s
}

define internal i32 @recursive(i32 %n) noinline {
entry:
  %done = icmp eq i32 %n, 0
  br i1 %done, label %out, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @recursive(i32 %m)
  ret i32 %r
out:
  %x = call i32 @index(i32 0)
  ret i32 %x
}

define internal i32 @plain(i32 %i) noinline {
  %s = mul i32 %i, 3
  ret i32 %s
}

define void @first(ptr %p) {
  %a = call i32 @recursive(i32 4)
  %b = call i32 @plain(i32 %a)
  store i32 %b, ptr %p
  ret void
}

define void @second(ptr %p) {
  %a = call i32 @index(i32 7)
  store i32 %a, ptr %p
  ret void
}

; CHECK-LABEL: define void @first__gridspan(
; CHECK: [[TILE:%.*]] = load { [3 x i32], [3 x i32] }, ptr %tile
; CHECK: call i32 @recursive__gridspan(i32 4, { [3 x i32], [3 x i32] } [[TILE]])
; CHECK: call i32 @plain(i32 %a)
; CHECK-LABEL: define internal i32 @recursive__gridspan(i32 %n, { [3 x i32], [3 x i32] } %tile)
; CHECK: call i32 @recursive__gridspan(i32 %m, { [3 x i32], [3 x i32] } %tile)
; CHECK: call i32 @index__gridspan(i32 0, { [3 x i32], [3 x i32] } %tile)
; CHECK-LABEL: define internal i32 @index__gridspan(i32 %i, { [3 x i32], [3 x i32] } %tile)
; CHECK: [[O:%.*]] = extractvalue { [3 x i32], [3 x i32] } %tile, 0, 0
; CHECK: add i32 {{.*}}, [[O]]
; CHECK-LABEL: define void @second__gridspan(
; CHECK: call i32 @index__gridspan(i32 7,
; CHECK-NOT: define {{.*}}__gridspan

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @first, !"kernel", i32 1}
!1 = !{ptr @second, !"kernel", i32 1}
