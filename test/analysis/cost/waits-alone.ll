; A warp that has L2 for itself waits no longer than one request takes; many warps
; wait for each other, too.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=32 -gridspan-grid=1 2>&1 | FileCheck %s --check-prefix=FEW
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=1024 -gridspan-grid=264 2>&1 \
; RUN:   | FileCheck %s --check-prefix=MANY

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; FEW: alone 1.128e+04 cycles
; FEW: latency 5.939,
; MANY: alone 1.128e+04 cycles
; MANY: latency 8.322,
define ptx_kernel void @strided(ptr noalias %a, ptr noalias %b) #0 {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %grid = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %step = mul i32 %grid, %size
  br label %loop

loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = phi i32 [ %i, %entry ], [ %k, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %w = zext i32 %j to i64
  %p = getelementptr float, ptr %a, i64 %w
  %v = load float, ptr %p, align 4
  %sum = fadd float %s, %v
  %k = add i32 %j, %step
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 40
  br i1 %more, label %loop, label %exit, !llvm.loop !0

exit:
  %x = zext i32 %i to i64
  %q = getelementptr float, ptr %b, i64 %x
  store float %sum, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

attributes #0 = { "target-cpu"="sm_90" }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
