; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A loop that starts at the thread's index stays below its limit: start and count alone
; would not say so. This is also a grid-stride loop.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64({iter0({((ctaid.x * ntid.x) + tid.x) slt arg1}, +1, ((arg1 + -1) - {((ctaid.x * ntid.x) + tid.x) slt arg1})) slt arg1}) * 4) (exact) [site 0]
; CHECK-LABEL: kernel stride
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64({iter0({((ctaid.x * ntid.x) + tid.x) slt arg1}, +(ntid.x * nctaid.x), select(and(and(((ntid.x * nctaid.x) sgt 0), (arg1 sle ((2147483647 - (ntid.x * nctaid.x)) + 1))), ({((ctaid.x * ntid.x) + tid.x) slt arg1} sle (2147483647 - (ntid.x * nctaid.x)))), udiv(((smax(arg1, ({((ctaid.x * ntid.x) + tid.x) slt arg1} + 1)) + -1) - {((ctaid.x * ntid.x) + tid.x) slt arg1}), (ntid.x * nctaid.x)), -1)) slt arg1}) * 4) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %g = icmp slt i32 %i, %n
  br i1 %g, label %head, label %out

head:
  br label %loop

loop:
  %j = phi i32 [ %i, %head ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nsw i32 %j, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @stride(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %e = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %s = mul i32 %d, %e
  %g = icmp slt i32 %i, %n
  br i1 %g, label %head, label %out

head:
  br label %loop

loop:
  %j = phi i32 [ %i, %head ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add i32 %j, %s
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @stride, !"kernel", i32 1}
