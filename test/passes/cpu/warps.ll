; Warp operations become calls that name the operation by a number
; (gridspan/CpuCodes.h).
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, i32 %v, float %f, i1 %p, i64 %w) {
; CHECK: [[S:%.*]] = call i64 @__gridspan_cpu_warp_shuffle(ptr %block, i32 -1, i32 1, i32 %v, i32 4, i32 31)
; CHECK: trunc i64 [[S]] to i32
  %down = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %v, i32 4, i32 31)
; CHECK: [[B:%.*]] = bitcast float %f to i32
; CHECK: call i64 @__gridspan_cpu_warp_shuffle(ptr %block, i32 -1, i32 3, i32 [[B]], i32 4, i32 31)
; CHECK: bitcast i32 {{.*}} to float
; CHECK: icmp ne i64
  %idx = call {float, i1} @llvm.nvvm.shfl.sync.idx.f32p(i32 -1, float %f, i32 4, i32 31)
; CHECK: call i32 @__gridspan_cpu_warp_vote(ptr %block, i32 7, i32 3, i32 {{.*}})
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 7, i1 %p)
; CHECK: [[ANY:%.*]] = call i32 @__gridspan_cpu_warp_vote(ptr %block, i32 7, i32 1, i32 {{.*}})
; CHECK: icmp ne i32 [[ANY]], 0
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 7, i1 %p)
; CHECK: call i64 @__gridspan_cpu_warp_match_any(ptr %block, i32 7, i64 %w)
  %match = call i32 @llvm.nvvm.match.any.sync.i64(i32 7, i64 %w)
; CHECK: call i64 @__gridspan_cpu_warp_match_all(ptr %block, i32 7, i64
  %all = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 7, i32 %v)
; The intrinsic has the mask last.
; CHECK: call i32 @__gridspan_cpu_warp_reduce(ptr %block, i32 7, i32 3, i32 %v)
  %min = call i32 @llvm.nvvm.redux.sync.umin(i32 %v, i32 7)
; CHECK: call i32 @__gridspan_cpu_active_mask(ptr %block, i32 0) [[NOMERGE:#[0-9]+]]
  %active = call i32 @llvm.nvvm.activemask()
  store i32 %active, ptr %out
  ret void
}

declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.sync.idx.f32p(i32, float, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)
declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
declare i32 @llvm.nvvm.activemask()

; CHECK: attributes [[NOMERGE]] = { nomerge }

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
