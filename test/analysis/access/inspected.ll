; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Offsets that depend on loaded integers, as far as a launch that knows these can bound them.

; CHECK-LABEL: kernel gather
; CHECK: read: unknown, loaded from memory; inspected: 4 bytes at ((sext64(load32(arg1, (sext64({((ctaid.x * ntid.x) + tid.x) slt arg2}) * 4))) * 4) + 8) [site 1]
; CHECK-LABEL: kernel histogram
; CHECK-NEXT: pointer arg0: atomic
; CHECK-NEXT: atomic: unknown, loaded from memory; inspected: 4 bytes at (zext64(load32(arg1, (zext64(tid.x) * 4))) * 4) [site 1]
; CHECK-LABEL: kernel rows
; CHECK-NEXT: pointer arg0: read
; CHECK-NEXT: read: unknown, loaded from memory; inspected: 4 bytes at (sext64({iter0({load32(arg1, (sext64(tid.x) * 4)) slt load32(arg1, ((sext64(tid.x) * 4) + 4))}, +1, {{.*}} slt {load32(arg1, ((sext64(tid.x) * 4) + 4)) sgt load32(arg1, (sext64(tid.x) * 4))}}) * 4) [site 2]
; CHECK-LABEL: kernel columns
; CHECK-NEXT: pointer arg0: read
; CHECK-NEXT: read: unknown, loaded from memory; inspected: 4 bytes at (load64(arg1, (sext64(load32(arg2, (sext64(tid.x) * 4))) * 8)) * 4) [site 2]
; CHECK-LABEL: kernel vector
; CHECK: read: unknown, an element of a vector; inspected: 4 bytes at (sext64(load32(arg1, ((sext64(tid.x) * 8) + 4))) * 4) [site 1]
; CHECK-LABEL: kernel cached
; CHECK: read: unknown, {{.*}}; inspected: 4 bytes at (sext64(load32(arg1, (sext64(tid.x) * 4))) * 4) [site 1]
; CHECK-LABEL: kernel below
; CHECK: read 4 bytes at (zext64({unknown(loaded from memory) ult arg2}) * 4); inspected: 4 bytes at (zext64({load32(arg1, 0) ult arg2}) * 4) [site 1]
; CHECK-LABEL: kernel two_bits
; CHECK: inspected: 4 bytes at (zext64(and(load32(arg1, 0), load32(arg1, 0))) * 4)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @gather(ptr %p, ptr %q, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %in, label %out

in:
  %x = sext i32 %i to i64
  %a = getelementptr i32, ptr %q, i64 %x
  %j = load i32, ptr %a
  %y = sext i32 %j to i64
  %b2 = getelementptr float, ptr %p, i64 %y
  %b3 = getelementptr i8, ptr %b2, i64 8
  %v = load float, ptr %b3
  br label %out

out:
  ret void
}

define void @histogram(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = zext i32 %t to i64
  %a = getelementptr i32, ptr %q, i64 %x
  %j = load i32, ptr %a
  %y = zext i32 %j to i64
  %b = getelementptr i32, ptr %p, i64 %y
  %v = atomicrmw add ptr %b, i32 1 monotonic
  ret void
}

; x[j] for j from row[i] to row[i + 1].
define void @rows(ptr %x, ptr %row) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %a = getelementptr i32, ptr %row, i64 %i
  %first = load i32, ptr %a
  %b = getelementptr i32, ptr %a, i64 1
  %last = load i32, ptr %b
  %c = icmp slt i32 %first, %last
  br i1 %c, label %loop, label %out

loop:
  %j = phi i32 [ %first, %entry ], [ %j2, %loop ]
  %k = sext i32 %j to i64
  %p = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %p
  %j2 = add nsw i32 %j, 1
  %d = icmp slt i32 %j2, %last
  br i1 %d, label %loop, label %out

out:
  ret void
}

define void @columns(ptr %x, ptr %col, ptr %row) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %a = getelementptr i32, ptr %row, i64 %i
  %j = load i32, ptr %a
  %k = sext i32 %j to i64
  %b = getelementptr i64, ptr %col, i64 %k
  %l = load i64, ptr %b
  %c = getelementptr float, ptr %x, i64 %l
  %v = load float, ptr %c
  ret void
}

define void @vector(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = sext i32 %t to i64
  %a = getelementptr <2 x i32>, ptr %q, i64 %x
  %w = load <2 x i32>, ptr %a
  %j = extractelement <2 x i32> %w, i32 1
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @cached(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = sext i32 %t to i64
  %a = getelementptr i32, ptr %q, i64 %x
  %g = addrspacecast ptr %a to ptr addrspace(1)
  %j = call i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1) %g, i32 4)
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @below(ptr %p, ptr %q, i32 %n) {
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

; Two loads of one place need not give one value.
define void @two_bits(ptr %p, ptr %q) {
  %j = load i32, ptr %q
  %k = load i32, ptr %q
  %l = and i32 %j, %k
  %y = zext i32 %l to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1), i32)

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{ptr @gather, !"kernel", i32 1}
!1 = !{ptr @histogram, !"kernel", i32 1}
!2 = !{ptr @rows, !"kernel", i32 1}
!3 = !{ptr @columns, !"kernel", i32 1}
!4 = !{ptr @vector, !"kernel", i32 1}
!5 = !{ptr @cached, !"kernel", i32 1}
!6 = !{ptr @below, !"kernel", i32 1}
!7 = !{ptr @two_bits, !"kernel", i32 1}
