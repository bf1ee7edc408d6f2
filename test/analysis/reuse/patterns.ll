; RUN: %opt -passes='print<gridspan-reuse>' -disable-output %s \
; RUN:   -gridspan-grid=65536 -gridspan-grid=columnSums:2 -gridspan-grid=scaled:132 \
; RUN:   -gridspan-grid=atomicSums:8192 -gridspan-param=windowSum:2=16777216 \
; RUN:   -gridspan-param=windowSum:3=256 -gridspan-param=columnSums:2=512 \
; RUN:   -gridspan-param=atomicSums:2=512 -gridspan-param=3=4096 \
; RUN:   -gridspan-param=windowSum:3=256 2>&1 | FileCheck %s
; RUN: %opt -passes='print<gridspan-reuse>' -disable-output %s \
; RUN:   -gridspan-grid=65536 -gridspan-param=2=16777216 \
; RUN:   -gridspan-param=windowSum:3=16 2>&1 | FileCheck %s --check-prefix=SHORT

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A window over neighbours: with 256 of them L1 is the limit, as nearly every
; request crosses a line, and a stage is not; with 16 there is nothing to gain.
; CHECK-LABEL: kernel windowSum
; CHECK-NEXT: serial reduction reaches about {{.*}} bound by the load and store units
; CHECK-NEXT: stays: reads-again, most bytes are read several times: no reduction of an array
; CHECK-NEXT: the threads of a block read 2044 bytes of arg0 128.3 times each, 100% of their sectors from L1
; CHECK-NEXT: stage them in shared memory (a tile of 1024 bytes and a halo of 1020): predicted 1.{{[1-9][0-9]*}} times as fast
; SHORT-LABEL: kernel windowSum
; SHORT: the threads of a block read 1084 bytes of arg0
; SHORT-NEXT: stays: served-by-l1, served by L1 as fast as shared memory would
define ptx_kernel void @windowSum(ptr %0, ptr %1, i32 %2, i32 %3) #0 {
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %.not = icmp ult i32 %9, %2
  br i1 %.not, label %.preheader, label %18

.preheader:
  %.not15 = icmp eq i32 %3, 0
  br i1 %.not15, label %._crit_edge, label %.lr.ph

._crit_edge:
  %.011.lcssa = phi float [ 0.000000e+00, %.preheader ], [ %16, %.lr.ph ]
  %10 = zext i32 %9 to i64
  %11 = getelementptr inbounds float, ptr %1, i64 %10
  store float %.011.lcssa, ptr %11, align 4
  br label %18

.lr.ph:
  %.014 = phi i32 [ %17, %.lr.ph ], [ 0, %.preheader ]
  %.01113 = phi float [ %16, %.lr.ph ], [ 0.000000e+00, %.preheader ]
  %12 = add i32 %.014, %9
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds float, ptr %0, i64 %13
  %15 = load float, ptr %14, align 4
  %16 = fadd contract float %.01113, %15
  %17 = add nuw i32 %.014, 1
  %exitcond.not = icmp eq i32 %17, %3
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph

18:
  ret void
}

; A sum for each of 512 threads: too little is under way.
; CHECK-LABEL: kernel columnSums
; CHECK-NEXT: serial reduction reaches about {{[0-9]+}} of {{[0-9]+}} GB/s in 2 blocks, bound by the latency; 16 warps have 16 KB under way and {{[0-9]+}} are needed
; CHECK-NEXT: let a block take 64 neighbouring sums, 2 a thread by loads of 16 bytes {{.*}}; about 528 blocks of 256 threads in all (split sums over blocks where there are fewer): predicted {{[0-9.]+}} times as fast
define ptx_kernel void @columnSums(ptr %0, ptr %1, i32 %2, i32 %3) #0 {
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %.not = icmp ult i32 %9, %2
  br i1 %.not, label %.preheader, label %19

.preheader:
  %.not17 = icmp eq i32 %3, 0
  br i1 %.not17, label %._crit_edge, label %.lr.ph

._crit_edge:
  %.012.lcssa = phi double [ 0.000000e+00, %.preheader ], [ %17, %.lr.ph ]
  %10 = zext i32 %9 to i64
  %11 = getelementptr inbounds double, ptr %1, i64 %10
  store double %.012.lcssa, ptr %11, align 8
  br label %19

.lr.ph:
  %.016 = phi i32 [ %18, %.lr.ph ], [ 0, %.preheader ]
  %.01215 = phi double [ %17, %.lr.ph ], [ 0.000000e+00, %.preheader ]
  %12 = mul i32 %.016, %2
  %13 = add i32 %12, %9
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds double, ptr %0, i64 %14
  %16 = load double, ptr %15, align 8
  %17 = fadd contract double %.01215, %16
  %18 = add nuw i32 %.016, 1
  %exitcond.not = icmp eq i32 %18, %3
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph

19:
  ret void
}

; CHECK-LABEL: kernel atomicSums
; CHECK-NEXT: reduction by atomics reaches about {{[0-9]+}} of {{[0-9]+}} GB/s in 8192 blocks, bound by the atomics
; CHECK-NEXT: add up in registers and shared memory, one atomic or one part a block
define ptx_kernel void @atomicSums(ptr %0, ptr %1, i32 %2, i32 %3) #0 {
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %10 = mul i32 %3, %2
  %11 = icmp ult i32 %9, %10
  br i1 %11, label %12, label %20

12:
  %13 = udiv i32 %9, %3
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds double, ptr %1, i64 %14
  %16 = zext i32 %9 to i64
  %17 = getelementptr inbounds double, ptr %0, i64 %16
  %18 = load double, ptr %17, align 8
  %19 = atomicrmw fadd ptr %15, double %18 seq_cst, align 8
  br label %20

20:
  ret void
}

; The factor is loaded again and again, as the store might change it.
; CHECK-LABEL: kernel scaled
; CHECK: the load from arg0 is repeated in each iteration, as the store to arg1 may change what it reads
; CHECK-NEXT: declare arg0 const __restrict__ and arg1 __restrict__ if they do not overlap: predicted {{[2-4]}}.{{[0-9]+}} times as fast
define ptx_kernel void @scaled(ptr %0, ptr %1, i32 %2) #0 {
  %4 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul i32 %4, %5
  %7 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add i32 %6, %7
  %.not = icmp eq i32 %2, 0
  br i1 %.not, label %._crit_edge, label %.lr.ph

._crit_edge:
  ret void

.lr.ph:
  %.06 = phi i32 [ %16, %.lr.ph ], [ 0, %3 ]
  %9 = load float, ptr %0, align 4
  %10 = shl i32 %.06, 16
  %11 = add i32 %8, %10
  %12 = zext i32 %11 to i64
  %13 = getelementptr inbounds float, ptr %1, i64 %12
  %14 = load float, ptr %13, align 4
  %15 = fmul contract float %9, %14
  store float %15, ptr %13, align 4
  %16 = add nuw i32 %.06, 1
  %exitcond.not = icmp eq i32 %16, %2
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
