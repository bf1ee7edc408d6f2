; Options about kernels that are not there are said.
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json \
; RUN:   -gridspan-block=copy:64 -gridspan-block=coppy:64 -gridspan-grid=8 \
; RUN:   -gridspan-param=other:1=5 -gridspan-param=copy:1=5 \
; RUN:   -gridspan-shared=other=16 -gridspan-base=other:0=4 \
; RUN:   -gridspan-registers=other=40 2>&1 | FileCheck %s
; CHECK-NOT: warning
; CHECK: warning: gridspan: {{.*}}unknown-kernels.ll: -gridspan-block=coppy:64 has no effect: there is no such kernel in this file
; CHECK: warning: {{.*}}-gridspan-shared=other=16 has no effect
; CHECK: warning: {{.*}}-gridspan-param=other:1=5 has no effect
; CHECK: warning: {{.*}}-gridspan-base=other:0=4 has no effect
; CHECK: warning: {{.*}}-gridspan-registers=other=40 has no effect
; CHECK-NOT: warning

; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json \
; RUN:   -gridspan-kernel=nothing 2>&1 | FileCheck --check-prefix=KERNEL %s
; KERNEL: warning: gridspan: {{.*}}-gridspan-kernel=nothing has no effect

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @copy(ptr %out, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %x to i64
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 %n, ptr %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @copy, !"kernel", i32 1}
