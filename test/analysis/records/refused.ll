; RUN: %opt -passes='gridspan-sites,print<gridspan-records>' -disable-output %s 2>&1 | FileCheck %s
; Each reason why arrays of records keep their form.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

%triple = type { i32, i32, i32 }
%mixed = type { i32, i16, i16, i32 }
@flag = internal addrspace(1) global i32 0

; CHECK-LABEL: kernel waits:
; CHECK-NEXT: refused: blocks-depend
define void @waits(ptr %p, ptr %other) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %other
  %done = icmp ne i32 %v, 0
  br i1 %done, label %end, label %loop
end:
  %y = getelementptr %triple, ptr %p, i64 0, i32 1
  store i32 1, ptr %y
  ret void
}

; CHECK-LABEL: kernel table:
; CHECK-NEXT: refused: unknown-pointer
define void @table(ptr %p, ptr %pointers) {
  %q = load ptr, ptr %pointers
  store i32 0, ptr %q
  ret void
}

; CHECK-LABEL: kernel stored:
; CHECK-NEXT: pointer 0 {{.*}}: refused: record-pointer-escapes
define void @stored(ptr %p, ptr %out) {
  store ptr %p, ptr %out
  %v = load i32, ptr %p
  ret void
}

; CHECK-LABEL: kernel compared:
; CHECK-NEXT: pointer 0 {{.*}}: refused: record-pointer-escapes
define void @compared(ptr %p) {
  %is = icmp eq ptr %p, null
  br i1 %is, label %end, label %use
use:
  store i32 0, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: kernel copied:
; CHECK-NEXT: pointer 0 {{.*}}: refused: record-pointer-escapes
; CHECK-NEXT: pointer 1 {{.*}}: refused: record-pointer-escapes
define void @copied(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 480, i1 false)
  ret void
}

; CHECK-LABEL: kernel chosen:
; CHECK-NEXT: pointer 0 {{.*}}: refused: chosen-among-pointers
; CHECK-NEXT: pointer 1 {{.*}}: refused: chosen-among-pointers
define void @chosen(ptr %p, ptr %q, i1 %which, i64 %i) {
  %r = select i1 %which, ptr %p, ptr %q
  %y = getelementptr %triple, ptr %r, i64 %i, i32 1
  store i32 0, ptr %y
  ret void
}

; CHECK-LABEL: kernel crosses:
; CHECK-NEXT: pointer 0 {{.*}}: refused: crosses-records
define void @crosses(ptr %p, i64 %i) {
  %x = getelementptr %triple, ptr %p, i64 %i
  store i32 0, ptr %x
  %z = getelementptr %triple, ptr %p, i64 %i, i32 2
  store i64 0, ptr %z, align 4
  ret void
}

; CHECK-LABEL: kernel differ:
; CHECK-NEXT: pointer 0 {{.*}}: refused: chosen-fields-differ
define void @differ(ptr %p, i64 %i, i64 %f) {
  %h = getelementptr [5 x i32], ptr %p, i64 %i
  %half = getelementptr i8, ptr %h, i64 6
  store i16 0, ptr %half
  %x = getelementptr [5 x i32], ptr %p, i64 %i, i64 %f
  store i32 0, ptr %x
  ret void
}

; CHECK-LABEL: kernel atomics:
; CHECK-NEXT: pointer 0 {{.*}}: refused: indivisible-access
define void @atomics(ptr %p, i64 %i) {
  %x = getelementptr [7 x i64], ptr %p, i64 %i
  %1 = atomicrmw add ptr %x, i64 1 seq_cst
  %high = getelementptr i8, ptr %x, i64 4
  store i32 0, ptr %high
  ret void
}

; CHECK-LABEL: kernel large:
; CHECK-NEXT: pointer 0 {{.*}}: refused: too-many-fields
define void @large(ptr %p, i64 %i, i64 %f) {
  %x = getelementptr [100 x i32], ptr %p, i64 %i, i64 %f
  store i32 0, ptr %x
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}
!0 = !{ptr @waits, !"kernel", i32 1}
!1 = !{ptr @table, !"kernel", i32 1}
!2 = !{ptr @stored, !"kernel", i32 1}
!3 = !{ptr @compared, !"kernel", i32 1}
!4 = !{ptr @copied, !"kernel", i32 1}
!5 = !{ptr @chosen, !"kernel", i32 1}
!6 = !{ptr @crosses, !"kernel", i32 1}
!7 = !{ptr @differ, !"kernel", i32 1}
!8 = !{ptr @atomics, !"kernel", i32 1}
!9 = !{ptr @large, !"kernel", i32 1}
