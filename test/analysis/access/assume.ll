; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; llvm.assume (__builtin_assume) is a fact of its block and of those behind it, but
; not where control may stop on the way to it.

; CHECK-LABEL: kernel assumed
; CHECK: write 4 bytes at (sext64({((ctaid.x * ntid.x) + tid.x) slt arg1}) * 4) (exact)
; CHECK-LABEL: kernel maybe
; CHECK: write 4 bytes at (sext64(((ctaid.x * ntid.x) + tid.x)) * 4) (exact)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @assumed(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  call void @llvm.assume(i1 %c)
  br label %next

next:
  %x = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  ret void
}

define void @maybe(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %x = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  %r = call i32 @vprintf(ptr null, ptr null)
  %c = icmp slt i32 %i, %n
  call void @llvm.assume(i1 %c)
  ret void
}

declare void @llvm.assume(i1)
declare i32 @vprintf(ptr, ptr)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @assumed, !"kernel", i32 1}
!1 = !{ptr @maybe, !"kernel", i32 1}
