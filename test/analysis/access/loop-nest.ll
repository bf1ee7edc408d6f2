; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Bounds of inner loops may depend on counters of outer ones.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(((iter0(0, +1, (smax(arg1, 1) + -1)) * arg2) + iter1(0, +1, smax(iter0(0, +1, (smax(arg1, 1) + -1)), 0)))) * 4) (exact) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n, i32 %m) {
  br label %outer

outer:
  %i = phi i32 [ 0, %0 ], [ %i1, %latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %r = mul nsw i32 %i, %m
  %s = add nsw i32 %r, %j
  %x = sext i32 %s to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %j1 = add nsw i32 %j, 1
  %mj = icmp sle i32 %j1, %i
  br i1 %mj, label %inner, label %latch

latch:
  %i1 = add nsw i32 %i, 1
  %mi = icmp slt i32 %i1, %n
  br i1 %mi, label %outer, label %out

out:
  ret void
}


!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
