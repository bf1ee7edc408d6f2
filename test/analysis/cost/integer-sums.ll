; Integer sums are done by both pipes for integers, others by one.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=65536 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel sums,
; CHECK: int 18.88,
define ptx_kernel void @sums(ptr noalias %a, ptr noalias %b) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %q = getelementptr i32, ptr %b, i64 %w
  %v0 = load i32, ptr %p, align 4
  %c0 = add i32 %v0, %t
  %v1 = lshr i32 %c0, 1
  %c1 = add i32 %v1, %t
  %v2 = lshr i32 %c1, 1
  %c2 = add i32 %v2, %t
  %v3 = lshr i32 %c2, 1
  %c3 = add i32 %v3, %t
  %v4 = lshr i32 %c3, 1
  %c4 = add i32 %v4, %t
  %v5 = lshr i32 %c4, 1
  %c5 = add i32 %v5, %t
  %v6 = lshr i32 %c5, 1
  %c6 = add i32 %v6, %t
  %v7 = lshr i32 %c6, 1
  %c7 = add i32 %v7, %t
  %v8 = lshr i32 %c7, 1
  %c8 = add i32 %v8, %t
  %v9 = lshr i32 %c8, 1
  %c9 = add i32 %v9, %t
  %v10 = lshr i32 %c9, 1
  %c10 = add i32 %v10, %t
  %v11 = lshr i32 %c10, 1
  %c11 = add i32 %v11, %t
  %v12 = lshr i32 %c11, 1
  %c12 = add i32 %v12, %t
  %v13 = lshr i32 %c12, 1
  %c13 = add i32 %v13, %t
  %v14 = lshr i32 %c13, 1
  %c14 = add i32 %v14, %t
  %v15 = lshr i32 %c14, 1
  %c15 = add i32 %v15, %t
  %v16 = lshr i32 %c15, 1
  store i32 %v16, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel shifts,
; CHECK: int 35.53,
define ptx_kernel void @shifts(ptr noalias %a, ptr noalias %b) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %q = getelementptr i32, ptr %b, i64 %w
  %v0 = load i32, ptr %p, align 4
  %c0 = call i32 @llvm.umin.i32(i32 %v0, i32 %t)
  %v1 = lshr i32 %c0, 1
  %c1 = call i32 @llvm.umin.i32(i32 %v1, i32 %t)
  %v2 = lshr i32 %c1, 1
  %c2 = call i32 @llvm.umin.i32(i32 %v2, i32 %t)
  %v3 = lshr i32 %c2, 1
  %c3 = call i32 @llvm.umin.i32(i32 %v3, i32 %t)
  %v4 = lshr i32 %c3, 1
  %c4 = call i32 @llvm.umin.i32(i32 %v4, i32 %t)
  %v5 = lshr i32 %c4, 1
  %c5 = call i32 @llvm.umin.i32(i32 %v5, i32 %t)
  %v6 = lshr i32 %c5, 1
  %c6 = call i32 @llvm.umin.i32(i32 %v6, i32 %t)
  %v7 = lshr i32 %c6, 1
  %c7 = call i32 @llvm.umin.i32(i32 %v7, i32 %t)
  %v8 = lshr i32 %c7, 1
  %c8 = call i32 @llvm.umin.i32(i32 %v8, i32 %t)
  %v9 = lshr i32 %c8, 1
  %c9 = call i32 @llvm.umin.i32(i32 %v9, i32 %t)
  %v10 = lshr i32 %c9, 1
  %c10 = call i32 @llvm.umin.i32(i32 %v10, i32 %t)
  %v11 = lshr i32 %c10, 1
  %c11 = call i32 @llvm.umin.i32(i32 %v11, i32 %t)
  %v12 = lshr i32 %c11, 1
  %c12 = call i32 @llvm.umin.i32(i32 %v12, i32 %t)
  %v13 = lshr i32 %c12, 1
  %c13 = call i32 @llvm.umin.i32(i32 %v13, i32 %t)
  %v14 = lshr i32 %c13, 1
  %c14 = call i32 @llvm.umin.i32(i32 %v14, i32 %t)
  %v15 = lshr i32 %c14, 1
  %c15 = call i32 @llvm.umin.i32(i32 %v15, i32 %t)
  %v16 = lshr i32 %c15, 1
  store i32 %v16, ptr %q, align 4
  ret void
}

declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
