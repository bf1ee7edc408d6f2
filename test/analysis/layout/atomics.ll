; Atomics of loaded addresses are taken to be spread over many lines, so that the
; accesses to the records still count: L2 does both.
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=65536 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Event = type { i32, i32, i32, i32, i32 }

; CHECK-LABEL: kernel anywhere,
; CHECK-NEXT: array arg0 (struct.Event), 20 bytes, fields 8:4
; CHECK-NEXT: aos {{[0-9.]+}} us (atomics), {{.*}}soa
; CHECK-NEXT: make it a struct of arrays: predicted 1.{{[0-9]+}} times as fast
define ptx_kernel void @anywhere(ptr %x, ptr %bins) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %p = getelementptr %struct.Event, ptr %x, i64 %wide, i32 2
  %v = load i32, ptr %p, align 4
  %bin = add i32 %v, 0
  %wide.bin = zext i32 %bin to i64
  %q = getelementptr i32, ptr %bins, i64 %wide.bin
  %old = atomicrmw add ptr %q, i32 1 monotonic, align 4
  ret void
}

; Many counters.
; CHECK-LABEL: kernel bins,
; CHECK: make it a struct of arrays: predicted 1.{{[0-9]+}} times as fast
define ptx_kernel void @bins(ptr %x, ptr %bins) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %p = getelementptr %struct.Event, ptr %x, i64 %wide, i32 2
  %v = load i32, ptr %p, align 4
  %bin = and i32 %v, 65535
  %wide.bin = zext i32 %bin to i64
  %q = getelementptr i32, ptr %bins, i64 %wide.bin
  %old = atomicrmw add ptr %q, i32 1 monotonic, align 4
  ret void
}

; Two lines of counters: everyone waits for those.
; CHECK-LABEL: kernel few,
; CHECK: stays: atomics-bound, atomics take longer than the accesses to the array
define ptx_kernel void @few(ptr %x, ptr %bins) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %p = getelementptr %struct.Event, ptr %x, i64 %wide, i32 2
  %v = load i32, ptr %p, align 4
  %bin = and i32 %v, 63
  %wide.bin = zext i32 %bin to i64
  %q = getelementptr i32, ptr %bins, i64 %wide.bin
  %old = atomicrmw add ptr %q, i32 1 monotonic, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
