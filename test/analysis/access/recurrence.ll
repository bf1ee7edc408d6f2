; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Recurrences that are no induction variables: those that shrink or grow are bounded by
; their start and by what the loop compares them with; one that does not depend on itself is
; its start or the last value.

; CHECK-LABEL: kernel halves
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (zext64({unknown(a recurrence that is no induction variable) ule arg1}) * 4) [site 0]
; CHECK-LABEL: kernel doubles
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at when((arg1 ugt 1), (zext64({{[{][{]}}unknown(a recurrence that is no induction variable) uge 1} ult arg1}) * 4)) [site 0]
; CHECK-LABEL: kernel previous
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (zext64(7) * 4) [site 0]
; CHECK-NEXT: write 4 bytes at (zext64(({(iter0(0, +1, (smax(arg1, 1) + -1)) + 1) slt arg1} + -1)) * 4) [site 0]
; CHECK-LABEL: kernel chaos
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write: unknown, a recurrence that is no induction variable [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @halves(ptr %p, i32 %n) {
  br label %loop

loop:
  %j = phi i32 [ %n, %0 ], [ %next, %loop ]
  %x = zext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = lshr i32 %j, 1
  %more = icmp ne i32 %next, 0
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @doubles(ptr %p, i32 %n) {
  %g = icmp ugt i32 %n, 1
  br i1 %g, label %head, label %out

head:
  br label %loop

loop:
  %j = phi i32 [ 1, %head ], [ %next, %loop ]
  %x = zext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = shl nuw i32 %j, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @previous(ptr %p, i32 %n) {
  br label %loop

loop:
  %last = phi i32 [ 7, %0 ], [ %j, %loop ]
  %j = phi i32 [ 0, %0 ], [ %next, %loop ]
  %x = zext i32 %last to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %next = add nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @chaos(ptr %p, i32 %n) {
  br label %loop

loop:
  %j = phi i32 [ 1, %0 ], [ %next, %loop ]
  %x = zext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %s = mul i32 %j, 1103515245
  %next = xor i32 %s, 12345
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}


!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @halves, !"kernel", i32 1}
!1 = !{ptr @doubles, !"kernel", i32 1}
!2 = !{ptr @previous, !"kernel", i32 1}
!3 = !{ptr @chaos, !"kernel", i32 1}
