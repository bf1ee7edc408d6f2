; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; The cases of a switch are facts, and so is being none of them.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: write
; CHECK-NEXT: write 4 bytes at (sext64({((ctaid.x * ntid.x) + tid.x) eq 7}) * 4) (exact) [site 0]
; CHECK-NEXT: write 4 bytes at (sext64({{[{][{]}}((ctaid.x * ntid.x) + tid.x) ne 7} ne 0}) * 4) (exact) [site 1]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  switch i32 %i, label %other [ i32 7, label %seven
                                i32 0, label %done ]

seven:
  %x1 = sext i32 %i to i64
  %a1 = getelementptr float, ptr %p, i64 %x1
  store float 0.0, ptr %a1
  br label %done

other:
  %x = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
