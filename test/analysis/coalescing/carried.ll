; What a loop carries from one iteration to the next is followed, where it is no
; induction variable but computed from what is known: numbers and trip counts are
; those of the program, and exact.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 -gridspan-param=1=64 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; for (s = n; s > 0; s >>= 1): 64, 32, ..., 1, in two warps.
; CHECK-LABEL: kernel halving,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4.4286 (ideal 4) a request, 4 to 5, {{.*}}requests 14, lane stride 4 [site 0]
define ptx_kernel void @halving(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %s = phi i32 [ %n, %entry ], [ %half, %loop ]
  %i = add i32 %t, %s
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; A place in a ring that lanes enter side by side: i = (i + 7) % n. Where the
; ring begins anew, a warp is in two places.
; CHECK-LABEL: kernel ring,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4.8 (ideal 4) a request, 4 to 5, {{.*}}requests 20 [site 0]
define ptx_kernel void @ring(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ %t, %entry ], [ %j, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  %moved = add i32 %i, 7
  %j = urem i32 %moved, %n
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; Two halves of a buffer that change places, and strides of both.
; CHECK-LABEL: kernel swap,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}requests 12, lane stride 4 [site 0]
; CHECK-NEXT: store 4 of arg0: partial, sectors 8 (ideal 4) a request, {{.*}}requests 12, lane stride 8 [site 1]
; CHECK-NEXT: only 4 of every 8 bytes of arg0 are used
define ptx_kernel void @swap(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %a = phi i32 [ 0, %entry ], [ %b, %loop ]
  %b = phi i32 [ 4096, %entry ], [ %a, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = add i32 %a, %t
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  %twice = shl i32 %t, 1
  %j = add i32 %b, %twice
  %widej = zext i32 %j to i64
  %q = getelementptr float, ptr %x, i64 %widej
  store volatile float %v, ptr %q, align 4
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 6
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; A pointer that moves by one row or two, as the parity of the iteration says.
; CHECK-LABEL: kernel moves,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}requests 10, lane stride 4 [site 0]
define ptx_kernel void @moves(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %first = getelementptr float, ptr %x, i64 %wide
  br label %loop

loop:
  %p = phi ptr [ %first, %entry ], [ %moved, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile float, ptr %p, align 4
  %odd = and i32 %k, 1
  %rows = add nuw nsw i32 %odd, 1
  %bytes = shl i32 %rows, 8
  %step = zext i32 %bytes to i64
  %moved = getelementptr i8, ptr %p, i64 %step
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 5
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; A list: what is next is in memory, and each lane has its own.
; CHECK-LABEL: kernel list,
; CHECK-NEXT: load 4 of arg0: unknown, loaded from memory [site 0]
define ptx_kernel void @list(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ %t, %entry ], [ %v, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p, align 4
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 5
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; The last value of an inner loop is not followed.
; CHECK-LABEL: kernel nested,
; CHECK-NEXT: load 4 of arg0: unknown, it depends on its value in the last iteration [site 0]
define ptx_kernel void @nested(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %i = phi i32 [ %t, %entry ], [ %last, %latch ]
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  br label %inner

inner:
  %j = phi i32 [ %i, %outer ], [ %half, %inner ]
  %half = lshr i32 %j, 1
  %odd = and i32 %half, 4
  %again = icmp ne i32 %odd, 0
  br i1 %again, label %inner, label %latch

latch:
  %last = phi i32 [ %half, %inner ]
  %wide = zext i32 %last to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 5
  br i1 %more, label %outer, label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
