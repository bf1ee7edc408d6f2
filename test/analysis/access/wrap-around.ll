; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A neighbour with periodic boundaries, (i + n - 1) % n, is at one of two ends:
; an access for each. The remainder of a linear index is one access.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel periodic
; CHECK-NEXT: pointer arg0
; CHECK-NEXT: read 1 bytes at sext64(srem({(tid.x + (arg1 + -1)) slt arg1}, arg1)) (exact) [site 0]
; CHECK-NEXT: read 1 bytes at sext64(srem({(tid.x + (arg1 + -1)) sge arg1}, arg1)) (exact) [site 0]
; CHECK-NEXT: work
define void @periodic(ptr %p, i32 %n) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %last = add i32 %n, -1
  %s = add i32 %i, %last
  %r = srem i32 %s, %n
  %x = sext i32 %r to i64
  %a = getelementptr i8, ptr %p, i64 %x
  %v = load i8, ptr %a
  ret void
}

; CHECK-LABEL: kernel linear
; CHECK-NEXT: pointer arg0
; CHECK-NEXT: read 1 bytes at zext64(urem(((ctaid.x * ntid.x) + tid.x), arg1)) (exact) [site 0]
; CHECK-NEXT: work
define void @linear(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %s = add i32 %m, %t
  %r = urem i32 %s, %n
  %x = zext i32 %r to i64
  %a = getelementptr i8, ptr %p, i64 %x
  %v = load i8, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @periodic, !"kernel", i32 1}
!1 = !{ptr @linear, !"kernel", i32 1}
