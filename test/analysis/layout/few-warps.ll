; Few warps that wait for their loads: what lanes ask for together decides. Where an
; index is not known but all lanes step alike, they stay side by side.
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=132 -gridspan-block=32 -gridspan-param=1=2048 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Box = type { float, float, float, float }

; A condition adds one at most.
; CHECK-LABEL: kernel alike,
; CHECK-NEXT: array arg0 (struct.Box), 16 bytes, fields 0:4 4:4
; CHECK-NEXT: aos {{[0-9.]+}} us (latency)
; CHECK-NEXT: store it in tiles of 32 records, a struct of arrays in each: predicted 1.{{[0-9]+}} times as fast
define ptx_kernel void @alike(ptr %x, i32 %n, i32 %stride, i32 %mask, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %at = phi i32 [ %i, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %wide = zext i32 %at to i64
  %p0 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 0
  %p1 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 1
  %v0 = load float, ptr %p0, align 4
  %v1 = load float, ptr %p1, align 4
  %s0 = fmul float %v0, %v1
  %s = fadd float %s0, %sum
  %over = fcmp ogt float %s, 1024.0
  %more.or.less = zext i1 %over to i32
  %sum.at = add i32 %at, %stride
  %moved = add i32 %sum.at, %more.or.less
  %next = and i32 %moved, %mask
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %wide.i = zext i32 %i to i64
  %q = getelementptr float, ptr %out, i64 %wide.i
  store float %s, ptr %q, align 4
  ret void
}

; A condition chooses how far to go: lanes end up anywhere, in every form.
; CHECK-LABEL: kernel apart,
; CHECK: aos {{[0-9.]+}} us (latency)
; CHECK-NEXT: stays: occupancy-bound, too few warps
define ptx_kernel void @apart(ptr %x, i32 %n, i32 %stride, i32 %mask, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %at = phi i32 [ %i, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %wide = zext i32 %at to i64
  %p0 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 0
  %p1 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 1
  %v0 = load float, ptr %p0, align 4
  %v1 = load float, ptr %p1, align 4
  %s0 = fmul float %v0, %v1
  %s = fadd float %s0, %sum
  %over = fcmp ogt float %s, 1024.0
  %far = add i32 %at, %stride
  %moved = select i1 %over, i32 %far, i32 %at
  %next = and i32 %moved, %mask
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %wide.i = zext i32 %i to i64
  %q = getelementptr float, ptr %out, i64 %wide.i
  store float %s, ptr %q, align 4
  ret void
}

; So it is where the next index is loaded.
; CHECK-LABEL: kernel loaded,
; CHECK: stays: occupancy-bound, too few warps
define ptx_kernel void @loaded(ptr %x, i32 %n, i32 %stride, i32 %mask, ptr %out) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %at = phi i32 [ %i, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop ]
  %wide = zext i32 %at to i64
  %p0 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 0
  %p1 = getelementptr %struct.Box, ptr %x, i64 %wide, i32 1
  %v0 = load float, ptr %p0, align 4
  %v1 = load float, ptr %p1, align 4
  %s0 = fmul float %v0, %v1
  %s = fadd float %s0, %sum
  %over = fcmp ogt float %s, 1024.0
  %bits = bitcast float %v0 to i32
  %moved = add i32 %at, %bits
  %next = and i32 %moved, %mask
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %wide.i = zext i32 %i to i64
  %q = getelementptr float, ptr %out, i64 %wide.i
  store float %s, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
