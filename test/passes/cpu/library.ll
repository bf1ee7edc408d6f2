; System calls of device code.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %p, ptr %q, i64 %n) {
; CHECK: call i32 @__gridspan_cpu_printf(ptr %block, ptr %p, ptr %q)
  %c = call i32 @vprintf(ptr %p, ptr %q)
; CHECK: [[M:%.*]] = call ptr @__gridspan_cpu_malloc(i64 %n)
  %m = call ptr @malloc(i64 %n)
; CHECK: call void @__gridspan_cpu_free(ptr [[M]])
  call void @free(ptr %m)
; CHECK: call void @__gridspan_cpu_assert_fail(ptr %block, i32 %tid.x, i32 %tid.y, i32 %tid.z, ptr %p, ptr %q, i32 9, ptr %p)
  call void @__assertfail(ptr %p, ptr %q, i32 9, ptr %p, i64 1)
; CHECK: call void @__gridspan_cpu_trap(ptr %block)
; CHECK-NEXT: unreachable
  call void @llvm.trap()
  unreachable
}

declare i32 @vprintf(ptr, ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64)
declare void @llvm.trap()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
