; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; A phi is a choice where one condition decides, else the union of its values under the
; facts of their edges; equal values are one value, without those facts.

; CHECK-LABEL: kernel choice
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(when((((ctaid.x * ntid.x) + tid.x) slt arg1), ({((ctaid.x * ntid.x) + tid.x) slt arg1} + 100))) * 4) (exact) [site 0]
; CHECK-NEXT: write 4 bytes at (sext64(when((((ctaid.x * ntid.x) + tid.x) sge arg1), arg1)) * 4) (exact) [site 0]
; CHECK-LABEL: kernel equal
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(((ctaid.x * ntid.x) + tid.x)) * 4) (exact) [site 0]
; CHECK-LABEL: kernel union
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64(tid.x) * 4) [site 0]
; CHECK-NEXT: write 4 bytes at (sext64(((ctaid.x * ntid.x) + tid.x)) * 4) [site 0]
; CHECK-NEXT: write 4 bytes at (sext64(5) * 4) [site 0]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @choice(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %join

then:
  %s = add i32 %i, 100
  br label %join

join:
  %j = phi i32 [ %s, %then ], [ %n, %0 ]
  %x = sext i32 %j to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  ret void
}

define void @equal(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %else

then:
  %x1 = sext i32 %i to i64
  br label %join

else:
  %x2 = sext i32 %i to i64
  br label %join

join:
  %x = phi i64 [ %x1, %then ], [ %x2, %else ]
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  ret void
}

define void @union(ptr %p, i32 %n) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  switch i32 %n, label %c [ i32 0, label %a
                            i32 1, label %b2 ]

a:
  br label %join

b2:
  br label %join

c:
  br label %join

join:
  %j = phi i32 [ %i, %a ], [ 5, %b2 ], [ %t, %c ]
  %x = sext i32 %j to i64
  %q = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @choice, !"kernel", i32 1}
!1 = !{ptr @equal, !"kernel", i32 1}
!2 = !{ptr @union, !"kernel", i32 1}
