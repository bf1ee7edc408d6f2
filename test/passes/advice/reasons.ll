; Why there is no closed form, no stage and no other reduction, by name.
; RUN: rm -f %t.json
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json
; RUN: grep -E '"(mangled|no_sectors_of_warp|stays)"' %t.json | tr -d ' ' \
; RUN:   | FileCheck %s

; b[i] = a[x[i]]
; CHECK: "mangled":"gather"
; CHECK: "stays":"loaded-addresses"
; CHECK: "no_sectors_of_warp":"not-counted"
; The store to i * i % 1000 has no distance from lane to lane.
; CHECK: "mangled":"bent"
; CHECK: "no_sectors_of_warp":"no-stride"
; Four floats that are aligned as one.
; CHECK: "mangled":"wide"
; CHECK: "no_sectors_of_warp":"several-requests"
; if (threadIdx.x < 20)
; CHECK: "mangled":"part"
; CHECK: "no_sectors_of_warp":"partial-warps"
; Sums from first[i] to first[i + 1].
; CHECK: "mangled":"segments"
; CHECK: "stays":"unknown-trip-counts"
; CHECK: "no_sectors_of_warp":"within-sectors"

source_filename = "reasons.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @gather(ptr noalias %0, ptr noalias %1, ptr %2) #0 {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = zext nneg i32 %8 to i64
  %10 = getelementptr inbounds i32, ptr %0, i64 %9
  %11 = load i32, ptr %10, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds float, ptr %1, i64 %12
  %14 = load float, ptr %13, align 4
  %15 = getelementptr inbounds float, ptr %2, i64 %9
  store float %14, ptr %15, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

define ptx_kernel void @bent(ptr %0) #0 {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %4 = mul nuw nsw i32 %2, %3
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %6 = add nuw nsw i32 %4, %5
  %7 = mul i32 %6, %6
  %8 = urem i32 %7, 1000
  %9 = zext nneg i32 %8 to i64
  %10 = getelementptr inbounds float, ptr %0, i64 %9
  store float 1.000000e+00, ptr %10, align 4
  ret void
}

define ptx_kernel void @wide(ptr %0) #0 {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %4 = mul nuw nsw i32 %2, %3
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %6 = add nuw nsw i32 %4, %5
  %7 = zext nneg i32 %6 to i64
  %8 = getelementptr inbounds <4 x float>, ptr %0, i64 %7
  store <4 x float> <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>, ptr %8, align 4
  ret void
}

define ptx_kernel void @part(ptr %0) #0 {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = icmp ult i32 %2, 20
  br i1 %3, label %4, label %11

4:                                                ; preds = %1
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %5, %6
  %8 = add nuw nsw i32 %7, %2
  %9 = zext nneg i32 %8 to i64
  %10 = getelementptr inbounds float, ptr %0, i64 %9
  store float 1.000000e+00, ptr %10, align 4
  br label %11

11:                                               ; preds = %4, %1
  ret void
}

define ptx_kernel void @segments(ptr noalias %0, ptr noalias %1, ptr %2) #0 {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nuw nsw i32 %4, %5
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = zext nneg i32 %8 to i64
  %10 = getelementptr inbounds i32, ptr %0, i64 %9
  %11 = load i32, ptr %10, align 4
  %12 = getelementptr inbounds i8, ptr %10, i64 4
  %13 = load i32, ptr %12, align 4
  %14 = icmp slt i32 %11, %13
  br i1 %14, label %.lr.ph, label %._crit_edge

._crit_edge:                                      ; preds = %.lr.ph, %3
  %.011.lcssa = phi float [ 0.000000e+00, %3 ], [ %19, %.lr.ph ]
  %15 = getelementptr inbounds float, ptr %2, i64 %9
  store float %.011.lcssa, ptr %15, align 4
  ret void

.lr.ph:                                           ; preds = %3, %.lr.ph
  %.013 = phi i32 [ %20, %.lr.ph ], [ %11, %3 ]
  %.01112 = phi float [ %19, %.lr.ph ], [ 0.000000e+00, %3 ]
  %16 = sext i32 %.013 to i64
  %17 = getelementptr inbounds float, ptr %1, i64 %16
  %18 = load float, ptr %17, align 4
  %19 = fadd contract float %.01112, %18
  %20 = add nsw i32 %.013, 1
  %exitcond.not = icmp eq i32 %20, %13
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
}

attributes #0 = { "target-cpu"="sm_90" }
