; Why kernels have no clone for distinct arguments.
; RUN: %opt -passes=gridspan-device -gridspan-noalias -pass-remarks=gridspan \
; RUN:   -pass-remarks-missed=gridspan -S %s 2>&1 | FileCheck %s
; Who did not ask is told only of those that miss something.
; RUN: %opt -passes=gridspan-device -pass-remarks-missed=gridspan \
; RUN:   -disable-output %s 2>&1 | FileCheck %s --check-prefix=QUIET
; QUIET-NOT: no load has to wait
; QUIET: kernel loaded has no clone for distinct arguments: {{.*}} of unknown origin
; QUIET-NOT: no load has to wait

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: kernel before has no clone for distinct arguments: no load has to wait
; CHECK: kernel loaded has no clone for distinct arguments: {{.*}} of unknown origin
; CHECK: kernel types has no clone for distinct arguments: no load has to wait
; CHECK: kernel atomics has a clone for arguments that do not overlap
; CHECK: kernel waits has no clone for distinct arguments: no load has to wait
; CHECK-NOT: define {{.*}}@{{before|loaded|types|waits}}{{[_a-z]*}}__noalias

; All loads come before the store.
define void @before(ptr %p, ptr %out) {
  %a = load float, ptr %p
  store float %a, ptr %out
  ret void
}

; Where a pointer from memory leads is not known at the launch.
define void @loaded(ptr %table, ptr %out) {
  %p = load ptr, ptr %table
  store float 1.0, ptr %out
  %a = load float, ptr %p
  %at = getelementptr float, ptr %out, i32 1
  store float %a, ptr %at
  ret void
}

; Types say enough already.
define void @types(ptr %p, ptr %out) {
  store float 1.0, ptr %out, !tbaa !10
  %a = load i32, ptr %p, !tbaa !12
  %at = getelementptr i32, ptr %out, i32 1
  store i32 %a, ptr %at, !tbaa !12
  ret void
}

; An atomic changes everything but invariant memory.
define void @atomics(ptr %p, ptr %out) {
  %old = atomicrmw add ptr %out, i32 1 seq_cst
  %a = load i32, ptr %p
  %at = getelementptr i32, ptr %out, i32 1
  store i32 %a, ptr %at
  ret void
}

; What others write after the flag is not invariant.
define void @waits(ptr %p, ptr %flag) {
  %old = atomicrmw add ptr %flag, i32 1 seq_cst
  fence acquire
  %a = load i32, ptr %p
  %more = atomicrmw add ptr %flag, i32 %a seq_cst
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @before, !"kernel", i32 1}
!1 = !{ptr @loaded, !"kernel", i32 1}
!2 = !{ptr @types, !"kernel", i32 1}
!3 = !{ptr @atomics, !"kernel", i32 1}
!4 = !{ptr @waits, !"kernel", i32 1}
!10 = !{!11, !11, i64 0}
!11 = !{!"float", !14}
!12 = !{!13, !13, i64 0}
!13 = !{!"int", !14}
!14 = !{!"root"}
