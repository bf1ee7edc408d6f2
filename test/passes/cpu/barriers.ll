; A kernel with a barrier needs fibers (the flag after the shared size).
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @k.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.k, ptr null, ptr null, ptr @{{.*}}, ptr @{{.*}}, i64 0, i32 1, i32 0 }
; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, i32 %p) {
; CHECK: call void @__gridspan_cpu_barrier(ptr %block, i32 0, i32 0)
  call void @llvm.nvvm.barrier0()
; CHECK: call void @__gridspan_cpu_barrier(ptr %block, i32 3, i32 64)
  call void @llvm.nvvm.barrier(i32 3, i32 64)
; CHECK: call i32 @__gridspan_cpu_barrier_reduce(ptr %block, i32 0, i32 0, i32 %p)
  %n = call i32 @llvm.nvvm.barrier0.popc(i32 %p)
; CHECK: call i32 @__gridspan_cpu_barrier_reduce(ptr %block, i32 0, i32 1, i32 %p)
  %a = call i32 @llvm.nvvm.barrier0.and(i32 %p)
; CHECK: call i32 @__gridspan_cpu_barrier_reduce(ptr %block, i32 0, i32 2, i32 %p)
  %o = call i32 @llvm.nvvm.barrier0.or(i32 %p)
; CHECK: call void @__gridspan_cpu_warp_sync(ptr %block, i32 -1)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK: fence seq_cst
  call void @llvm.nvvm.membar.gl()
  %s = add i32 %n, %a
  %t = add i32 %s, %o
  store i32 %t, ptr %out
  ret void
}

declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.barrier(i32, i32)
declare i32 @llvm.nvvm.barrier0.popc(i32)
declare i32 @llvm.nvvm.barrier0.and(i32)
declare i32 @llvm.nvvm.barrier0.or(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.membar.gl()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
