; Traced versions have a form that is compiled quickly: short blocks, without
; casts between address spaces, and one computation of the thread's index.
; RUN: %opt -passes=gridspan-cpu-lower,verify -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal void @__gridspan_cpu.k.traced(
; CHECK-NEXT: %early = alloca i32
; CHECK-NEXT: %late = alloca i32
; CHECK: getelementptr inbounds i8, ptr %block
; CHECK-NOT: addrspacecast
; CHECK: [[NUMBER:%.*]] = ptrtoint ptr addrspace(1) %g to i64
; CHECK-NEXT: %p = inttoptr i64 [[NUMBER]] to ptr
; CHECK-NOT: getelementptr inbounds i8, ptr %block
; CHECK: br label %[[REST:.*]]
; CHECK: [[REST]]:
; CHECK-NEXT: add i32
; CHECK-NOT: addrspacecast
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 11, i32 770,
; CHECK-NEXT: store i32 %a69, ptr %p
; CHECK-NOT: getelementptr inbounds i8, ptr %block
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 12, i32 770,
; CHECK: ret void
define void @k(ptr addrspace(1) %g, i32 %n) {
  %early = alloca i32
  %late = alloca i32
  %p = addrspacecast ptr addrspace(1) %g to ptr
  %a0 = add i32 %n, %n
  %a1 = add i32 %a0, %n
  %a2 = add i32 %a1, %n
  %a3 = add i32 %a2, %n
  %a4 = add i32 %a3, %n
  %a5 = add i32 %a4, %n
  %a6 = add i32 %a5, %n
  %a7 = add i32 %a6, %n
  %a8 = add i32 %a7, %n
  %a9 = add i32 %a8, %n
  %a10 = add i32 %a9, %n
  %a11 = add i32 %a10, %n
  %a12 = add i32 %a11, %n
  %a13 = add i32 %a12, %n
  %a14 = add i32 %a13, %n
  %a15 = add i32 %a14, %n
  %a16 = add i32 %a15, %n
  %a17 = add i32 %a16, %n
  %a18 = add i32 %a17, %n
  %a19 = add i32 %a18, %n
  %a20 = add i32 %a19, %n
  %a21 = add i32 %a20, %n
  %a22 = add i32 %a21, %n
  %a23 = add i32 %a22, %n
  %a24 = add i32 %a23, %n
  %a25 = add i32 %a24, %n
  %a26 = add i32 %a25, %n
  %a27 = add i32 %a26, %n
  %a28 = add i32 %a27, %n
  %a29 = add i32 %a28, %n
  %a30 = add i32 %a29, %n
  %a31 = add i32 %a30, %n
  %a32 = add i32 %a31, %n
  %a33 = add i32 %a32, %n
  %a34 = add i32 %a33, %n
  %a35 = add i32 %a34, %n
  %a36 = add i32 %a35, %n
  %a37 = add i32 %a36, %n
  %a38 = add i32 %a37, %n
  %a39 = add i32 %a38, %n
  %a40 = add i32 %a39, %n
  %a41 = add i32 %a40, %n
  %a42 = add i32 %a41, %n
  %a43 = add i32 %a42, %n
  %a44 = add i32 %a43, %n
  %a45 = add i32 %a44, %n
  %a46 = add i32 %a45, %n
  %a47 = add i32 %a46, %n
  %a48 = add i32 %a47, %n
  %a49 = add i32 %a48, %n
  %a50 = add i32 %a49, %n
  %a51 = add i32 %a50, %n
  %a52 = add i32 %a51, %n
  %a53 = add i32 %a52, %n
  %a54 = add i32 %a53, %n
  %a55 = add i32 %a54, %n
  %a56 = add i32 %a55, %n
  %a57 = add i32 %a56, %n
  %a58 = add i32 %a57, %n
  %a59 = add i32 %a58, %n
  %a60 = add i32 %a59, %n
  %a61 = add i32 %a60, %n
  %a62 = add i32 %a61, %n
  %a63 = add i32 %a62, %n
  %a64 = add i32 %a63, %n
  %a65 = add i32 %a64, %n
  %a66 = add i32 %a65, %n
  %a67 = add i32 %a66, %n
  %a68 = add i32 %a67, %n
  %a69 = add i32 %a68, %n
  store i32 %a69, ptr %p, !gridspan.site !1
  store i32 %a69, ptr addrspace(1) %g, !gridspan.site !2
  store i32 %n, ptr %early
  store i32 %n, ptr %late
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{i32 11}
!2 = !{i32 12}
