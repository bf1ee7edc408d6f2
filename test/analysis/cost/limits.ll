; Launches that different parts of a GPU limit.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-machine=%S/Inputs/machine.json -gridspan-block=256 \
; RUN:   -gridspan-grid=8192 -gridspan-param=0=2000 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; One address for all: added up within the warp if nobody wants the old value.
; 65536 warps at one in two cycles of 2 GHz.
; CHECK-LABEL: kernel count, {{.*}} limited by atomics
; CHECK: atomics 65.54
define ptx_kernel void @count(ptr %a) #0 {
  %old = atomicrmw add ptr %a, i32 1 monotonic, align 4
  ret void
}

; CHECK-LABEL: kernel ticket, {{.*}} limited by atomics
; CHECK: atomics 2097,
define ptx_kernel void @ticket(ptr %a, ptr %b) #0 {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %old = atomicrmw add ptr %a, i32 1 monotonic, align 4
  %wide = sext i32 %i to i64
  %q = getelementptr i32, ptr %b, i64 %wide
  store i32 %old, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel doubles, {{.*}} limited by fp64
define ptx_kernel void @doubles(i32 %m, ptr %b) #0 {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %start = sitofp i32 %i to double
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi double [ %start, %entry ], [ %x1, %loop ]
  %y = phi double [ 1.0, %entry ], [ %y1, %loop ]
  %x1 = call double @llvm.fma.f64(double %x, double 0.5, double %start)
  %y1 = call double @llvm.fma.f64(double %y, double 0.5, double %start)
  %next = add nsw i32 %k, 1
  %more = icmp slt i32 %next, %m
  br i1 %more, label %loop, label %exit

exit:
  %s = fadd double %x1, %y1
  %iw = sext i32 %i to i64
  %q = getelementptr double, ptr %b, i64 %iw
  store double %s, ptr %q, align 8
  ret void
}

declare double @llvm.fma.f64(double, double, double)

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
