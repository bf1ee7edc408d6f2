; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Loops that count down.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64({iter0(arg1, +-1, (arg1 - (smin({((ctaid.x * ntid.x) + tid.x) slt arg1}, (arg1 + -1)) + 1))) sgt {((ctaid.x * ntid.x) + tid.x) slt arg1}}) * 4) (exact) [site 0]
; CHECK-LABEL: kernel to_zero
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at when((arg1 sge 0), (sext64({iter0(arg1, +-1, (arg1 - smin(arg1, 0))) sge 0}) * 4)) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %g = icmp sgt i32 %n, %i
  br i1 %g, label %head, label %out

head:
  br label %loop

loop:
  %j = phi i32 [ %n, %head ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nsw i32 %j, -1
  %more = icmp sgt i32 %next, %i
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @to_zero(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %g = icmp sge i32 %n, 0
  br i1 %g, label %head, label %out

head:
  br label %loop

loop:
  %j = phi i32 [ %n, %head ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nsw i32 %j, -1
  %more = icmp sgt i32 %j, 0
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @to_zero, !"kernel", i32 1}
