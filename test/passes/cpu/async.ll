; Asynchronous copies are done at once, and complete what waits for them.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.copies(
define void @copies(i32 %to, i64 %from, i32 %bytes, i32 %none) {
; An immediate operand of the asm is a constant.
; CHECK: call void @llvm.memset.p0.i64(ptr align 4 [[TO:%.*]], i8 0, i64 16, i1 false)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 [[TO]], ptr align 4 {{.*}}, i64 16, i1 false)
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], $2, $2;", "r,l,n,~{memory}"(i32 %to, i64 %from, i32 16)
; CHECK: [[N:%.*]] = zext i32 %bytes to i64
; CHECK: call void @llvm.memcpy.p0.p0.i64({{.*}}, i64 [[N]], i1 false)
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}"(i32 %to, i64 %from, i32 %bytes)
; CHECK: [[ALL:%.*]] = select i1 {{.*}}, i64 0, i64 4
; CHECK: call void @llvm.memcpy.p0.p0.i64({{.*}}, i64 [[ALL]], i1 false)
  call void asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $2, 0; cp.async.ca.shared.global [$0], [$1], 4, p; }", "r,l,r,~{memory}"(i32 %to, i64 %from, i32 %none)
  call void asm sideeffect "cp.async.commit_group;", "~{memory}"()
  call void asm sideeffect "cp.async.wait_group $0;", "n,~{memory}"(i32 0)
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.bulk(
define void @bulk(i32 %to, i64 %from, i32 %bytes, i32 %bar) {
; CHECK: [[N:%.*]] = zext i32 %bytes to i64
; CHECK: call void @llvm.memcpy.p0.p0.i64({{.*}}, i64 [[N]], i1 false)
; CHECK: [[DONE:%.*]] = sub i32 0, %bytes
; CHECK: call void @__gridspan_cpu_mbarrier_transfer(ptr {{.*}}, i32 [[DONE]])
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r,~{memory}"(i32 %to, i64 %from, i32 %bytes, i32 %bar)
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.barriers(
define void @barriers(i32 %bar, i32 %n, ptr %out, ptr addrspace(3) %word) {
; CHECK: call void @__gridspan_cpu_mbarrier_init(ptr {{.*}}, i32 %n)
  call void asm sideeffect "mbarrier.init.shared.b64 [$0], $1;", "r,r,~{memory}"(i32 %bar, i32 %n)
; CHECK: [[STATE:%.*]] = call i64 @__gridspan_cpu_mbarrier_arrive(ptr {{.*}}, i32 1, i32 0, i32 0)
  %state = call i64 asm sideeffect "mbarrier.arrive.shared.b64 $0, [$1];", "=l,r,~{memory}"(i32 %bar)
; CHECK: call i64 @__gridspan_cpu_mbarrier_arrive(ptr {{.*}}, i32 1, i32 %n, i32 0)
  %expects = call i64 asm sideeffect "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 $0, [$1], $2;", "=l,r,r,~{memory}"(i32 %bar, i32 %n)
; CHECK: call i64 @__gridspan_cpu_mbarrier_arrive(ptr {{.*}}, i32 1, i32 0, i32 1)
  call void asm sideeffect "mbarrier.arrive_drop.shared.b64 _, [$0];", "r,~{memory}"(i32 %bar)
; CHECK: call i32 @__gridspan_cpu_mbarrier_test(ptr %block, ptr {{.*}}, i64 [[STATE]])
  %done = call i32 asm sideeffect "{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [$1], $2; selp.b32 $0, 1, 0, p; }", "=r,r,l,~{memory}"(i32 %bar, i64 %state)
  store volatile i32 %done, ptr %out
; CHECK: call i32 @__gridspan_cpu_mbarrier_test_parity(ptr %block, ptr {{.*}}, i32 %n)
  %even = call i32 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [$1], $2; selp.b32 $0, 1, 0, p; }", "=r,r,r,~{memory}"(i32 %bar, i32 %n)
  store volatile i32 %even, ptr %out
; CHECK: call i64 @__gridspan_cpu_mbarrier_arrive(ptr {{.*}}, i32 1, i32 0, i32 0)
  call void asm sideeffect "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "r,~{memory}"(i32 %bar)
; It expects the arrival only when it happens.
; CHECK-NOT: mbarrier_arrive
  call void asm sideeffect "cp.async.mbarrier.arrive.shared.b64 [$0];", "r,~{memory}"(i32 %bar)
; CHECK: call void @__gridspan_cpu_mbarrier_init(ptr {{.*}}, i32 %n)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %word, i32 %n)
; CHECK: call i64 @__gridspan_cpu_mbarrier_arrive(ptr {{.*}}, i32 %n, i32 0, i32 1)
  %dropped = call i64 @llvm.nvvm.mbarrier.arrive.drop.noComplete.shared(ptr addrspace(3) %word, i32 %n)
; CHECK: [[LOW:%.*]] = trunc i64 {{.*}} to i32
; CHECK: and i32 [[LOW]], 1048575
  %pending = call i32 @llvm.nvvm.mbarrier.pending.count(i64 %dropped)
  store volatile i32 %pending, ptr %out
  ret void
}

declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.drop.noComplete.shared(ptr addrspace(3), i32)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @copies, !"kernel", i32 1}
!1 = !{ptr @bulk, !"kernel", i32 1}
!2 = !{ptr @barriers, !"kernel", i32 1}
