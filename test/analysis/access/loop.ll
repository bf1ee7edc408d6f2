; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; An induction variable goes from its start to its last value, once for each k.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at when((arg1 sgt 0), (sext64(iter0(0, +1, (smax(arg1, 1) + -1))) * 4)) (exact) [site 0]
; CHECK-LABEL: kernel unsigned
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(iter0(3, +4, udiv((umax(arg1, 4) + -4), 4))) * 4) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %g = icmp sgt i32 %n, 0
  br i1 %g, label %head, label %out

head:
  br label %loop

loop:
  %j = phi i32 [ 0, %head ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @unsigned(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  br label %loop

loop:
  %j = phi i32 [ 3, %0 ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nuw i32 %j, 4
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @unsigned, !"kernel", i32 1}
