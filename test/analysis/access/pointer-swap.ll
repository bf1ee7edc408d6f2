; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Pointers handed around by the phis of a loop: each is one of those that enter it.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read write
; CHECK-NEXT: read 4 bytes at 0 [site 0]
; CHECK-NEXT: write 4 bytes at 0 [site 1]
; CHECK-NEXT: pointer arg1: read write
; CHECK-NEXT: read 4 bytes at 0 [site 0]
; CHECK-NEXT: write 4 bytes at 0 [site 1]
; CHECK-LABEL: kernel moves
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read: unknown, a pointer that moves in a loop irregularly [site 0]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read: unknown, a pointer that moves in a loop irregularly [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, ptr %q, i32 %n) {
  br label %loop

loop:
  %a = phi ptr [ %p, %0 ], [ %b, %loop ]
  %b = phi ptr [ %q, %0 ], [ %a, %loop ]
  %j = phi i32 [ 0, %0 ], [ %next, %loop ]
  %v = load float, ptr %a
  store float %v, ptr %b
  %next = add nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @moves(ptr %p, ptr %q, i32 %n) {
  br label %loop

loop:
  %a = phi ptr [ %p, %0 ], [ %m, %loop ]
  %b = phi ptr [ %q, %0 ], [ %a, %loop ]
  %j = phi i32 [ 0, %0 ], [ %next, %loop ]
  %v = load float, ptr %a
  %m = getelementptr i8, ptr %b, i64 4
  %next = add nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}


!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @moves, !"kernel", i32 1}
