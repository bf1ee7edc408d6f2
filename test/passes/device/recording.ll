; RUN: %opt -passes=gridspan-device,verify -S %s | FileCheck %s
; RUN: %opt -passes=gridspan-device,verify -S %s | FileCheck %s --check-prefix=NONE
; A kernel with accesses that are to be recorded (!gridspan.record) gets a clone
; that has one more parameter. Its threads find out whether their warp is one of
; the sample, and note what they access in front of each probe. One that may be
; split gets it from its tiled code.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.smid()

; Lanes would part at calls.
; NONE-NOT: @gridspan.record
define void @gather(ptr %out, ptr %in, ptr %index) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = add i32 %b, %t
  %at64 = sext i32 %at to i64
  %p = getelementptr i32, ptr %index, i64 %at64
  %i = load i32, ptr %p
  %i64 = sext i32 %i to i64
  %q = getelementptr float, ptr %in, i64 %i64
  %v = load float, ptr %q, !gridspan.record !1
  %o = getelementptr float, ptr %out, i64 %at64
  store float %v, ptr %o
  ret void
}
; CHECK-LABEL: define {{.*}}void @gather__recording__gridspan(ptr %out, ptr %in, ptr %index, ptr noundef byval({ ptr, i32, i32, i32, i32 }) align 8 %recorder, ptr noundef byval({ [3 x i32], [3 x i32] }) align 4 %tile)
; The block's number is that in the whole grid.
; CHECK: %[[BLOCK:.*]] = add i32 %{{.*}}, %origin.x
; CHECK: %records = select i1 %{{.*}}, ptr %{{.*}}, ptr null
; Blocks that have no warp of the sample run the same without probes.
; CHECK-NEXT: br i1 %{{.*}}, label %[[PROBED:.*]], label %[[UNRECORDED:.*]], !gridspan.sampled
; CHECK: [[PROBED]]:
; The index is no probe.
; CHECK: load i32, ptr %p
; CHECK: %q = getelementptr float, ptr %in
; CHECK: icmp ne ptr %records, null
; CHECK-NEXT: br i1
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %q to i64
; The lanes of a request are those of the same iterations, the first one counts,
; and some requests are kept.
; CHECK: %[[HERE:.*]] = call i32 @llvm.nvvm.activemask()
; CHECK: %[[PROBE:.*]] = call i32 @llvm.nvvm.match.any.sync.i64(i32 %[[HERE]], i64 %{{.*}})
; CHECK: %[[SAME:.*]] = call i32 @llvm.nvvm.match.any.sync.i64(i32 %[[HERE]], i64 0)
; CHECK: %[[REQUEST:.*]] = and i32 %[[PROBE]], %[[SAME]]
; CHECK: call i32 asm sideeffect "atom.sys.add.u32 {{.*}}, i32 1)
; CHECK: call i64 asm sideeffect "atom.sys.add.u64
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %[[REQUEST]],
; CHECK: store i64 %[[ADDRESS]]
; CHECK: load float, ptr %q
; CHECK: ret void
; CHECK: [[UNRECORDED]]:
; CHECK-NOT: activemask
; CHECK: load float, ptr
; CHECK: ret void

; One that may not be split. Its loop is told apart by iterations, and a store
; and an atomic are probes as well.
; CHECK-LABEL: define {{.*}}void @chase__recording(ptr %list, ptr %count, ptr noundef byval({ ptr, i32, i32, i32, i32 }) align 8 %recorder)
; CHECK: %iteration = phi i64
; CHECK: activemask
; CHECK: call i32 @llvm.nvvm.match.any.sync.i64(i32 %{{.*}}, i64 %iteration)
; CHECK: %next = load ptr, ptr %at
; CHECK: activemask
; CHECK: atomicrmw add ptr %count
; CHECK: activemask
; CHECK: store ptr null
define void @chase(ptr %list, ptr %count) {
entry:
  %sm = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  br label %loop
loop:
  %at = phi ptr [ %list, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %at, !gridspan.record !1
  %done = icmp eq ptr %next, null
  br i1 %done, label %end, label %loop
end:
  %old = atomicrmw add ptr %count, i32 1 seq_cst, !gridspan.record !1
  %last = getelementptr ptr, ptr %list, i32 %old
  store ptr null, ptr %last, !gridspan.record !1
  ret void
}

; Assembly with a register of its own cannot be in a function twice. Variables
; are there once in any case.
; CHECK-LABEL: define {{.*}}void @unique__recording
; CHECK: %slot = alloca i32
; CHECK-NOT: alloca
; CHECK: .reg .pred
; CHECK: activemask
; CHECK-NOT: .reg .pred
; CHECK: ret void
define void @unique(ptr %list) {
  %slot = alloca i32
  store volatile i32 1, ptr %slot
  call void asm sideeffect ".reg .pred p;", ""()
  %v = load i32, ptr %list, !gridspan.record !1
  store volatile i32 %v, ptr %slot
  ret void
}

; Nothing to record: no marks, or only on copies of blocks, which have no one
; address.
; NONE-NOT: @plain__recording
define void @plain(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = sext i32 %t to i64
  %o = getelementptr i32, ptr %out, i64 %t64
  store i32 0, ptr %o
  ret void
}
; NONE-NOT: @copy__recording
define void @copy(ptr %out, ptr %in) {
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %in, i64 64, i1 false), !gridspan.record !1
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

!nvvm.annotations = !{!2, !3, !4, !5, !6}
!1 = !{}
!2 = !{ptr @gather, !"kernel", i32 1}
!3 = !{ptr @chase, !"kernel", i32 1}
!4 = !{ptr @plain, !"kernel", i32 1}
!5 = !{ptr @copy, !"kernel", i32 1}
!6 = !{ptr @unique, !"kernel", i32 1}
