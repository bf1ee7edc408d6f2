; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A base without a bounded offset. An unknown byte is bounded, and so is what a guard bounds.

; CHECK-LABEL: kernel gather
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read: unknown, loaded from memory; inspected: 4 bytes at (sext64(load32(arg1, (sext64(((ctaid.x * ntid.x) + tid.x)) * 4))) * 4) [site 1]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 4 bytes at (sext64(((ctaid.x * ntid.x) + tid.x)) * 4) (exact) [site 0]
; CHECK-LABEL: kernel byte
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at (zext64(unknown(loaded from memory)) * 4); inspected: 4 bytes at (zext64(load8(arg1, 0)) * 4) [site 1]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 1 bytes at 0 (exact) [site 0]
; CHECK-LABEL: kernel guarded
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read 4 bytes at (zext64({unknown(loaded from memory) ult arg2}) * 4); inspected: 4 bytes at (zext64({load32(arg1, 0) ult arg2}) * 4) [site 1]
; CHECK-NEXT: pointer arg1: read, replicable
; CHECK-NEXT: read 4 bytes at 0 (exact) [site 0]
; CHECK-LABEL: kernel float
; CHECK-NEXT: pointer arg0: read, replicable
; CHECK-NEXT: read: unknown, computed in floating point [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @gather(ptr %p, ptr %q) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %x = sext i32 %i to i64
  %a = getelementptr i32, ptr %q, i64 %x
  %j = load i32, ptr %a
  %y = sext i32 %j to i64
  %b2 = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b2
  ret void
}

define void @byte(ptr %p, ptr %q) {
  %j = load i8, ptr %q
  %y = zext i8 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @guarded(ptr %p, ptr %q, i32 %n) {
  %j = load i32, ptr %q
  %c = icmp ult i32 %j, %n
  br i1 %c, label %in, label %out

in:
  %y = zext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  br label %out

out:
  ret void
}

define void @float(ptr %p, float %f) {
  %j = fptosi float %f to i32
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @gather, !"kernel", i32 1}
!1 = !{ptr @byte, !"kernel", i32 1}
!2 = !{ptr @guarded, !"kernel", i32 1}
!3 = !{ptr @float, !"kernel", i32 1}
