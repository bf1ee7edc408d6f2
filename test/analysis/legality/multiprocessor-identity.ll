; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Where a block runs must not matter.

; CHECK: kernel k:
; CHECK-NEXT: multiprocessor-identity: cannot be split: it reads which multiprocessor or grid it runs on
; CHECK: kernel asm:
; CHECK-NEXT: multiprocessor-identity:{{.*}}(mov.u32 $0, %nsmid;)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.smid()

define void @k(ptr %p) {
  %s = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  store i32 %s, ptr %p
  ret void
}

define void @asm(ptr %p) {
  %s = call i32 asm "mov.u32 $0, %nsmid;", "=r"()
  store i32 %s, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @asm, !"kernel", i32 1}
