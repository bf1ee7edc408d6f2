; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Not exact: a way around the access that no guard of it says, and a guard that only one arm
; of the offset knows; and assembly that may end a thread.

; CHECK-LABEL: kernel two_ways
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(((ctaid.x * ntid.x) + tid.x)) * 4) [site 0]
; CHECK-LABEL: kernel ends
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(((ctaid.x * ntid.x) + tid.x)) * 4) [site 0]
; CHECK-LABEL: kernel arm
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at when((((ctaid.x * ntid.x) + tid.x) slt arg1), (sext64(when((tid.x sgt 3), {((ctaid.x * ntid.x) + {tid.x sgt 3}) slt arg1})) * 4)) [site 0]
; CHECK-NEXT: write 4 bytes at when((((ctaid.x * ntid.x) + tid.x) slt arg1), (sext64(when((tid.x sle 3), 14)) * 4)) [site 0]
; CHECK-LABEL: kernel early_exit
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(iter0(0, +1, (smax(arg2, 1) + -1))) * 4) [site 0]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 1]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @two_ways(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c1 = icmp slt i32 %i, %n
  br i1 %c1, label %a, label %b1

a:
  %c2 = icmp sgt i32 %i, 5
  br i1 %c2, label %in, label %out

b1:
  %c3 = icmp sgt i32 %t, 7
  br i1 %c3, label %in, label %out

in:
  %x = sext i32 %i to i64
  %q = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %q
  br label %out

out:
  ret void
}

define void @ends(ptr %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp sgt i32 %t, 7
  br i1 %c, label %end, label %on

end:
  call void asm sideeffect "exit;", ""()
  br label %on

on:
  %x = sext i32 %i to i64
  %q = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %q
  ret void
}

define void @arm(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %g = icmp slt i32 %i, %n
  br i1 %g, label %in, label %out

in:
  %c = icmp sgt i32 %t, 3
  %j = select i1 %c, i32 %i, i32 14
  %x = sext i32 %j to i64
  %q = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %q
  br label %out

out:
  ret void
}

define void @early_exit(ptr %p, ptr %data, i32 %n) {
  br label %loop

loop:
  %j = phi i32 [ 0, %0 ], [ %next, %latch ]
  %x = sext i32 %j to i64
  %q = getelementptr i32, ptr %p, i64 %x
  store i32 0, ptr %q
  %v = load i32, ptr %data
  %stop = icmp eq i32 %v, 0
  br i1 %stop, label %out, label %latch

latch:
  %next = add nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @two_ways, !"kernel", i32 1}
!1 = !{ptr @arm, !"kernel", i32 1}
!2 = !{ptr @early_exit, !"kernel", i32 1}
!3 = !{ptr @ends, !"kernel", i32 1}
