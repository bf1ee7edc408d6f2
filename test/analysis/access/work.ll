; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Issue slots outside and inside of loops, by trip counts; 16 where nobody knows.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]
; CHECK-NEXT: work: 3.21 + 4.28 * (zext64((smax(arg1, 1) + -1)) + 1) + 3.9884 * (zext64((smax(arg1, 1) + -1)) + 1) * 16 (a guess)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, i32 %n) {
  br label %outer

outer:
  %i = phi i32 [ 0, %0 ], [ %i1, %latch ]
  br label %inner

inner:
  %v = load volatile i32, ptr %p
  %mj = icmp eq i32 %v, 0
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
