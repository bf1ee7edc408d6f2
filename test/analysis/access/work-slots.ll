; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Work is in issue slots: what the busiest part of a multiprocessor of the
; architecture takes.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.nvvm.ex2.approx.ftz.f(float)

; Ten products and sums in double are twenty slots where a half of the lanes
; have units for them.
; CHECK-LABEL: kernel doubles
; CHECK: work: {{.*}} + 22.14 * (zext64((smax(arg1, 1) + -1)) + 1)
define void @doubles(ptr %p, i32 %n, double %x) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s0 = phi double [ %x, %entry ], [ %s10, %loop ]
  %s1 = fadd double %s0, %x
  %s2 = fmul double %s1, %x
  %s3 = fadd double %s2, %x
  %s4 = fmul double %s3, %x
  %s5 = fadd double %s4, %x
  %s6 = fmul double %s5, %x
  %s7 = fadd double %s6, %x
  %s8 = fmul double %s7, %x
  %s9 = fadd double %s8, %x
  %s10 = fmul double %s9, %x
  %i1 = add nsw i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %out
out:
  store double %s10, ptr %p
  ret void
}

; The same with floats: ten, and the steps of a loop that is unrolled by four.
; CHECK-LABEL: kernel floats
; CHECK: work: {{.*}} + 11.9002 * (zext64((smax(arg1, 1) + -1)) + 1)
define void @floats(ptr %p, i32 %n, float %x) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s0 = phi float [ %x, %entry ], [ %s10, %loop ]
  %s1 = fadd float %s0, %x
  %s2 = fmul float %s1, %x
  %s3 = fadd float %s2, %x
  %s4 = fmul float %s3, %x
  %s5 = fadd float %s4, %x
  %s6 = fmul float %s5, %x
  %s7 = fadd float %s6, %x
  %s8 = fmul float %s7, %x
  %s9 = fadd float %s8, %x
  %s10 = fmul float %s9, %x
  %i1 = add nsw i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %out
out:
  store float %s10, ptr %p
  ret void
}

; A division is ten instructions of the double pipe.
; CHECK-LABEL: kernel division
; CHECK: work: {{.*}} + 22.14 * (zext64((smax(arg1, 1) + -1)) + 1)
define void @division(ptr %p, i32 %n, double %x) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s0 = phi double [ %x, %entry ], [ %s1, %loop ]
  %s1 = fdiv double %s0, %x
  %i1 = add nsw i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %out
out:
  store double %s1, ptr %p
  ret void
}

; Special functions: 16 lanes for 128.
; CHECK-LABEL: kernel special
; CHECK: work: {{.*}} + 8.856 * (zext64((smax(arg1, 1) + -1)) + 1)
define void @special(ptr %p, i32 %n, float %x) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s0 = phi float [ %x, %entry ], [ %s1, %loop ]
  %s1 = call float @llvm.nvvm.ex2.approx.ftz.f(float %s0)
  %i1 = add nsw i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %out
out:
  store float %s1, ptr %p
  ret void
}

; Of two sides the longer one counts: a division, not an addition beside it.
; CHECK-LABEL: kernel sides
; CHECK: work: {{.*}} + 22.14 * (zext64((smax(arg1, 1) + -1)) + 1)
define void @sides(ptr %p, i32 %n, double %x, i32 %m) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %s0 = phi double [ %x, %entry ], [ %s3, %latch ]
  %side = icmp slt i32 %i, %m
  br i1 %side, label %then, label %else
then:
  %s1 = fdiv double %s0, %x
  br label %latch
else:
  %s2 = fadd double %s0, %x
  br label %latch
latch:
  %s3 = phi double [ %s1, %then ], [ %s2, %else ]
  %i1 = add nsw i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %out
out:
  store double %s3, ptr %p
  ret void
}

; Lanes side by side, and lanes 4 KiB apart, of which each writes a part of a
; sector.
; CHECK-LABEL: kernel beside
; CHECK: work: 15.2147
define void @beside(ptr %p) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %at = getelementptr float, ptr %p, i64 %i
  store float 1.0, ptr %at
  ret void
}
; CHECK-LABEL: kernel apart
; CHECK: work: 412.154
define void @apart(ptr %p) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %at = getelementptr [1024 x float], ptr %p, i64 %i
  store float 1.0, ptr %at
  ret void
}

; One warp of eight gets to the divisions.
; CHECK-LABEL: kernel few
; CHECK: work: 14.2526
define void @few(ptr %p, double %x) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %then, label %out
then:
  %s1 = fdiv double 3.0, %x
  %s2 = fdiv double %s1, %x
  %s3 = fdiv double %s2, %x
  store double %s3, ptr %p
  br label %out
out:
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{ptr @doubles, !"kernel", i32 1}
!1 = !{ptr @floats, !"kernel", i32 1}
!2 = !{ptr @division, !"kernel", i32 1}
!3 = !{ptr @special, !"kernel", i32 1}
!4 = !{ptr @sides, !"kernel", i32 1}
!5 = !{ptr @beside, !"kernel", i32 1}
!6 = !{ptr @apart, !"kernel", i32 1}
!7 = !{ptr @few, !"kernel", i32 1}
