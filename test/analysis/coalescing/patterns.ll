; Structs, columns, rows that a warp spans, broadcasts and gathers; what to do
; about each, and silence where there is nothing to do.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=32x8 -gridspan-grid=1 -gridspan-param=1=100 2>&1 \
; RUN:   | FileCheck %s
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=16x16 -gridspan-grid=1 -gridspan-param=1=100 2>&1 \
; RUN:   | FileCheck %s --check-prefix=SPAN

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel structs,
; CHECK-NEXT: load 4 of arg0: partial, sectors 12 (ideal 4) a request, up to 13 if misaligned, requests 8, lane stride 12 [site 0]
; CHECK-NEXT:   2 accesses use 67% of structs of 12 bytes in arg0
; CHECK-NEXT: load 4 of arg0: partial, sectors 12 (ideal 4)
; CHECK-NEXT:   2 accesses
define ptx_kernel void @structs(ptr %x, i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tx to i64
  %p = getelementptr [3 x float], ptr %x, i64 %wide
  %q = getelementptr i8, ptr %p, i64 8
  %v = load float, ptr %p, align 4
  %w = load float, ptr %q, align 4
  ret void
}

; All of a struct is used: nothing to gain, nothing said.
; CHECK-LABEL: kernel whole,
; CHECK-NEXT: load 4 of arg0: partial,
; CHECK-NEXT: load 4 of arg0: partial,
; CHECK-NEXT: load 4 of arg0: partial,
; CHECK-NOT: structs
define ptx_kernel void @whole(ptr %x, i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tx to i64
  %p = getelementptr [3 x float], ptr %x, i64 %wide
  %q = getelementptr i8, ptr %p, i64 4
  %r = getelementptr i8, ptr %p, i64 8
  %v = load float, ptr %p, align 4
  %w = load float, ptr %q, align 4
  %u = load float, ptr %r, align 4
  ret void
}

; CHECK-LABEL: kernel columns,
; CHECK-NEXT: store 4 of arg0: uncoalesced, sectors 32 (ideal 4) a request, requests 8, lane stride (sext64(arg1) * 4), sectors of a warp umin(udiv(((sext64(arg1) * 124) + 35), 32), 32) [site 0]
; CHECK-NEXT:   neighbouring elements are in neighbouring threadIdx.y
define ptx_kernel void @columns(ptr %x, i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %tx, %n
  %i = add i32 %row, %ty
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p, align 4
  ret void
}

; A warp covers one row of 32, or two of 16 on rows of 400 bytes.
; CHECK-LABEL: kernel rows,
; CHECK-NEXT: store 4 of arg0: coalesced, sectors 4.5 (ideal 4) a request, 4 to 5, up to 5 if misaligned, requests 8, lane stride 4 [site 0]
; CHECK-NOT: lanes are
; SPAN-LABEL: kernel rows,
; SPAN-NEXT: store 4 of arg0: coalesced, sectors 5 (ideal 4) a request, up to 6 if misaligned, requests 8,
define ptx_kernel void @rows(ptr %x, i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %ty, %n
  %i = add i32 %row, %tx
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p, align 4
  ret void
}

; CHECK-LABEL: kernel broadcast,
; CHECK-NEXT: load 4 of arg0: broadcast, sectors 1 (ideal 1) a request, requests 8, lane stride 0 [site 0]
; SPAN-LABEL: kernel broadcast,
; SPAN-NEXT: load 4 of arg0: coalesced, sectors 1 (ideal 1) a request, up to {{.*}}, requests 8, lane stride 0 [site 0]
define ptx_kernel void @broadcast(ptr %x, i32 %n) {
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wide = zext i32 %ty to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p, align 4
  ret void
}

; Lanes that share elements without a fixed stride: numbers all the same.
; CHECK-LABEL: kernel quotient,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 2 (ideal 2) a request, up to 3 if misaligned, requests 8 [site 0]
define ptx_kernel void @quotient(ptr %x, i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %third = udiv i32 %tx, 3
  %wide = zext i32 %third to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p, align 4
  ret void
}

; CHECK-LABEL: kernel gather,
; CHECK-NEXT: load 4 of arg0: coalesced,
; CHECK-NEXT: load 4 of arg2: unknown, {{.*}}loaded from memory{{.*}} [site 1]
; CHECK-NEXT: atomic 4 of arg2: unknown, {{.*}}loaded from memory{{.*}} [site 2]
define ptx_kernel void @gather(ptr %index, i32 %n, ptr %x) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tx to i64
  %p = getelementptr i32, ptr %index, i64 %wide
  %i = load i32, ptr %p, align 4
  %to = sext i32 %i to i64
  %q = getelementptr float, ptr %x, i64 %to
  %v = load float, ptr %q, align 4
  %old = atomicrmw add ptr %q, i32 1 monotonic, align 4
  ret void
}

; CHECK-LABEL: kernel pointers,
; CHECK-NEXT: load 8 of arg0: coalesced
; CHECK-NEXT: store 4 of unknown memory: unknown, {{.*}} [site 1]
define ptx_kernel void @pointers(ptr %list, i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tx to i64
  %p = getelementptr ptr, ptr %list, i64 %wide
  %q = load ptr, ptr %p, align 8
  store float 0.0, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
