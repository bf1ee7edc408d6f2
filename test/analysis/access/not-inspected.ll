; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=gridspan-device -pass-remarks-missed=gridspan -disable-output %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=REMARK
; Loaded indices that cannot be inspected before the launch, each with its reason.

; CHECK-LABEL: kernel written
; CHECK: read: unknown, loaded from memory; not inspected: index-written [site 1]
; CHECK-LABEL: kernel ordered
; CHECK: read: unknown, loaded from memory; not inspected: index-volatile [site 1]
; CHECK-LABEL: kernel shared
; CHECK: read: unknown, loaded from shared memory; not inspected: index-not-global [site 0]
; What bounds one form says nothing of the other.
; CHECK-LABEL: kernel several_forms
; CHECK-COUNT-2: not inspected: index-several-forms [site 1]
; CHECK-LABEL: kernel two_bases
; CHECK: read: unknown, loaded from memory; not inspected: index-pointer-unclear [site 1]
; CHECK-LABEL: kernel address
; CHECK: read: unknown, loaded from memory; not inspected: index-address-unknown [site 1]
; CHECK-LABEL: kernel bits
; CHECK: not inspected: index-element-size [site 1]
; CHECK-LABEL: kernel not_alone
; CHECK: read: unknown, {{.*}}; not inspected: index-not-alone [site 1]

; REMARK: kernel written loads indices that are not inspected: the kernel may write what the index is loaded from
; REMARK: kernel not_alone loads indices that are not inspected: something else in the address is not known

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@S = external addrspace(3) global [32 x i32]

define void @written(ptr %p, ptr %q) {
  %j = load i32, ptr %q
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  store i32 1, ptr %q
  ret void
}

define void @ordered(ptr %p, ptr %q) {
  %j = load volatile i32, ptr %q
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @shared(ptr %p) {
  %j = load i32, ptr addrspace(3) @S
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @several_forms(ptr %p, ptr %q, i32 %n) {
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %then, label %else
then:
  %first = getelementptr float, ptr %p, i64 88
  br label %end
else:
  %second = getelementptr float, ptr %p, i64 -44
  br label %end
end:
  %form = phi ptr [ %first, %then ], [ %second, %else ]
  %j = load i32, ptr %q
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %form, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @two_bases(ptr %p, ptr %q, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, 5
  %s = select i1 %c, ptr %q, ptr %r
  %j = load i32, ptr %s
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @address(ptr %p, ptr %q, float %f) {
  %i = fptosi float %f to i64
  %a = getelementptr i32, ptr %q, i64 %i
  %j = load i32, ptr %a
  %y = sext i32 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @bits(ptr %p, ptr %q) {
  %j = load i24, ptr %q
  %y = sext i24 %j to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

define void @not_alone(ptr %p, ptr %q, float %f) {
  %j = load i32, ptr %q
  %i = fptosi float %f to i32
  %k = add i32 %j, %i
  %y = sext i32 %k to i64
  %b = getelementptr float, ptr %p, i64 %y
  %v = load float, ptr %b
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{ptr @written, !"kernel", i32 1}
!1 = !{ptr @ordered, !"kernel", i32 1}
!2 = !{ptr @shared, !"kernel", i32 1}
!3 = !{ptr @two_bases, !"kernel", i32 1}
!4 = !{ptr @address, !"kernel", i32 1}
!5 = !{ptr @bits, !"kernel", i32 1}
!6 = !{ptr @not_alone, !"kernel", i32 1}
!7 = !{ptr @several_forms, !"kernel", i32 1}
