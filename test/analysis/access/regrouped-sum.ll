; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; The guard is on t + x; LLVM has hoisted row + x out of the loop over t.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at (sext64(({(iter0(0, +16, 15) + ((ctaid.x * ntid.x) + tid.x)) ult arg1} + arg2)) * 4) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n, i32 %row) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %rx = add i32 %row, %i
  br label %loop

loop:
  %t0 = phi i32 [ 0, %0 ], [ %t1, %next ]
  %tx = add i32 %t0, %i
  %c = icmp ult i32 %tx, %n
  br i1 %c, label %in, label %next

in:
  %o = add i32 %rx, %t0
  %x = sext i32 %o to i64
  %a = getelementptr float, ptr %p, i64 %x
  %v = load float, ptr %a
  br label %next

next:
  %t1 = add nuw nsw i32 %t0, 16
  %more = icmp slt i32 %t1, 256
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
