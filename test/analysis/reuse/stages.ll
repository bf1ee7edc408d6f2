; Stencils and products of matrices.
; RUN: %opt -passes='print<gridspan-reuse>' -disable-output %s \
; RUN:   -gridspan-block=plane5:64x4 -gridspan-grid=plane5:256x2048 \
; RUN:   -gridspan-param=plane5:2=16384 -gridspan-param=plane5:3=8192 \
; RUN:   -gridspan-block=product:256 -gridspan-grid=product:262144 \
; RUN:   -gridspan-param=product:3=8192 -gridspan-block=blur:32x8 \
; RUN:   -gridspan-grid=blur:128x512 -gridspan-param=blur:2=4096 \
; RUN:   -gridspan-param=blur:3=7 2>&1 | FileCheck %s
; RUN: %opt -passes='gridspan-advice' -disable-output %s -gridspan-advice=%t.json \
; RUN:   -gridspan-block=plane5:64x4 -gridspan-grid=plane5:256x2048 \
; RUN:   -gridspan-param=plane5:2=16384 -gridspan-param=plane5:3=8192 \
; RUN:   -gridspan-block=product:256 -gridspan-grid=product:262144 \
; RUN:   -gridspan-param=product:3=8192
; RUN: FileCheck %s --check-prefix=JSON <%t.json

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Five points: L1 has all of them but the first.
; CHECK-LABEL: kernel plane5
; CHECK-NEXT: the threads of a block read 15{{[0-9]+}} bytes of arg0 3.3 times each, {{[0-9]+}}% of their sectors from L1
; CHECK-NEXT: stays: served-by-l1, served by L1 as fast as shared memory would
; CHECK-NOT: stage them
; JSON-LABEL: "mangled": "plane5"
; JSON: "reuse": {
; JSON: "element_bytes": 4,
; JSON-NEXT: "halo": [
; JSON-NEXT: 2,
; JSON-NEXT: 2,
; JSON-NEXT: 0
; JSON: "stays": "served-by-l1",
; JSON-NEXT: "tile": [
; JSON-NEXT: 64,
; JSON-NEXT: 4,
; JSON-NEXT: 1
define ptx_kernel void @plane5(ptr %in, ptr %out, i32 %width, i32 %height) #0 {
entry:
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaidy = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ntidy = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %tidy = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = mul i32 %ctaid, %ntid
  %x = add i32 %bx, %tid
  %by = mul i32 %ctaidy, %ntidy
  %y = add i32 %by, %tidy
  %x0 = icmp sgt i32 %x, 0
  %right = add nsw i32 %width, -1
  %x1 = icmp slt i32 %x, %right
  %y0 = icmp sgt i32 %y, 0
  %bottom = add nsw i32 %height, -1
  %y1 = icmp slt i32 %y, %bottom
  %inX = and i1 %x0, %x1
  %inY = and i1 %y0, %y1
  %isIn = and i1 %inX, %inY
  br i1 %isIn, label %body, label %done

body:
  %row = mul nsw i32 %y, %width
  %i = add nsw i32 %row, %x
  %at = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at
  %v = load float, ptr %p, align 4
  %pl = getelementptr inbounds i8, ptr %p, i64 -4
  %l = load float, ptr %pl, align 4
  %pr = getelementptr inbounds i8, ptr %p, i64 4
  %r = load float, ptr %pr, align 4
  %u = sub nsw i32 %i, %width
  %uAt = sext i32 %u to i64
  %pu = getelementptr inbounds float, ptr %in, i64 %uAt
  %up = load float, ptr %pu, align 4
  %d = add nsw i32 %i, %width
  %dAt = sext i32 %d to i64
  %pd = getelementptr inbounds float, ptr %in, i64 %dAt
  %down = load float, ptr %pd, align 4
  %s1 = fadd contract float %v, %l
  %s2 = fadd contract float %s1, %r
  %s3 = fadd contract float %s2, %up
  %s4 = fadd contract float %s3, %down
  %q = getelementptr inbounds float, ptr %out, i64 %at
  store float %s4, ptr %q, align 4
  br label %done

done:
  ret void
}

; Rows times columns by a single index: a block reads each column of the second
; matrix once, so that blocks of another shape are needed. Measured on an H200
; (bench/results): 376.7 ms, and 128.7 with such tiles.
; CHECK-LABEL: kernel product
; CHECK: a product of matrices: the launch reads arg0 8192 times and arg1 8192 times
; CHECK-NEXT: let blocks of 32 x 32 threads stage tiles of 32 x 32 elements of both in shared memory (8192 bytes): predicted {{[2-3]}}.{{[0-9]+}} times as fast
; JSON-LABEL: "mangled": "product"
; JSON: "products": [
; JSON: "stage_bytes": 8192,
; JSON: "tile": [
; JSON-NEXT: 32,
; JSON-NEXT: 32
define ptx_kernel void @product(ptr %a, ptr %b, ptr %c, i32 %n) #0 {
entry:
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %ctaid, %ntid
  %id = add i32 %base, %tid
  %y = sdiv i32 %id, %n
  %x = srem i32 %id, %n
  %isIn = icmp slt i32 %y, %n
  br i1 %isIn, label %before, label %done

before:
  %start = mul nsw i32 %y, %n
  br label %loop

loop:
  %k = phi i32 [ %next, %loop ], [ 0, %before ]
  %sum = phi float [ %added, %loop ], [ 0.0, %before ]
  %ia = add nsw i32 %start, %k
  %aAt = sext i32 %ia to i64
  %pa = getelementptr inbounds float, ptr %a, i64 %aAt
  %va = load float, ptr %pa, align 4
  %kn = mul nsw i32 %k, %n
  %ib = add nsw i32 %kn, %x
  %bAt = sext i32 %ib to i64
  %pb = getelementptr inbounds float, ptr %b, i64 %bAt
  %vb = load float, ptr %pb, align 4
  %product = fmul contract float %va, %vb
  %added = fadd contract float %sum, %product
  %next = add nuw nsw i32 %k, 1
  %isLast = icmp eq i32 %next, %n
  br i1 %isLast, label %write, label %loop

write:
  %ic = add nsw i32 %start, %x
  %cAt = sext i32 %ic to i64
  %pc = getelementptr inbounds float, ptr %c, i64 %cAt
  store float %added, ptr %pc, align 4
  br label %done

done:
  ret void
}

; Two loops around a load: what a block needs at a time is not followed.
; CHECK-LABEL: kernel blur
; CHECK: arg0 stays: nested-loops, it is read in nested loops
define ptx_kernel void @blur(ptr %in, ptr %out, i32 %width, i32 %size) #0 {
entry:
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaidy = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ntidy = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %tidy = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = mul i32 %ctaid, %ntid
  %x = add i32 %bx, %tid
  %by = mul i32 %ctaidy, %ntidy
  %y = add i32 %by, %tidy
  br label %rows

rows:
  %j = phi i32 [ 0, %entry ], [ %nextJ, %endRow ]
  %sumJ = phi float [ 0.0, %entry ], [ %added, %endRow ]
  %yj = add nsw i32 %y, %j
  %row = mul nsw i32 %yj, %width
  %rowX = add nsw i32 %row, %x
  br label %columns

columns:
  %k = phi i32 [ 0, %rows ], [ %nextK, %columns ]
  %sum = phi float [ %sumJ, %rows ], [ %added, %columns ]
  %i = add nsw i32 %rowX, %k
  %at = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at
  %v = load float, ptr %p, align 4
  %added = fadd contract float %sum, %v
  %nextK = add nuw nsw i32 %k, 1
  %isLastK = icmp eq i32 %nextK, %size
  br i1 %isLastK, label %endRow, label %columns

endRow:
  %nextJ = add nuw nsw i32 %j, 1
  %isLastJ = icmp eq i32 %nextJ, %size
  br i1 %isLastJ, label %write, label %rows

write:
  %rowO = mul nsw i32 %y, %width
  %io = add nsw i32 %rowO, %x
  %oAt = sext i32 %io to i64
  %q = getelementptr inbounds float, ptr %out, i64 %oAt
  store float %added, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

attributes #0 = { "target-cpu"="sm_90" }
