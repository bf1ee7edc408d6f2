; RUN: %opt -passes='print<gridspan-reductions>' -disable-output %s 2>&1 | FileCheck %s
; Which arguments a kernel does nothing with but atomics of one operation.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.load.dec.32.p0(ptr, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: kernel operations:
; CHECK-NEXT: parameter 0: add.u32
; CHECK-NEXT: parameter 1: add.u64
; CHECK-NEXT: parameter 2: add.f32
; CHECK-NEXT: parameter 3: add.f64
; CHECK-NEXT: parameter 4: min.s32
; CHECK-NEXT: parameter 5: max.u64
; CHECK-NEXT: parameter 6: and.b32
; CHECK-NEXT: parameter 7: or.b64
; CHECK-NEXT: parameter 8: xor.b32
define void @operations(ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g,
                        ptr %h, ptr %i) {
  %1 = atomicrmw add ptr %a, i32 1 seq_cst
  %2 = atomicrmw sub ptr %a, i32 1 seq_cst
  %3 = atomicrmw add ptr %b, i64 1 seq_cst
  %4 = atomicrmw fadd ptr %c, float 1.0 seq_cst
  %5 = atomicrmw fadd ptr %d, double 1.0 seq_cst
  %6 = atomicrmw min ptr %e, i32 1 seq_cst
  %7 = atomicrmw umax ptr %f, i64 1 seq_cst
  %8 = atomicrmw and ptr %g, i32 1 seq_cst
  %9 = atomicrmw or ptr %h, i64 1 seq_cst
  %10 = atomicrmw xor ptr %i, i32 1 seq_cst
  ret void
}

; However the pointer is moved and chosen; counting without a bound is addition.
; CHECK-LABEL: kernel moved:
; CHECK-NEXT: parameter 0: add.u32
; CHECK-NEXT: parameter 1: add.u32
define void @moved(ptr %a, ptr %b, i1 %choice) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %a, i32 %x
  %q = select i1 %choice, ptr %p, ptr %b
  %1 = atomicrmw add ptr %q, i32 1 seq_cst
  %2 = call i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr %p, i32 -1)
  %3 = call i32 @llvm.nvvm.atomic.load.dec.32.p0(ptr %b, i32 -1)
  %4 = atomicrmw uinc_wrap ptr %b, i32 -1 seq_cst
  ret void
}

; A pointer in a structure.
; CHECK-LABEL: kernel field:
; CHECK-NEXT: parameter 0 at byte 8: max.s32
define void @field(ptr byval({ i64, ptr }) %s) {
  %f = getelementptr i8, ptr %s, i64 8
  %p = load ptr, ptr %f
  %1 = atomicrmw max ptr %p, i32 1 seq_cst
  ret void
}

; Memory without atomics is not spoken of.
; CHECK-LABEL: kernel others:
; CHECK-NEXT: parameter 1: add.u32
define void @others(ptr %in, ptr %out) {
  %v = load i32, ptr %in
  %1 = atomicrmw add ptr %out, i32 %v seq_cst
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @operations, !"kernel", i32 1}
!1 = !{ptr @moved, !"kernel", i32 1}
!2 = !{ptr @field, !"kernel", i32 1}
!3 = !{ptr @others, !"kernel", i32 1}
