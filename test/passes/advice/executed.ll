; Counts are exact where the optimized code does what they are of.
; RUN: rm -f %t.json
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json \
; RUN:   -gridspan-block=256 -gridspan-block=rows:32x8 -gridspan-grid=4 \
; RUN:   -gridspan-param=2=1000
; RUN: grep -E '^ {6}"mangled|^ {10}"(exact|kind|site|space|units)"' %t.json \
; RUN:   | tr -d '\n ' | sed -e 's/"exact"/\n"exact"/g' -e 's/"mangled"/\n"mangled"/g' \
; RUN:   | FileCheck %s

; ptxas may do the loads of one address on both sides of a branch as one; the
; third one is of another address.
; CHECK: "exact":false,"kind":"load","site":0,"space":"global"
; CHECK-NEXT: "exact":true,"kind":"load","site":1,"space":"global"
; CHECK-NEXT: "exact":true,"kind":"load","site":2,"space":"global"
; CHECK-NEXT: "exact":false,"kind":"load","site":3,"space":"global"
; CHECK-NEXT: "exact":true,"kind":"store",

; A row of shared memory that an unrolled loop loads is loaded four at a time.
; CHECK: "exact":true,"kind":"load",{{.*}}"space":"global","units":128
; CHECK: "exact":true,"kind":"store","space":"shared","units":32
; CHECK: "exact":true,"kind":"store",{{.*}}"space":"global","units":128
; CHECK: "exact":false,"kind":"load","space":"shared","units":1024

; Arguments lead to global memory, so that stores to shared memory pass loads
; from there, and are joined.
; CHECK-COUNT-4: "exact":true,"kind":"load",{{.*}}"space":"global","units":128
; CHECK-NEXT: "exact":true,"kind":"store","space":"shared","units":128
; CHECK-NOT: "kind":"store","space":"shared"

source_filename = "executed.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ4rowsE1t = internal unnamed_addr addrspace(3) global [8 x [32 x float]] undef, align 4
@_ZZ5quadsE1t = internal unnamed_addr addrspace(3) global [1024 x float] undef, align 4

define ptx_kernel void @twins(ptr %0, ptr %1, i32 %2) #0 {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %26

10:                                               ; preds = %3
  %11 = urem i32 %8, 7
  %12 = icmp eq i32 %11, 0
  %13 = zext nneg i32 %8 to i64
  %14 = getelementptr inbounds float, ptr %0, i64 %13
  br i1 %12, label %15, label %17

15:                                               ; preds = %10
  %16 = load float, ptr %14, align 4
  br label %.sink.split

17:                                               ; preds = %10
  %18 = getelementptr inbounds i8, ptr %14, i64 4
  %19 = load float, ptr %18, align 4
  %20 = getelementptr inbounds i8, ptr %14, i64 8
  %21 = load float, ptr %20, align 4
  %22 = fmul contract float %19, %21
  %23 = load float, ptr %14, align 4
  %24 = fadd contract float %22, %23
  br label %.sink.split

.sink.split:                                      ; preds = %17, %15
  %.sink = phi float [ %16, %15 ], [ %24, %17 ]
  %25 = getelementptr inbounds float, ptr %1, i64 %13
  store float %.sink, ptr %25, align 4
  br label %26

26:                                               ; preds = %.sink.split, %3
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

define ptx_kernel void @rows(ptr %0) #0 {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %3 = shl nuw nsw i32 %2, 5
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = add nuw nsw i32 %3, %4
  %6 = zext nneg i32 %5 to i64
  %7 = getelementptr inbounds float, ptr %0, i64 %6
  %8 = load float, ptr %7, align 4
  %9 = zext nneg i32 %2 to i64
  %10 = zext nneg i32 %4 to i64
  %11 = getelementptr inbounds [8 x [32 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ4rowsE1t to ptr), i64 0, i64 %9, i64 %10
  store float %8, ptr %11, align 4
  call void @llvm.nvvm.bar.sync(i32 0)
  br label %13

12:                                               ; preds = %13
  store float %17, ptr %7, align 4
  ret void

13:                                               ; preds = %1, %13
  %.08 = phi i32 [ 0, %1 ], [ %18, %13 ]
  %.067 = phi float [ 0.000000e+00, %1 ], [ %17, %13 ]
  %14 = zext nneg i32 %.08 to i64
  %15 = getelementptr inbounds [8 x [32 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ4rowsE1t to ptr), i64 0, i64 %9, i64 %14
  %16 = load float, ptr %15, align 4
  %17 = fadd contract float %.067, %16
  %18 = add nuw nsw i32 %.08, 1
  %exitcond.not = icmp eq i32 %18, 32
  br i1 %exitcond.not, label %12, label %13
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #0

declare void @llvm.nvvm.bar.sync(i32) #0

define ptx_kernel void @quads(ptr %0, ptr %1) #0 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = shl nuw nsw i32 %3, 2
  %5 = zext nneg i32 %3 to i64
  %6 = getelementptr inbounds float, ptr %0, i64 %5
  %7 = load float, ptr %6, align 4
  %8 = zext nneg i32 %4 to i64
  %9 = getelementptr inbounds [1024 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ5quadsE1t to ptr), i64 0, i64 %8
  store float %7, ptr %9, align 4
  %10 = zext nneg i32 %3 to i64
  %11 = getelementptr inbounds float, ptr %0, i64 %10
  %12 = getelementptr inbounds i8, ptr %11, i64 1024
  %13 = load float, ptr %12, align 4
  %14 = or disjoint i32 %4, 1
  %15 = zext nneg i32 %14 to i64
  %16 = getelementptr inbounds [1024 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ5quadsE1t to ptr), i64 0, i64 %15
  store float %13, ptr %16, align 4
  %17 = zext nneg i32 %3 to i64
  %18 = getelementptr inbounds float, ptr %0, i64 %17
  %19 = getelementptr inbounds i8, ptr %18, i64 2048
  %20 = load float, ptr %19, align 4
  %21 = or disjoint i32 %4, 2
  %22 = zext nneg i32 %21 to i64
  %23 = getelementptr inbounds [1024 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ5quadsE1t to ptr), i64 0, i64 %22
  store float %20, ptr %23, align 4
  %24 = zext nneg i32 %3 to i64
  %25 = getelementptr inbounds float, ptr %0, i64 %24
  %26 = getelementptr inbounds i8, ptr %25, i64 3072
  %27 = load float, ptr %26, align 4
  %28 = or disjoint i32 %4, 3
  %29 = zext nneg i32 %28 to i64
  %30 = getelementptr inbounds [1024 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ5quadsE1t to ptr), i64 0, i64 %29
  store float %27, ptr %30, align 4
  call void @llvm.nvvm.bar.sync(i32 0)
  %31 = getelementptr inbounds [1024 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ5quadsE1t to ptr), i64 0, i64 %5
  %32 = load float, ptr %31, align 4
  %33 = getelementptr inbounds float, ptr %1, i64 %5
  store float %32, ptr %33, align 4
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
