; Arrays that are indexed at run time are in local memory. Those of a few warps
; stay in L1; those of a full multiprocessor come and go.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=32 -gridspan-grid=132 -gridspan-param=1=100 2>&1 \
; RUN:   | FileCheck %s --check-prefix=FEW
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=1024 -gridspan-grid=264 -gridspan-param=1=100 2>&1 \
; RUN:   | FileCheck %s --check-prefix=MANY

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; FEW: moved: L1 1.69e+06, L2 read 0 written 1.69e+04,
; FEW: load unit 0.101,
; MANY: moved: L1 1.081e+08, L2 read 9.546e+07 written 9.654e+07,
; MANY: load unit 12.14, L2 21.83
define ptx_kernel void @stack(ptr %out, i32 %n) #0 {
entry:
  %array = alloca [256 x float], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = and i32 %k, 255
  %to = mul i32 %at, 7
  %other = and i32 %to, 255
  %p = getelementptr float, ptr %array, i32 %at
  %q = getelementptr float, ptr %array, i32 %other
  %v = load float, ptr %p, align 4
  %t = fadd float %v, 1.0
  store float %t, ptr %q, align 4
  %next = add nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  %o = getelementptr float, ptr %out, i32 %tid
  store float %t, ptr %o, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
