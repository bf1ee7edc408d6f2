; Without clones, if they are not wanted; else an access is apart from those
; through other pointers if one of the two is written, and what is only read is
; invariant.
; RUN: %opt -passes=gridspan-device -gridspan-noalias=false -S %s \
; RUN:   | FileCheck %s --check-prefix=BEFORE
; RUN: %opt -passes=gridspan-device,verify -pass-remarks=gridspan -S %s 2>%t.err | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK < %t.err
; What it is for: the load of *p leaves the loop.
; RUN: %opt -passes='gridspan-device,function(loop-mssa(licm))' -S %s \
; RUN:   | FileCheck %s --check-prefix=AFTER

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; BEFORE-NOT: define {{.*}}noalias(
; BEFORE-NOT: alias.scope
; REMARK: kernel add has a clone for arguments that do not overlap
; REMARK-NOT: kernel {{.*}} has a clone

; CHECK-LABEL: define void @add__noalias(ptr %p, ptr %q, ptr %out, i32 %n)
; CHECK: load float, ptr %p, {{.*}}!invariant.load {{.*}}!alias.scope [[P:![0-9]+]], !noalias [[OUT:![0-9]+]]
; CHECK: load float, ptr %q, {{.*}}!invariant.load {{.*}}!alias.scope [[Q:![0-9]+]], !noalias [[OUT]]
; CHECK: load float, ptr %at, align 4, !alias.scope [[OUT]], !gridspan.site
; CHECK: store float %s, ptr %at, {{.*}}!alias.scope [[OUT]], !noalias [[PQ:![0-9]+]]
; CHECK-LABEL: define void @add__gridspan__noalias(ptr %p, ptr %q, ptr %out, i32 %n, ptr noundef byval
; CHECK: load float, ptr %p, {{.*}}!alias.scope
; CHECK-DAG: [[PQ]] = !{[[SP:![0-9]+]], [[SQ:![0-9]+]]}
; CHECK-DAG: [[P]] = !{[[SP]]}
; CHECK-DAG: [[Q]] = !{[[SQ]]}
; CHECK-DAG: !{{[0-9]+}} = !{ptr @add__noalias, !"kernel", i32 1}
; CHECK-DAG: !{{[0-9]+}} = !{ptr @add__gridspan__noalias, !"kernel", i32 1}

; AFTER-LABEL: define void @add(
; AFTER: loop:
; AFTER: load float, ptr %p
; AFTER-LABEL: define void @add__noalias(
; AFTER: load float, ptr %p
; AFTER: loop:
; AFTER-NOT: load float, ptr %p
; AFTER-LABEL: define void @add__gridspan__noalias(
define void @add(ptr %p, ptr %q, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = load float, ptr %p, align 4
  %b = load float, ptr %q, align 4
  %at = getelementptr float, ptr %out, i32 %i
  %c = load float, ptr %at, align 4
  %t = fadd float %a, %b
  %s = fadd float %t, %c
  store float %s, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @add, !"kernel", i32 1}
