; Inline assembly is translated statement by statement.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
define void @k(ptr %out, i32 %a, i32 %b, i16 %h, i64 %w) {
; CHECK: and i32 {{.*}}, 31
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  store volatile i32 %lane, ptr %out
; CHECK: bitcast i16 %h to half
; CHECK: fadd half
  %sum = call i16 asm "{add.f16 $0,$1,$2;\0A}", "=h,h,h"(i16 %h, i16 %h)
  store volatile i16 %sum, ptr %out
; CHECK: [[C:%.*]] = icmp slt i32 %a, %b
; CHECK: select i1 [[C]], i32 %a, i32 7
  %sel = call i32 asm "{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, $1, 7, p; }", "=r,r,r"(i32 %a, i32 %b)
  store volatile i32 %sel, ptr %out
; An operand that is read and written.
; CHECK: add i34
  %rw = call i32 asm "add.u32 $0, $0, $2;", "=r,0,r"(i32 %a, i32 %b)
  store volatile i32 %rw, ptr %out
; CHECK: load atomic i32, ptr %{{.*}} acquire, align 4
  %ld = call i32 asm sideeffect "ld.acquire.gpu.global.u32 $0,[$1+8];", "=r,l,~{memory}"(i64 %w)
  store volatile i32 %ld, ptr %out
; A modifier behind the type.
; CHECK: add <2 x i16>
; CHECK: [[MAX:%.*]] = call <2 x i16> @llvm.smax.v2i16(<2 x i16>
; CHECK: call <2 x i16> @llvm.smax.v2i16(<2 x i16> [[MAX]], <2 x i16> zeroinitializer)
  %relu = call i32 asm "{.reg .b32 t; add.s16x2 t, $1, $2; max.s16x2.relu $0, t, $1;}", "=r,r,r"(i32 %a, i32 %b)
  store volatile i32 %relu, ptr %out
; Two results.
; CHECK: trunc i64 {{.*}} to i32
; CHECK: lshr i64 {{.*}}, 32
  %two = call { i32, i32 } asm "mov.b64 {$0, $1}, $2;", "=r,=r,l"(i64 %w)
  %hi = extractvalue { i32, i32 } %two, 1
  store volatile i32 %hi, ptr %out
; A guard.
; CHECK: br i1 {{.*}}, label %[[THEN:.*]], label %[[REST:[0-9]+]]
; CHECK: [[THEN]]:
; CHECK: atomicrmw add ptr %{{.*}}, i32 1 monotonic
; CHECK: [[REST]]:
  call void asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; @p red.global.add.u32 [$0], 1; }", "l,r,~{memory}"(i64 %w, i32 %a)
; Vectors are as many atomics; a policy is nothing.
; CHECK: atomicrmw fadd ptr %{{.*}}, float {{.*}} monotonic, align 4
; CHECK: atomicrmw fadd ptr %{{.*}}, float 5.000000e-01 monotonic, align 4
  call void asm sideeffect "{ .reg .b64 p; createpolicy.fractional.L2::evict_last.b64 p, 1.0; red.global.add.L2::cache_hint.v2.f32 [$0], {$1, 0.5}, p; }", "l,r,~{memory}"(i64 %w, i32 %a)
; Labels: registers are values, with a phi where they meet.
; CHECK: br label %[[LOOP:.*]]
; CHECK: [[LOOP]]:
; CHECK: phi i32
; CHECK: [[DONE:%.*]] = icmp
; CHECK: br i1 [[DONE]],
; CHECK-NOT: alloca
  %loop = call i32 asm sideeffect "{ .reg .pred %p; .reg .b32 %n; mov.u32 %n, $1; mov.u32 $0, 0; LOOP: add.u32 $0, $0, %n; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP; }", "=r,r"(i32 %b)
  store volatile i32 %loop, ptr %out
; Clusters have one block.
; CHECK: store volatile i32 %a, ptr %out
; CHECK: store volatile i32 0, ptr %out
  %mapa = call i32 asm "pmevent 1; mapa.shared::cluster.u32 $0, $1, 0;", "=r,r"(i32 %a)
  store volatile i32 %mapa, ptr %out
  %rank = call i32 asm "getctarank.shared::cluster.u32 $0, $1;", "=r,r"(i32 %a)
  store volatile i32 %rank, ptr %out
; The largest number of tf32 in place of infinity.
; CHECK: or i32 {{.*}}, 2139086848
  %tf32 = call i32 asm "cvt.rna.satfinite.tf32.f32 $0, $1;", "=r,r"(i32 %a)
  store volatile i32 %tf32, ptr %out
  ret void
}

; A reduction of the block, in a function: threads are fibers.
; CHECK: call i32 @__gridspan_cpu_barrier_reduce(ptr {{.*}}, i32 0, i32 0, i32
define i32 @count(i32 %a) noinline {
  %red = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; bar.red.popc.u32 $0, 0, p; }", "=r,r"(i32 %a)
  ret i32 %red
}
define void @c(ptr %out, i32 %a) {
  %red = call i32 @count(i32 %a)
  store i32 %red, ptr %out
  ret void
}

; The barrier of a cluster is none of the block's own.
; CHECK-NOT: call void @__gridspan_cpu_barrier
; CHECK: call void @__gridspan_cpu_barrier(ptr {{.*}}, i32 16, i32 0)
; CHECK-NOT: call void @__gridspan_cpu_barrier
define void @wait() noinline {
  call void asm sideeffect "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;", "~{memory}"()
  ret void
}
define void @d() {
  call void @wait()
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!2 = !{ptr @d, !"kernel", i32 1}
!1 = !{ptr @c, !"kernel", i32 1}
!0 = !{ptr @k, !"kernel", i32 1}
