; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A pointer that may be one of two is an access through each; under a condition that is
; the same for all threads, through one of them. A tile in which no thread meets
; its condition makes no access.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (when((arg2 eq 0), 0) + (sext64(((ctaid.x * ntid.x) + tid.x)) * 4)) (exact) [site 0]
; CHECK-NEXT: pointer arg1: write
; CHECK-NEXT: write 4 bytes at (when((arg2 ne 0), 0) + (sext64(((ctaid.x * ntid.x) + tid.x)) * 4)) (exact) [site 0]
; CHECK-LABEL: kernel thread
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at (when((((ctaid.x * ntid.x) + tid.x) sge arg2), 0) + (sext64(((ctaid.x * ntid.x) + tid.x)) * 4)) [site 0]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 4 bytes at (when((((ctaid.x * ntid.x) + tid.x) slt arg2), 16) + (sext64(((ctaid.x * ntid.x) + tid.x)) * 4)) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p, ptr %q, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp eq i32 %n, 0
  %r = select i1 %c, ptr %p, ptr %q
  %x = sext i32 %i to i64
  %a = getelementptr float, ptr %r, i64 %x
  store float 0.0, ptr %a
  ret void
}

define void @thread(ptr %p, ptr %q, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %join

then:
  %o = getelementptr i8, ptr %q, i64 16
  br label %join

join:
  %r = phi ptr [ %o, %then ], [ %p, %0 ]
  %x = sext i32 %i to i64
  %a = getelementptr float, ptr %r, i64 %x
  %v = load float, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @thread, !"kernel", i32 1}
