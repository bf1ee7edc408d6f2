; Indices made of the bits of a number: they are followed as arithmetic. What is
; unknown stays that.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; All 6 bits of the thread reversed: lanes alternate between far places.
; CHECK-LABEL: kernel reversed,
; CHECK-NEXT: load 4 of arg0: uncoalesced, sectors 32 (ideal 4) a request, {{.*}}requests 2 [site 0]
define ptx_kernel void @reversed(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.bitreverse.i32(i32 %t)
  %i = lshr i32 %r, 26
  %far = shl i32 %i, 3
  %wide = zext i32 %far to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; Bytes reversed twice are where they were.
; CHECK-LABEL: kernel bytes,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}lane stride 4 [site 0]
define ptx_kernel void @bytes(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.bswap.i32(i32 %t)
  %i = call i32 @llvm.bswap.i32(i32 %r)
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; The bits below the lane's, of a full mask: as many as the lane's number.
; CHECK-LABEL: kernel ranks,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}lane stride 4 [site 0]
define ptx_kernel void @ranks(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %bit = shl i32 1, %lane
  %below = sub i32 %bit, 1
  %i = call i32 @llvm.ctpop.i32(i32 %below)
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; The logarithm: 0, 1, 2, 2, 3, 3, 3, 3, ... in 64-byte steps; threads 32 to 63
; all have 6.
; CHECK-LABEL: kernel first,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 3.5 (ideal 2.5) a request, 1 to 6
define ptx_kernel void @first(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %z = call i32 @llvm.ctlz.i32(i32 %t, i1 false)
  %i = sub i32 32, %z
  %far = shl i32 %i, 4
  %wide = zext i32 %far to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; Zeros behind the last bit: 32, 0, 1, 0, 2, ... of 32 threads, a sector each.
; CHECK-LABEL: kernel last,
; CHECK-NEXT: load 4 of arg0: {{[a-z]+}}, sectors 6 (ideal {{[^)]*}}) a request, requests 2
define ptx_kernel void @last(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %z = call i32 @llvm.cttz.i32(i32 %t, i1 false)
  %far = shl i32 %z, 4
  %wide = zext i32 %far to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

; Rotated by 4 bits and back; and by what nobody knows.
; CHECK-LABEL: kernel rotated,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}lane stride 4 [site 0]
; CHECK-NEXT: load 4 of arg0: unknown, the result of llvm.fshl [site 1]
define ptx_kernel void @rotated(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.fshl.i32(i32 %t, i32 %t, i32 4)
  %i = call i32 @llvm.fshr.i32(i32 %r, i32 %r, i32 4)
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  %j = call i32 @llvm.fshl.i32(i32 %t, i32 %t, i32 %t)
  %widej = zext i32 %j to i64
  %q = getelementptr float, ptr %x, i64 %widej
  %w = load volatile float, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel unknown,
; CHECK-NEXT: load 4 of arg1: coalesced
; CHECK-NEXT: load 4 of arg0: unknown, a count of bits
define ptx_kernel void @unknown(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %py = getelementptr i32, ptr %y, i64 %wide
  %m = load volatile i32, ptr %py, align 4
  %i = call i32 @llvm.ctpop.i32(i32 %m)
  %widei = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %widei
  %v = load volatile float, ptr %p, align 4
  ret void
}

; What something is shifted by is taken to be the logarithm of a size, and so
; large that all shifts are by less than the width: 64 - (n - 20) is, from 21 on.
; CHECK-LABEL: kernel shifted, {{.*}}
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}lane stride 4 [site 0]
define ptx_kernel void @shifted(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %more = sub i32 84, %n
  %by = zext i32 %more to i64
  %far = lshr i64 -1, %by
  %i = add i64 %far, %wide
  %even = add i64 %i, 7
  %p = getelementptr float, ptr %x, i64 %even
  %v = load volatile float, ptr %p, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.fshr.i32(i32, i32, i32)
