; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=65536 -gridspan-grid=few:1 2>&1 | FileCheck %s
; Data that is converted at run time has to earn that first.
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=65536 -gridspan-layout-launches=1 2>&1 \
; RUN:   | FileCheck %s --check-prefix=ONCE
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=65536 -gridspan-layout-launches=100 2>&1 \
; RUN:   | FileCheck %s --check-prefix=OFTEN

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.P = type { float, float, float, float, float, float, float, float }
%struct.Box = type { float, float, float, float }

; One field of eight: the others ride along.
; CHECK-LABEL: kernel keys, block 256x1x1, grid 65536x1x1
; CHECK-NEXT: array arg0 (struct.P), 32 bytes, fields 8:4
; CHECK-NEXT: aos {{[0-9.]+}} us (DRAM), aligned {{.*}}, soa {{.*}}, tiled32 {{.*}}, tiled128 {{.*}}, tiled8 {{.*}}, split
; CHECK-NEXT: make it a struct of arrays: predicted {{[2-9]\.[0-9]+}} times as fast; converting the data once takes {{.*}} launches save; 28 of 32 bytes are not touched: keep them apart
; ONCE-LABEL: kernel keys
; ONCE: stays: conversion-cost, converting the data takes longer than the launches would gain
; OFTEN-LABEL: kernel keys
; OFTEN: make it a struct of arrays
define ptx_kernel void @keys(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.P, ptr %x, i64 %wide, i32 2
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %q, align 4
  ret void
}

; All of a record whose address was loaded: as good as it gets, and worse as a
; struct of arrays.
; CHECK-LABEL: kernel gather,
; CHECK-NEXT: array arg0 (struct.Box), 16 bytes, fields 0:4 4:4 8:4 12:4
; CHECK-NEXT: aos {{.*}}, aligned
; CHECK-NEXT: stays: no-gain
define ptx_kernel void @gather(ptr %x, ptr %index, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %pi = getelementptr i32, ptr %index, i64 %wide
  %j = load i32, ptr %pi, align 4
  %j64 = sext i32 %j to i64
  %p0 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 0
  %p1 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 1
  %p2 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 2
  %p3 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 3
  %v0 = load float, ptr %p0, align 4
  %v1 = load float, ptr %p1, align 4
  %v2 = load float, ptr %p2, align 4
  %v3 = load float, ptr %p3, align 4
  %s0 = fadd float %v0, %v1
  %s1 = fadd float %v2, %v3
  %s = fadd float %s0, %s1
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; Already aligned: nothing is left to gain, and no aligned form is offered.
; CHECK-LABEL: kernel whole,
; CHECK-NEXT: array arg0 (struct.Box), 16 bytes, fields 0:4 4:4 8:4 12:4
; CHECK-NEXT: aos {{[^,]*}}, soa
; CHECK-NEXT: stays: no-gain, no other layout is faster
define ptx_kernel void @whole(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p0 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 0
  %p1 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 1
  %p2 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 2
  %p3 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 3
  %v0 = load float, ptr %p0, align 16
  %v1 = load float, ptr %p1, align 4
  %v2 = load float, ptr %p2, align 8
  %v3 = load float, ptr %p3, align 4
  %s0 = fadd float %v0, %v1
  %s1 = fadd float %v2, %v3
  %s = fadd float %s0, %s1
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; Rows of records, one a thread: a vector of four instead of four requests of 32
; sectors, and hits in L1 for the next iterations.
; CHECK-LABEL: kernel rows,
; CHECK-NEXT: array arg0 (struct.Box), 16 bytes, fields 0:4 4:4 8:4 12:4
; CHECK-NEXT: aos {{[0-9.]+}} us (load and store units), aligned
; CHECK-NEXT: align the struct to 16 bytes (alignas): predicted {{[1-4]\.[0-9]+}} times as fast
define ptx_kernel void @rows(ptr %x, i32 %n, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %row = mul i32 %t, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %at = add i32 %row, %k
  %j64 = zext i32 %at to i64
  %p0 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 0
  %p1 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 1
  %p2 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 2
  %p3 = getelementptr %struct.Box, ptr %x, i64 %j64, i32 3
  %v0 = load float, ptr %p0, align 4
  %v1 = load float, ptr %p1, align 4
  %v2 = load float, ptr %p2, align 4
  %v3 = load float, ptr %p3, align 4
  %s0 = fadd float %v0, %v1
  %s1 = fadd float %v2, %v3
  %s2 = fadd float %s0, %s1
  %s = fadd float %s2, %sum
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %wide = zext i32 %i to i64
  %q = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %q, align 4
  ret void
}

; Every thread adds to one counter.
; CHECK-LABEL: kernel counted,
; CHECK-NEXT: array arg0 (struct.P), 32 bytes, fields 0:4
; CHECK: stays: atomics-bound, atomics take longer than the accesses to the array
define ptx_kernel void @counted(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.P, ptr %x, i64 %wide, i32 0
  %v = load float, ptr %p, align 4
  %old = atomicrmw fadd ptr %out, float %v monotonic, align 4
  ret void
}

; One block on the whole GPU.
; CHECK-LABEL: kernel few, block 256x1x1, grid 1x1x1
; CHECK: stays: occupancy-bound, too few warps to cover the latency of their loads: give the launch more first
define ptx_kernel void @few(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.P, ptr %x, i64 %wide, i32 0
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %q, align 4
  ret void
}

; Half of what is accessed may be anywhere.
; CHECK-LABEL: kernel elsewhere,
; CHECK: stays: unknown-accesses, accesses of unknown address may be to the array
define ptx_kernel void @elsewhere(ptr %x, ptr %table) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.P, ptr %x, i64 %wide, i32 0
  %v = load float, ptr %p, align 4
  %slot = getelementptr ptr, ptr %table, i64 %wide
  %where = load ptr, ptr %slot, align 8
  store float %v, ptr %where, align 4
  ret void
}

; Records to one access, single floats to another.
; CHECK-LABEL: kernel mixed,
; CHECK-NEXT: arg0: it is accessed with several strides
; CHECK-NOT: array
define ptx_kernel void @mixed(ptr %x, ptr %y) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.P, ptr %x, i64 %wide, i32 0
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %x, i64 %wide
  %w = load float, ptr %q, align 4
  %s = fadd float %v, %w
  %r = getelementptr float, ptr %y, i64 %wide
  store float %s, ptr %r, align 4
  ret void
}

; Nothing to rearrange: no word.
; CHECK-LABEL: kernel plain,
; CHECK-NOT: array
define ptx_kernel void @plain(ptr %x, ptr %y) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %wide
  store float %v, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
