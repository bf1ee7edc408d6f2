; Addresses of shared memory have 32 bits on a device: an unsigned index that is
; a difference may stand for a negative number. Other indices, and those into
; other memory, stay as they are.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: define internal void @__gridspan_cpu.wraps(
define void @wraps(i32 %i, i32 %j, i64 %l) {
  %end = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 64
  %not = xor i32 %i, -1
  %a = zext i32 %not to i64
; CHECK: [[A:%.*]] = sext i32 %not to i64
; CHECK: %p = getelementptr inbounds i32, ptr %end, i64 [[A]]
  %p = getelementptr inbounds i32, ptr %end, i64 %a
  store i32 1, ptr %p
; Below an operation, and with the flag that only the other extension allows.
  %sub = sub i32 %i, %j
  %twice = shl i32 %sub, 1
  %b = zext i32 %twice to i64
; CHECK: [[B:%.*]] = sext i32 %twice to i64
; CHECK: %q = getelementptr inbounds i32, ptr addrspace(3) %{{.*}}, i64 [[B]]
  %q = getelementptr inbounds nuw i32, ptr addrspace(3) @s, i64 %b
  store i32 2, ptr addrspace(3) %q
; In a sum of 64 bits.
  %sum = add i64 %a, %l
; CHECK: [[N:%.*]] = trunc i64 %sum to i32
; CHECK: [[C:%.*]] = sext i32 [[N]] to i64
; CHECK: %r = getelementptr i32, ptr addrspace(3) %{{.*}}, i64 [[C]]
  %r = getelementptr i32, ptr addrspace(3) @s, i64 %sum
  store i32 3, ptr addrspace(3) %r
; One less.
  %less = add i32 %i, -1
  %d = zext i32 %less to i64
; CHECK: [[D:%.*]] = sext i32 %less to i64
; CHECK: getelementptr [64 x i32], ptr addrspace(3) %{{.*}}, i64 0, i64 [[D]]
  %t = getelementptr [64 x i32], ptr addrspace(3) @s, i64 0, i64 %d
  store i32 4, ptr addrspace(3) %t
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.stays(
; CHECK-NOT: sext
define void @stays(ptr %g, i32 %i, i32 %j, i64 %l) {
  %not = xor i32 %i, -1
  %a = zext i32 %not to i64
  %p = getelementptr inbounds i32, ptr %g, i64 %a
  store i32 1, ptr %p
  %sum = add i32 %i, 7
  %b = zext i32 %sum to i64
  %q = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %b
  store i32 2, ptr addrspace(3) %q
  %difference = sub nuw i32 %i, %j
  %c = zext i32 %difference to i64
  %r = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %c
  store i32 3, ptr addrspace(3) %r
  %high = lshr i32 %not, 28
  %d = zext i32 %high to i64
  %t = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %d
  store i32 4, ptr addrspace(3) %t
  %u = getelementptr inbounds i32, ptr addrspace(3) @s, i64 %l
  store i32 5, ptr addrspace(3) %u
; CHECK: ret void
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @wraps, !"kernel", i32 1}
!1 = !{ptr @stays, !"kernel", i32 1}
