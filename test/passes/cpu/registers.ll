; Special registers come from the thread's parameters and the block.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(ptr noundef {{.*}}%block, i32 noundef range(i32 0, 1024) %tid.x, i32 noundef range(i32 0, 1024) %tid.y, i32 noundef range(i32 0, 64) %tid.z, ptr %out)
define void @k(ptr %out) {
; CHECK: store volatile i32 %tid.y, ptr %out
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  store volatile i32 %tid, ptr %out
; CHECK: [[A:%.*]] = getelementptr inbounds i8, ptr %block, i64 24
; CHECK: [[CTAID:%.*]] = load i32, ptr [[A]], align 4, !range {{.*}}, !invariant.load
; CHECK: store volatile i32 [[CTAID]], ptr %out
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store volatile i32 %ctaid, ptr %out
; CHECK: store volatile i32 32, ptr %out
  %warp = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  store volatile i32 %warp, ptr %out
; CHECK: [[LANE:%.*]] = and i32 {{.*}}, 31
; CHECK: store volatile i32 [[LANE]], ptr %out
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  store volatile i32 %lane, ptr %out
; CHECK: [[CYCLES:%.*]] = call i64 @llvm.readcyclecounter()
; CHECK: trunc i64 [[CYCLES]] to i32
  %clock = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  store volatile i32 %clock, ptr %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.clock()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
