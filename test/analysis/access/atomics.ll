; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; How many atomics on global memory a thread executes: by the share of threads
; that get there, in loops by their trips.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global [32 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()

; CHECK-LABEL: kernel every
; CHECK: work:
; CHECK-NEXT: atomics: 2{{$}}
define void @every(ptr %p, ptr %q) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %b = atomicrmw add ptr addrspace(3) @shared, i32 1 seq_cst
  %c = atomicrmw max ptr %q, i32 1 seq_cst
  ret void
}

; One thread of a block.
; CHECK-LABEL: kernel first
; CHECK: work:
; CHECK-NEXT: atomics: 0.00390625{{$}}
define void @first(ptr %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.barrier0()
  %is = icmp eq i32 %tid, 0
  br i1 %is, label %add, label %end
add:
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  br label %end
end:
  ret void
}

; CHECK-LABEL: kernel loop
; CHECK: work:
; CHECK-NEXT: atomics: 1 * (zext64((smax(arg1, 1) + -1)) + 1){{$}}
define void @loop(ptr %p, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i32 %i
  %a = atomicrmw add ptr %at, i32 1 seq_cst
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}

; CHECK-LABEL: kernel none
; CHECK: work:
; CHECK-NOT: atomics:
define void @none(ptr %p) {
  store i32 1, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @every, !"kernel", i32 1}
!1 = !{ptr @first, !"kernel", i32 1}
!2 = !{ptr @loop, !"kernel", i32 1}
!3 = !{ptr @none, !"kernel", i32 1}
