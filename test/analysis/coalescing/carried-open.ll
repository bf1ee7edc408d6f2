; A loop carries what cannot be followed, as two loops need what the other one
; leaves; but lanes of a warp share it, so it does not matter what it is.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 -gridspan-param=1=64 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel shared,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors ~4 (ideal 4) a request, {{.*}}{{.*}}lanes share what is unknown: it depends on its value in the last iteration [site 0]
define ptx_kernel void @shared(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %s = phi i32 [ %n, %entry ], [ %left, %latch ]
  br label %inner

inner:
  %j = phi i32 [ %s, %outer ], [ %moved, %inner ]
  %half = lshr i32 %j, 1
  %moved = xor i32 %half, %s
  %odd = and i32 %moved, 4
  %again = icmp ne i32 %odd, 0
  br i1 %again, label %inner, label %latch

latch:
  %left = phi i32 [ %moved, %inner ]
  %row = mul i32 %left, 64
  %i = add i32 %row, %t
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  %more = icmp ugt i32 %left, 5
  br i1 %more, label %outer, label %exit

exit:
  ret void
}

; The same begun in each lane with its own number.
; CHECK-LABEL: kernel apart,
; CHECK-NEXT: load 4 of arg0: unknown, it depends on its value in the last iteration [site 0]
define ptx_kernel void @apart(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %s = phi i32 [ %t, %entry ], [ %left, %latch ]
  br label %inner

inner:
  %j = phi i32 [ %s, %outer ], [ %moved, %inner ]
  %half = lshr i32 %j, 1
  %moved = xor i32 %half, %s
  %odd = and i32 %moved, 4
  %again = icmp ne i32 %odd, 0
  br i1 %again, label %inner, label %latch

latch:
  %left = phi i32 [ %moved, %inner ]
  %wide = zext i32 %left to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  %more = icmp ugt i32 %left, 5
  br i1 %more, label %outer, label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
