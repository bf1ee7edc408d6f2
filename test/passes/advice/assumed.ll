; Of a launch that nobody described: one that fills the GPU, with sizes to match.
; RUN: rm -f %t.json %t.given.json %t.size.json
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json
; RUN: gridspan-advice %t.json | grep ^kernel | sort | FileCheck %s
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-block=128 \
; RUN:   -gridspan-grid=guarded:1000 -gridspan-advice=%t.given.json
; RUN: gridspan-advice %t.given.json | FileCheck %s --check-prefix=GIVEN
; RUN: %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-param=guarded:1=100000 -gridspan-advice=%t.size.json
; RUN: gridspan-advice %t.size.json | FileCheck %s --check-prefix=SIZE

; Two axes: as many elements along each.
; CHECK: kernel axes of sizes.cu: 32x128 blocks of 32x8 threads, w = 1024, h = 1024 (assumed: grid, block, w, h)
; What indices stay below is what they reach; a factor, a step and a border are not.
; CHECK-NEXT: kernel bordered of sizes.cu: 4096 blocks of 256 threads, n = 1048576, r = 1024 (assumed:
; CHECK-NEXT: kernel guarded of sizes.cu: 4096 blocks of 256 threads, n = 1048576 (assumed:
; The size is a pitch as well: an array of 2^40 elements is nobody's.
; CHECK-NEXT: kernel rows of sizes.cu: 256 blocks of 256 threads, n = 65536 (assumed:
; CHECK-NEXT: kernel wide of sizes.cu: 4096 blocks of 256 threads, n = 4194304 (assumed:

; GIVEN: kernel guarded of sizes.cu: 1000 blocks of 128 threads, n = 128000 (assumed: n)
; SIZE: kernel guarded of sizes.cu: 391 blocks of 256 threads, n = 100000 (assumed: grid, block)

source_filename = "sizes.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; if (i < n) x[i] = 0;
define ptx_kernel void @guarded(ptr %x, i32 %n) #0 {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = mul i32 %b, %d
  %i = add i32 %o, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %store, label %end
store:
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p, align 4
  br label %end
end:
  ret void
}

; if (!(i < r || i >= n - r)) x[i] = 0;
define ptx_kernel void @bordered(ptr %x, i32 %n, i32 %r) #0 {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = mul i32 %b, %d
  %i = add i32 %o, %t
  %low = icmp slt i32 %i, %r
  %last = sub i32 %n, %r
  %high = icmp sge i32 %i, %last
  %out = or i1 %low, %high
  br i1 %out, label %end, label %store
store:
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p, align 4
  br label %end
end:
  ret void
}

; if (i < n) x[i * n] = 0;
define ptx_kernel void @rows(ptr %x, i64 %n) #0 {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = mul i32 %b, %d
  %s = add i32 %o, %t
  %i = zext i32 %s to i64
  %in = icmp ult i64 %i, %n
  br i1 %in, label %store, label %end
store:
  %row = mul i64 %i, %n
  %p = getelementptr float, ptr %x, i64 %row
  store float 0.0, ptr %p, align 4
  br label %end
end:
  ret void
}

; Four elements a thread.
define ptx_kernel void @wide(ptr %x, i32 %n) #0 {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = mul i32 %b, %d
  %s = add i32 %o, %t
  %i = shl i32 %s, 2
  %lasts = add i32 %i, 3
  %in = icmp slt i32 %lasts, %n
  br i1 %in, label %store, label %end
store:
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store <4 x float> zeroinitializer, ptr %p, align 16
  br label %end
end:
  ret void
}

; if (i < w && j < h) x[j * w + i] = 0;
define ptx_kernel void @axes(ptr %x, i32 %w, i32 %h) #0 {
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %dx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %dy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %ox = mul i32 %bx, %dx
  %i = add i32 %ox, %tx
  %oy = mul i32 %by, %dy
  %j = add i32 %oy, %ty
  %inx = icmp slt i32 %i, %w
  %iny = icmp slt i32 %j, %h
  %in = and i1 %inx, %iny
  br i1 %in, label %store, label %end
store:
  %row = mul i32 %j, %w
  %at = add i32 %row, %i
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p, align 4
  br label %end
end:
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
