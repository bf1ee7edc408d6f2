; Sums that threads join, counters, and products of a matrix and a vector.
; RUN: %opt -passes='print<gridspan-reuse>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=10 -gridspan-param=dot:3=100000000 \
; RUN:   -gridspan-grid=tree:390625 -gridspan-param=tree:2=100000000 \
; RUN:   -gridspan-grid=productRows:8 -gridspan-param=productRows:3=2000 \
; RUN:   -gridspan-param=productRows:4=50000 -gridspan-grid=countBytes:65536 \
; RUN:   -gridspan-grid=scatter:65536 2>&1 | FileCheck %s
; RUN: %opt -passes='print<gridspan-reuse>' -disable-output %s \
; RUN:   -gridspan-block=256 -gridspan-grid=2112 \
; RUN:   -gridspan-param=dot:3=100000000 2>&1 | FileCheck %s --check-prefix=MANY
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t.json \
; RUN:   -gridspan-block=256 -gridspan-grid=10 -gridspan-param=dot:3=100000000
; RUN: FileCheck %s --check-prefix=JSON <%t.json

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@part = internal addrspace(3) global [256 x float] undef, align 4

; A loop that strides over the grid, and shuffles: its blocks are few, and
; neighbouring threads have no sums of their own.
; CHECK-LABEL: kernel dot
; CHECK-NEXT: reduction by blocks reaches about {{[0-9]+}} of 4200 GB/s in 10 blocks, bound by the latency; 80 warps have 20 KB under way
; CHECK-NEXT: launch 1056 blocks of 256 threads: predicted {{[0-9]+}}.{{[0-9]}} times as fast
; CHECK-NEXT: GB/s by blocks: 10: {{[0-9]+}} 66: {{[0-9]+}} 132: {{[0-9]+}} 264: {{[0-9]+}} 528: {{[0-9]+}} 1056: {{[0-9]+}}
; CHECK-NEXT: for less than {{[0-9.]+}} MB {{[0-9]+}} cores of the host are faster
; MANY-LABEL: kernel dot
; MANY-NEXT: reduction by blocks reaches about 3{{[0-9]+}} of 4200 GB/s in 2112 blocks, bound by the DRAM
; MANY-NEXT: stays: memory-busy
; JSON: "rule": "few-blocks"
; JSON: "reduction": {
; JSON: "blocks": 10,
; JSON: "by_blocks": [
; JSON: "gbs":
; JSON: "host": {
; JSON: "pays_from_bytes":
; JSON: "kind": "block",
; JSON: "reached_gbs":
; JSON: "wanted_blocks":
define ptx_kernel void @dot(ptr %a, ptr %b, ptr %out, i32 %n) #0 {
entry:
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %nctaid = tail call range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %base = mul i32 %ctaid, %ntid
  %first = add i32 %base, %tid
  %step = mul i32 %nctaid, %ntid
  %any = icmp ult i32 %first, %n
  br i1 %any, label %loop, label %join

loop:
  %i = phi i32 [ %next, %loop ], [ %first, %entry ]
  %sum = phi float [ %added, %loop ], [ 0.0, %entry ]
  %at = zext i32 %i to i64
  %pa = getelementptr inbounds float, ptr %a, i64 %at
  %va = load float, ptr %pa, align 4
  %pb = getelementptr inbounds float, ptr %b, i64 %at
  %vb = load float, ptr %pb, align 4
  %product = fmul contract float %va, %vb
  %added = fadd contract float %sum, %product
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %join

join:
  %mine = phi float [ 0.0, %entry ], [ %added, %loop ]
  %other = tail call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %mine, i32 16, i32 31)
  %both = fadd contract float %mine, %other
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %write, label %done

write:
  %old = atomicrmw fadd ptr %out, float %both seq_cst, align 4
  br label %done

done:
  ret void
}

; An element a thread, then a tree.
; CHECK-LABEL: kernel tree
; CHECK-NEXT: reduction by blocks reaches about {{[0-9]+}} of 4200 GB/s in 390625 blocks
; CHECK-NEXT: let each thread add up elements of the whole array, several loads under way, before the threads of a block join; about 1056 blocks of 256 threads in all: predicted
define ptx_kernel void @tree(ptr %a, ptr %out, i32 %n) #0 {
entry:
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %at = zext i32 %i to i64
  %pa = getelementptr inbounds float, ptr %a, i64 %at
  %va = load float, ptr %pa, align 4
  %mine = zext i32 %tid to i64
  %slot = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @part to ptr), i64 %mine
  store float %va, ptr %slot, align 4
  %half = lshr i32 %ntid, 1
  br label %steps

steps:
  %step = phi i32 [ %half, %entry ], [ %less, %joined ]
  tail call void @llvm.nvvm.barrier0()
  %takes = icmp ult i32 %tid, %step
  br i1 %takes, label %add, label %joined

add:
  %from = add i32 %tid, %step
  %fromAt = zext i32 %from to i64
  %otherSlot = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @part to ptr), i64 %fromAt
  %other = load float, ptr %otherSlot, align 4
  %own = load float, ptr %slot, align 4
  %both = fadd contract float %other, %own
  store float %both, ptr %slot, align 4
  br label %joined

joined:
  %less = lshr i32 %step, 1
  %last = icmp ult i32 %step, 2
  br i1 %last, label %end, label %steps

end:
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %write, label %done

write:
  %all = load float, ptr addrspacecast (ptr addrspace(3) @part to ptr), align 4
  %block = zext i32 %ctaid to i64
  %to = getelementptr inbounds float, ptr %out, i64 %block
  store float %all, ptr %to, align 4
  br label %done

done:
  ret void
}

; The vector is read again by every row, the matrix once.
; CHECK-LABEL: kernel productRows
; CHECK-NEXT: serial reduction reaches about {{[0-9]+}} of 4200 GB/s in 8 blocks, bound by the latency
; CHECK-NEXT: let the threads of a block share each sum
define ptx_kernel void @productRows(ptr %a, ptr %x, ptr %y, i32 %rows, i32 %columns) #0 {
entry:
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %ctaid, %ntid
  %row = add i32 %base, %tid
  %isIn = icmp ult i32 %row, %rows
  br i1 %isIn, label %before, label %done

before:
  %start = mul i32 %row, %columns
  br label %loop

loop:
  %j = phi i32 [ %next, %loop ], [ 0, %before ]
  %sum = phi float [ %added, %loop ], [ 0.0, %before ]
  %index = add i32 %start, %j
  %at = zext i32 %index to i64
  %pa = getelementptr inbounds float, ptr %a, i64 %at
  %va = load float, ptr %pa, align 4
  %xAt = zext i32 %j to i64
  %px = getelementptr inbounds float, ptr %x, i64 %xAt
  %vx = load float, ptr %px, align 4
  %product = fmul contract float %va, %vx
  %added = fadd contract float %sum, %product
  %next = add nuw i32 %j, 1
  %isLast = icmp eq i32 %next, %columns
  br i1 %isLast, label %write, label %loop

write:
  %rowAt = zext i32 %row to i64
  %py = getelementptr inbounds float, ptr %y, i64 %rowAt
  store float %added, ptr %py, align 4
  br label %done

done:
  ret void
}

; A byte has 256 values, so that the counters fit in shared memory.
; CHECK-LABEL: kernel countBytes
; CHECK-NEXT: counting by atomics reaches about {{[0-9]+}} of {{[0-9]+}} GB/s in 65536 blocks, bound by the atomics
; CHECK-NEXT: count in 1024 bytes of shared memory of each block, which it adds to the others' at its end; about 1056 blocks of 256 threads in all: predicted
define ptx_kernel void @countBytes(ptr %data, ptr %counts) #0 {
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %at = zext i32 %i to i64
  %p = getelementptr inbounds i8, ptr %data, i64 %at
  %v = load i8, ptr %p, align 1
  %place = zext i8 %v to i64
  %c = getelementptr inbounds i32, ptr %counts, i64 %place
  %old = atomicrmw add ptr %c, i32 1 seq_cst, align 4
  ret void
}

; To places of which nothing is known: no advice.
; JSON: "kind": "none",
; JSON-NEXT: "stays": "scattered-atomics"
; CHECK-LABEL: kernel scatter
; CHECK-NEXT: no advice: scattered-atomics, the addresses of the atomics are loaded, and how many there are is not known
define ptx_kernel void @scatter(ptr %index, ptr %value, ptr %out) #0 {
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %at = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %index, i64 %at
  %place = load i32, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %value, i64 %at
  %v = load float, ptr %q, align 4
  %placeAt = sext i32 %place to i64
  %c = getelementptr inbounds float, ptr %out, i64 %placeAt
  %old = atomicrmw fadd ptr %c, float %v seq_cst, align 4
  ret void
}

; What is added up is stored at each step: a scan, which nobody can divide so.
; CHECK-LABEL: kernel scan
; CHECK-NEXT: no advice: stores-each-sum, about as much is stored as loaded
define ptx_kernel void @scan(ptr %a, ptr %out, i32 %n) #0 {
entry:
  %ctaid = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = tail call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %ctaid, %ntid
  %row = add i32 %base, %tid
  %first = mul i32 %row, %n
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %index = add i32 %first, %i
  %at = zext i32 %index to i64
  %p = getelementptr inbounds float, ptr %a, i64 %at
  %v = load float, ptr %p, align 4
  %added = fadd float %sum, %v
  %q = getelementptr inbounds float, ptr %out, i64 %at
  store float %added, ptr %q, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
declare void @llvm.nvvm.barrier0()

attributes #0 = { "target-cpu"="sm_90" }
