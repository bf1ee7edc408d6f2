; What is frozen in one region is the same in the next: it is not frozen again,
; as that may choose another value.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

; CHECK: freeze
; CHECK-NOT: freeze

target triple = "nvptx64-nvidia-cuda"

define void @frozen(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %f = freeze i32 poison
  %m = mul i32 %f, %t
  %q = getelementptr i32, ptr %out, i64 %w
  store i32 %m, ptr %q
  call void @llvm.nvvm.barrier0()
  %q2 = getelementptr i32, ptr %q, i64 1024
  %m2 = or i32 %m, 1
  store i32 %m2, ptr %q2
  ret void
}

declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @frozen, !"kernel", i32 1}
