; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A sum uses each varying value once, so that its parts are not bounded apart.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A cell of an antidiagonal: i * (n + 1) + (d - i).
; CHECK-LABEL: kernel antidiagonal
; CHECK: read 4 bytes at (sext64((arg2 + (tid.x * arg1))) * 4) (exact) [site 0]
define void @antidiagonal(ptr %p, i32 %n, i32 %d) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %columns = add i32 %n, 1
  %row = mul i32 %i, %columns
  %j = sub i32 %d, %i
  %cell = add i32 %row, %j
  %x = sext i32 %cell to i64
  %a = getelementptr float, ptr %p, i64 %x
  %v = load float, ptr %a
  ret void
}

; A fact about the column is given up for that, and is a condition of the whole.
; CHECK-LABEL: kernel guarded
; CHECK: read 4 bytes at when(((arg2 - ctaid.x) sge 1), (sext64((arg2 + (ctaid.x * (arg1 + -1)))) * 4)) [site 0]
define void @guarded(ptr %p, i32 %n, i32 %d) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %i, %n
  %j = sub i32 %d, %i
  %c = icmp sge i32 %j, 1
  br i1 %c, label %in, label %out

in:
  %cell = add i32 %row, %j
  %x = sext i32 %cell to i64
  %a = getelementptr float, ptr %p, i64 %x
  %v = load float, ptr %a
  br label %out

out:
  ret void
}

; Two loaded values are not the same, though both are unknown.
; CHECK-LABEL: kernel loaded
; CHECK: read 1 bytes at (zext64(unknown({{.*}})) - zext64(unknown({{.*}}))) [site 2]
define void @loaded(ptr %p) {
  %i0 = load i8, ptr %p
  %q = getelementptr i8, ptr %p, i64 1
  %i1 = load i8, ptr %q
  %x0 = zext i8 %i0 to i64
  %x1 = zext i8 %i1 to i64
  %x = sub i64 %x0, %x1
  %a = getelementptr i8, ptr %p, i64 %x
  %v = load i8, ptr %a
  ret void
}

; Terms with the same value that do not cancel are one as well.
; CHECK-LABEL: kernel twice
; CHECK: read 4 bytes at (sext64((tid.x * (arg1 + arg2))) * 4) (exact) [site 0]
define void @twice(ptr %p, i32 %n, i32 %m) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a0 = mul i32 %i, %n
  %a1 = mul i32 %i, %m
  %s = add i32 %a0, %a1
  %x = sext i32 %s to i64
  %a = getelementptr float, ptr %p, i64 %x
  %v = load float, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @antidiagonal, !"kernel", i32 1}
!1 = !{ptr @guarded, !"kernel", i32 1}
!2 = !{ptr @loaded, !"kernel", i32 1}
!3 = !{ptr @twice, !"kernel", i32 1}
