; A block makes room for the next one when its last warp has ended: a loop of one
; warp of 32 takes as long as if all had it.
; RUN: %opt -passes='print<gridspan-cost>' -disable-output %s \
; RUN:   -gridspan-block=1024 -gridspan-grid=26400 -gridspan-param=1=400 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel first,
; CHECK: latency 832.7
define ptx_kernel void @first(ptr %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp ult i32 %tid, 32
  br i1 %is, label %loop, label %exit

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 1.0, %entry ], [ %t, %loop ]
  %t = fdiv float 1.0, %s
  %next = add nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %p = getelementptr float, ptr %out, i32 %tid
  store float %t, ptr %p, align 4
  br label %exit

exit:
  ret void
}

; CHECK-LABEL: kernel all,
; CHECK: latency 831.3
define ptx_kernel void @all(ptr %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 1.0, %entry ], [ %t, %loop ]
  %t = fdiv float 1.0, %s
  %next = add nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %p = getelementptr float, ptr %out, i32 %tid
  store float %t, ptr %p, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
