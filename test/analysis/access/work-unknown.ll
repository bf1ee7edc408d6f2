; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A trip count that comes from memory; the other kernel's is a parameter.

; CHECK-LABEL: kernel from_memory
; CHECK: work: {{.*}}unknown(loaded from memory){{.*}} (unknown){{$}}
; CHECK-LABEL: kernel from_argument
; CHECK: work: {{.*}}arg1
; CHECK-NOT: (unknown)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @from_memory(ptr %p, ptr %length) {
  %n = load i32, ptr %length
  br label %loop

loop:
  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]
  store volatile i32 %i, ptr %p
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

define void @from_argument(ptr %p, i32 %n) {
  br label %loop

loop:
  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]
  store volatile i32 %i, ptr %p
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @from_memory, !"kernel", i32 1}
!1 = !{ptr @from_argument, !"kernel", i32 1}
