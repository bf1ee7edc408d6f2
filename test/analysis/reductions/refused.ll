; RUN: %opt -passes='print<gridspan-reductions>' -disable-output %s 2>&1 | FileCheck %s
; Arguments of which devices get no private copies: each reason once at least.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p0(ptr, i32)
declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr, i32)

; CHECK-LABEL: kernel unknown_pointer:
; CHECK-NEXT: parameter 1: unknown-pointer: the kernel accesses memory through pointers that are not arguments{{$}}
define void @unknown_pointer(ptr %table, ptr %p) {
  %q = load ptr, ptr %table
  %v = load i32, ptr %q
  %1 = atomicrmw add ptr %p, i32 %v seq_cst
  ret void
}

; CHECK-LABEL: kernel stored:
; CHECK-NEXT: parameter 0: pointer-escapes: the kernel does more with the pointer than access memory through it: {{.*}}store ptr
define void @stored(ptr %p, ptr %q) {
  store ptr %p, ptr %q
  %1 = atomicrmw add ptr %p, i32 1 seq_cst
  ret void
}

; CHECK-LABEL: kernel compared:
; CHECK-NEXT: parameter 0: pointer-escapes: {{.*}}icmp
define void @compared(ptr %p) {
  %is = icmp eq ptr %p, null
  br i1 %is, label %end, label %add
add:
  %1 = atomicrmw add ptr %p, i32 1 seq_cst
  br label %end
end:
  ret void
}

; CHECK-LABEL: kernel reads:
; CHECK-NEXT: parameter 0: read-besides-atomics: {{.*}}load i32
; CHECK-NEXT: parameter 1: read-besides-atomics: {{.*}}memcpy
; CHECK-NEXT: parameter 2: read-besides-atomics: {{.*}}ldg
define void @reads(ptr %p, ptr %q, ptr %r) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %v = load i32, ptr %p
  %b = atomicrmw add ptr %q, i32 %v seq_cst
  %own = alloca i32
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %q, i64 4, i1 false)
  %c = atomicrmw add ptr %r, i32 1 seq_cst
  %g = call i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr %r, i32 4)
  ret void
}

; CHECK-LABEL: kernel writes:
; CHECK-NEXT: parameter 0: written-besides-atomics: {{.*}}store i32
; CHECK-NEXT: parameter 1: written-besides-atomics: {{.*}}memset
define void @writes(ptr %p, ptr %q) {
  store i32 0, ptr %p
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  call void @llvm.memset.p0.i64(ptr %q, i8 0, i64 4, i1 false)
  %b = atomicrmw add ptr %q, i32 1 seq_cst
  ret void
}

; The ticket of blocks of which the last one goes on.
; CHECK-LABEL: kernel result:
; CHECK-NEXT: parameter 0: atomic-result-used: the kernel uses what an atomic returns: {{.*}}atomicrmw
define void @result(ptr %p, ptr %q) {
  %ticket = atomicrmw add ptr %p, i32 1 seq_cst
  store i32 %ticket, ptr %q
  ret void
}

; CHECK-LABEL: kernel does_not_combine:
; CHECK-NEXT: parameter 0: operation-does-not-combine: {{.*}}xchg
; CHECK-NEXT: parameter 1: operation-does-not-combine: {{.*}}cmpxchg
; CHECK-NEXT: parameter 2: operation-does-not-combine: {{.*}}inc
; CHECK-NEXT: parameter 3: operation-does-not-combine: {{.*}}udec_wrap
define void @does_not_combine(ptr %p, ptr %q, ptr %r, ptr %s) {
  %a = atomicrmw xchg ptr %p, i32 1 seq_cst
  %b = cmpxchg ptr %q, i32 0, i32 1 seq_cst seq_cst
  %c = call i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr %r, i32 16)
  %d = atomicrmw udec_wrap ptr %s, i32 16 seq_cst
  ret void
}

; CHECK-LABEL: kernel type:
; CHECK-NEXT: parameter 0: type-does-not-combine: {{.*}}half
; CHECK-NEXT: parameter 1: type-does-not-combine: {{.*}}i16
define void @type(ptr %p, ptr %q) {
  %a = atomicrmw fadd ptr %p, half 1.0 seq_cst
  %b = atomicrmw add ptr %q, i16 1 seq_cst
  ret void
}

; CHECK-LABEL: kernel scope:
; CHECK-NEXT: parameter 0: atomic-of-other-scope: {{.*}}sys
; CHECK-NEXT: parameter 1: atomic-of-other-scope: {{.*}}cta
define void @scope(ptr %p, ptr %q) {
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p0(ptr %p, i32 1)
  %b = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %q, i32 1)
  ret void
}

; CHECK-LABEL: kernel several:
; CHECK-NEXT: parameter 0: several-operations: {{.*}}atomicrmw
; CHECK-NEXT: parameter 1: several-operations: {{.*}}atomicrmw
; CHECK-NEXT: parameter 2: several-operations: {{.*}}atomicrmw
define void @several(ptr %p, ptr %q, ptr %r) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %b = atomicrmw or ptr %p, i32 1 seq_cst
  %c = atomicrmw min ptr %q, i32 1 seq_cst
  %d = atomicrmw umin ptr %q, i32 1 seq_cst
  %e = atomicrmw add ptr %r, i32 1 seq_cst
  %f = atomicrmw add ptr %r, i64 1 seq_cst
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}
!0 = !{ptr @unknown_pointer, !"kernel", i32 1}
!1 = !{ptr @stored, !"kernel", i32 1}
!2 = !{ptr @compared, !"kernel", i32 1}
!3 = !{ptr @reads, !"kernel", i32 1}
!4 = !{ptr @writes, !"kernel", i32 1}
!5 = !{ptr @result, !"kernel", i32 1}
!6 = !{ptr @does_not_combine, !"kernel", i32 1}
!7 = !{ptr @type, !"kernel", i32 1}
!8 = !{ptr @scope, !"kernel", i32 1}
!9 = !{ptr @several, !"kernel", i32 1}
