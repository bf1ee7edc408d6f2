; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; The iteration that would reach the load is never run, as the loop is left before:
; `for (j = 5; j > 0; --j) { if (unsigned(j) - 2 < n) break; load p[tid]; }`.

; CHECK-LABEL: kernel k
; CHECK: read 4 bytes at
; CHECK-NOT: (exact)
; CHECK-SAME: [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = zext i32 %t to i64
  %a = getelementptr i32, ptr %p, i64 %x
  br label %loop

loop:
  %j = phi i32 [ 5, %0 ], [ %next, %latch ]
  %sum = phi i32 [ 0, %0 ], [ %more, %latch ]
  %m = add i32 %j, -2
  %leave = icmp ult i32 %m, %n
  br i1 %leave, label %done, label %latch

latch:
  %v = load i32, ptr %a
  %more = add i32 %sum, %v
  %next = add nsw i32 %j, -1
  %again = icmp sgt i32 %j, 1
  br i1 %again, label %loop, label %done

done:
  %r = phi i32 [ %sum, %loop ], [ %more, %latch ]
  store i32 %r, ptr %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
