; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A loop that ends with the data: no bound but those of its type, not exact.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read write
; CHECK-NEXT: write 4 bytes at (sext64(iter0(0, +1, unbounded)) * 4) [site 0]
; CHECK-NEXT: read 4 bytes at (sext64(iter0(0, +1, unbounded)) * 4) [site 1]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  br label %loop

loop:
  %j = phi i32 [ 0, %0 ], [ %next, %loop ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nsw i32 %j, 1
  %v = load i32, ptr %a
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
