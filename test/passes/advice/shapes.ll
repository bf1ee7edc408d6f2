; Sizes of launches that nobody described, for kernels of several shapes.
; RUN: rm -f %t.json %t.given.json
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json
; RUN: gridspan-advice %t.json | grep ^kernel | sort | FileCheck %s
; RUN: %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-param=stridelong:1=100000 -gridspan-grid=stride2d:8x8 \
; RUN:   -gridspan-param=half:1=100000 -gridspan-advice=%t.given.json
; RUN: gridspan-advice %t.given.json | grep ^kernel | sort \
; RUN:   | FileCheck %s --check-prefix=GIVEN

; for (k = threadIdx.x; k < n; k += blockDim.x) in a block for each row: what its
; threads reach is no size of a row.
; CHECK: kernel blockrow of shapes.cu: 4096 blocks of 256 threads, parameter 2 = 1024 (assumed:
; CHECK-NEXT: kernel cube of shapes.cu: 4x32x64 blocks of 32x4x2 threads, parameter 1 = 128, parameter 2 = 128, parameter 3 = 128 (assumed:
; if (i < n / 2)
; CHECK-NEXT: kernel half of shapes.cu: 4096 blocks of 256 threads, parameter 1 = 2097152 (assumed:
; The size is in memory, or there is none.
; CHECK-NEXT: kernel loaded of shapes.cu: 4096 blocks of 256 threads (assumed: grid, block)
; CHECK-NEXT: kernel nobound2 of shapes.cu: 32x128 blocks of 32x8 threads, parameter 1 = 1024 (assumed:
; Threads along the axis that the kernel has.
; CHECK-NEXT: kernel onlyy of shapes.cu: 1x4096 blocks of 1x256 threads, parameter 1 = 1048576 (assumed:
; if (i < w * h)
; CHECK-NEXT: kernel prod of shapes.cu: 4096 blocks of 256 threads, parameter 1 = 1024, parameter 2 = 1024 (assumed:
; Depth by blocks alone.
; CHECK-NEXT: kernel slices of shapes.cu: 4x16x128 blocks of 32x8 threads, parameter 1 = 128, parameter 2 = 128, parameter 3 = 128 (assumed:
; i + 1 < n - 1: rows stay a round number.
; CHECK-NEXT: kernel stencil3 of shapes.cu: 4x32x64 blocks of 32x4x2 threads, parameter 2 = 128 (assumed:
; Loops that stride over the grid go round four times.
; CHECK-NEXT: kernel stride2d of shapes.cu: 16x64 blocks of 32x8 threads, parameter 1 = 1024, parameter 2 = 1024 (assumed:
; CHECK-NEXT: kernel stridelong of shapes.cu: 1024 blocks of 256 threads, parameter 1 = 1048576 (assumed:

; GIVEN: kernel half of shapes.cu: 196 blocks of 256 threads, parameter 1 = 100000 (assumed: grid, block)
; GIVEN: kernel stride2d of shapes.cu: 8x8 blocks of 32x8 threads, parameter 1 = 512, parameter 2 = 128 (assumed: block, parameter 1, parameter 2)
; GIVEN: kernel stridelong of shapes.cu: 391 blocks of 256 threads, parameter 1 = 100000 (assumed: grid, block)

source_filename = "shapes.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @stridelong(ptr %0, i64 %1) #0 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %5 = mul nuw nsw i32 %3, %4
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = add nuw nsw i32 %5, %6
  %8 = zext nneg i32 %7 to i64
  %9 = icmp ult i64 %8, %1
  br i1 %9, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %2
  %10 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = zext nneg i32 %4 to i64
  %13 = mul nuw nsw i64 %11, %12
  br label %14

._crit_edge:                                      ; preds = %14, %2
  ret void

14:                                               ; preds = %.lr.ph, %14
  %.04 = phi i64 [ %8, %.lr.ph ], [ %16, %14 ]
  %15 = getelementptr inbounds float, ptr %0, i64 %.04
  store float 0.000000e+00, ptr %15, align 4
  %16 = add i64 %.04, %13
  %17 = icmp ult i64 %16, %1
  br i1 %17, label %14, label %._crit_edge
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #0

define ptx_kernel void @stride2d(ptr %0, i32 %1, i32 %2) #0 {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %6 = mul nuw nsw i32 %4, %5
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %8 = add nuw nsw i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %.lr.ph14, label %._crit_edge15

.lr.ph14:                                         ; preds = %3
  %10 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %11 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %12 = mul nuw nsw i32 %10, %11
  %13 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %14 = add nuw nsw i32 %12, %13
  %15 = icmp slt i32 %14, %1
  %16 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %17 = mul nuw nsw i32 %16, %11
  %18 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %19 = mul nuw nsw i32 %18, %5
  br label %20

._crit_edge15:                                    ; preds = %._crit_edge, %3
  ret void

20:                                               ; preds = %.lr.ph14, %._crit_edge
  %.0912 = phi i32 [ %8, %.lr.ph14 ], [ %22, %._crit_edge ]
  br i1 %15, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %20
  %21 = mul nsw i32 %.0912, %1
  br label %24

._crit_edge:                                      ; preds = %24, %20
  %22 = add nuw nsw i32 %.0912, %19
  %23 = icmp slt i32 %22, %2
  br i1 %23, label %20, label %._crit_edge15

24:                                               ; preds = %.lr.ph, %24
  %.011 = phi i32 [ %14, %.lr.ph ], [ %28, %24 ]
  %25 = add nsw i32 %.011, %21
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds float, ptr %0, i64 %26
  store float 0.000000e+00, ptr %27, align 4
  %28 = add nuw nsw i32 %.011, %17
  %29 = icmp slt i32 %28, %1
  br i1 %29, label %24, label %._crit_edge
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #0

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #0

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #0

define ptx_kernel void @cube(ptr %0, i32 %1, i32 %2, i32 %3) #0 {
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %5, %6
  %8 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %11 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %12 = mul nuw nsw i32 %10, %11
  %13 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %14 = add nuw nsw i32 %12, %13
  %15 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %16 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %17 = mul nuw nsw i32 %15, %16
  %18 = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %19 = add nuw nsw i32 %17, %18
  %20 = icmp slt i32 %9, %1
  %21 = icmp slt i32 %14, %2
  %or.cond = select i1 %20, i1 %21, i1 false
  %22 = icmp slt i32 %19, %3
  %or.cond15 = select i1 %or.cond, i1 %22, i1 false
  br i1 %or.cond15, label %23, label %30

23:                                               ; preds = %4
  %24 = mul nsw i32 %19, %2
  %25 = add nuw nsw i32 %24, %14
  %26 = mul nsw i32 %25, %1
  %27 = add nuw nsw i32 %26, %9
  %28 = zext nneg i32 %27 to i64
  %29 = getelementptr inbounds float, ptr %0, i64 %28
  store float 0.000000e+00, ptr %29, align 4
  br label %30

30:                                               ; preds = %23, %4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() #0

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z() #0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.z() #0

define ptx_kernel void @slices(ptr %0, i32 %1, i32 %2, i32 %3) #0 {
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %5, %6
  %8 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %11 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %12 = mul nuw nsw i32 %10, %11
  %13 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %14 = add nuw nsw i32 %12, %13
  %15 = icmp slt i32 %9, %1
  %16 = icmp slt i32 %14, %2
  %or.cond = select i1 %15, i1 %16, i1 false
  br i1 %or.cond, label %17, label %27

17:                                               ; preds = %4
  %18 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %19 = icmp slt i32 %18, %3
  br i1 %19, label %20, label %27

20:                                               ; preds = %17
  %21 = mul nsw i32 %18, %2
  %22 = add nuw nsw i32 %21, %14
  %23 = mul nsw i32 %22, %1
  %24 = add nuw nsw i32 %23, %9
  %25 = zext nneg i32 %24 to i64
  %26 = getelementptr inbounds float, ptr %0, i64 %25
  store float 0.000000e+00, ptr %26, align 4
  br label %27

27:                                               ; preds = %20, %17, %4
  ret void
}

define ptx_kernel void @nobound2(ptr %0, i32 %1) #0 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %5 = mul nuw nsw i32 %3, %4
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %7 = add nuw nsw i32 %5, %6
  %8 = mul nsw i32 %7, %1
  %9 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %11 = mul nuw nsw i32 %9, %10
  %12 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %13 = add nuw i32 %11, %12
  %14 = add i32 %13, %8
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds float, ptr %0, i64 %15
  store float 0.000000e+00, ptr %16, align 4
  ret void
}

define ptx_kernel void @loaded(ptr %0, ptr %1) #0 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %5 = mul nuw nsw i32 %3, %4
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = add nuw nsw i32 %5, %6
  %8 = load i32, ptr %1, align 4
  %9 = icmp slt i32 %7, %8
  br i1 %9, label %10, label %13

10:                                               ; preds = %2
  %11 = zext nneg i32 %7 to i64
  %12 = getelementptr inbounds float, ptr %0, i64 %11
  store float 0.000000e+00, ptr %12, align 4
  br label %13

13:                                               ; preds = %10, %2
  ret void
}

define ptx_kernel void @prod(ptr %0, i32 %1, i32 %2) #0 {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = mul nsw i32 %2, %1
  %10 = icmp slt i32 %8, %9
  br i1 %10, label %11, label %14

11:                                               ; preds = %3
  %12 = zext nneg i32 %8 to i64
  %13 = getelementptr inbounds float, ptr %0, i64 %12
  store float 0.000000e+00, ptr %13, align 4
  br label %14

14:                                               ; preds = %11, %3
  ret void
}

define ptx_kernel void @blockrow(ptr %0, ptr %1, i32 %2) #0 {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = icmp slt i32 %4, %2
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br i1 %5, label %.lr.ph, label %.._crit_edge_crit_edge

.._crit_edge_crit_edge:                           ; preds = %3
  %.pre12 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %._crit_edge

.lr.ph:                                           ; preds = %3
  %7 = mul nsw i32 %6, %2
  %8 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %13

._crit_edge:                                      ; preds = %13, %.._crit_edge_crit_edge
  %.pre-phi13 = phi i32 [ %.pre12, %.._crit_edge_crit_edge ], [ %8, %13 ]
  %.08.lcssa = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %18, %13 ]
  %9 = mul nuw nsw i32 %6, %.pre-phi13
  %10 = add nuw nsw i32 %9, %4
  %11 = zext nneg i32 %10 to i64
  %12 = getelementptr inbounds float, ptr %1, i64 %11
  store float %.08.lcssa, ptr %12, align 4
  ret void

13:                                               ; preds = %.lr.ph, %13
  %.011 = phi i32 [ %4, %.lr.ph ], [ %19, %13 ]
  %.0810 = phi float [ 0.000000e+00, %.lr.ph ], [ %18, %13 ]
  %14 = add nsw i32 %.011, %7
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds float, ptr %0, i64 %15
  %17 = load float, ptr %16, align 4
  %18 = fadd contract float %.0810, %17
  %19 = add nuw nsw i32 %.011, %8
  %20 = icmp slt i32 %19, %2
  br i1 %20, label %13, label %._crit_edge
}

define ptx_kernel void @stencil3(ptr %0, ptr %1, i32 %2) #0 {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %7, 1
  %9 = add nuw nsw i32 %8, %6
  %10 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %11 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %12 = mul nuw nsw i32 %10, %11
  %13 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %14 = add nuw nsw i32 %13, 1
  %15 = add nuw nsw i32 %14, %12
  %16 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %17 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %18 = mul nuw nsw i32 %16, %17
  %19 = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %20 = add nuw nsw i32 %19, 1
  %21 = add nuw nsw i32 %20, %18
  %22 = add nsw i32 %2, -1
  %23 = icmp slt i32 %9, %22
  %24 = icmp slt i32 %15, %22
  %or.cond = select i1 %23, i1 %24, i1 false
  %25 = icmp slt i32 %21, %22
  %or.cond20 = select i1 %or.cond, i1 %25, i1 false
  br i1 %or.cond20, label %26, label %36

26:                                               ; preds = %3
  %27 = mul nsw i32 %21, %2
  %28 = add nsw i32 %27, %15
  %29 = mul nsw i32 %28, %2
  %30 = add nsw i32 %29, %9
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds float, ptr %1, i64 %31
  %33 = getelementptr float, ptr %0, i64 %31
  %34 = getelementptr i8, ptr %33, i64 4
  %35 = load float, ptr %34, align 4
  store float %35, ptr %32, align 4
  br label %36

36:                                               ; preds = %26, %3
  ret void
}

define ptx_kernel void @half(ptr %0, i32 %1) #0 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %5 = mul nuw nsw i32 %3, %4
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = add nuw nsw i32 %5, %6
  %8 = sdiv i32 %1, 2
  %9 = icmp slt i32 %7, %8
  br i1 %9, label %10, label %14

10:                                               ; preds = %2
  %11 = shl nuw nsw i32 %7, 1
  %12 = zext nneg i32 %11 to i64
  %13 = getelementptr inbounds float, ptr %0, i64 %12
  store float 0.000000e+00, ptr %13, align 4
  br label %14

14:                                               ; preds = %10, %2
  ret void
}

define ptx_kernel void @onlyy(ptr %0, i32 %1) #0 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %5 = mul nuw nsw i32 %3, %4
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %7 = add nuw nsw i32 %5, %6
  %8 = icmp slt i32 %7, %1
  br i1 %8, label %9, label %12

9:                                                ; preds = %2
  %10 = zext nneg i32 %7 to i64
  %11 = getelementptr inbounds float, ptr %0, i64 %10
  store float 0.000000e+00, ptr %11, align 4
  br label %12

12:                                               ; preds = %9, %2
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
