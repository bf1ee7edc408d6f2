; The traced version tells the runtime of each numbered access of memory that may
; be global, before it happens, and in which iterations of the loops around.
; RUN: %opt -passes=gridspan-cpu-lower -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @k.cpu = constant {{.*}} { ptr @__gridspan_cpu.run.k, ptr @__gridspan_cpu.trace.k, ptr null,
; CHECK: define internal void @__gridspan_cpu.k.traced({{.*}}) [[ATTRS:#[0-9]+]]
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 11, i32 769, ptr %p, i64 4, i64 0)
; CHECK: load float, ptr %p
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 12, i32 1026, ptr %q, i64 8, i64 0)
; CHECK: store double
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 13, i32 772, ptr %q, i64 4, i64 0)
; CHECK: atomicrmw
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 14, i32 1, ptr %p, i64 %n, i64 0)
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 14, i32 2, ptr %q, i64 %n, i64 0)
; CHECK: call void @llvm.memcpy
; Neither stack memory, nor what has no number.
; CHECK: call void @__gridspan_cpu_shared_access(ptr %block, i32 {{.*}}, i32 770, ptr {{.*}}, i64 4, ptr @__gridspan_cpu.place)
; CHECK-NEXT: store float %v, ptr addrspace(3) %s
; CHECK-NOT: call void @__gridspan_cpu_{{.*}}access
; CHECK: ret void
define void @k(ptr %p, ptr %q, i64 %n, ptr addrspace(3) %s) {
  %v = load float, ptr %p, !gridspan.site !1
  store double 0.0, ptr %q, !gridspan.site !2
  %a = atomicrmw add ptr %q, i32 1 monotonic, !gridspan.site !3
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 %n, i1 false), !gridspan.site !4
  store float %v, ptr addrspace(3) %s, !gridspan.site !5
  %local = alloca [4 x i32]
  %e = getelementptr i32, ptr %local, i64 %n
  store i32 1, ptr %e, !gridspan.site !6
  store float %v, ptr %p
  ret void
}

; Two loops: 32 bits for each of the counts.
; CHECK: define internal void @__gridspan_cpu.nested.traced(
; CHECK: outer:
; CHECK-NEXT: [[OUTER:%.*]] = phi i64 [ [[OUTERNEXT:%.*]], %outer.latch ], [ 0, %entry ]
; CHECK: [[OUTERNEXT]] = add i64 [[OUTER]], 1
; CHECK: inner:
; CHECK-NEXT: [[INNER:%.*]] = phi i64 [ {{.*}}, %inner ], [ 0, %outer ]
; CHECK: [[SCALED:%.*]] = mul i64 [[OUTER]], 4294967296
; CHECK: [[BOTH:%.*]] = add i64 [[SCALED]], [[INNER]]
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 17, i32 769, ptr %p, i64 4, i64 [[BOTH]])
; CHECK: outer.latch:
; CHECK: call void @__gridspan_cpu_access(ptr %block, i32 {{.*}}, i32 18, i32 770, ptr %p, i64 4, i64 [[OUTER]])
; CHECK: attributes [[ATTRS]] = { noinline {{.*}}optnone
define void @nested(ptr %p, i1 %a, i1 %b) {
entry:
  br label %outer
outer:
  br label %inner
inner:
  %v = load i32, ptr %p, !gridspan.site !7
  br i1 %a, label %inner, label %outer.latch
outer.latch:
  store i32 %v, ptr %p, !gridspan.site !8
  br i1 %b, label %outer, label %exit
exit:
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

!nvvm.annotations = !{!0, !9}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{i32 11}
!2 = !{i32 12}
!3 = !{i32 13}
!4 = !{i32 14}
!5 = !{i32 15}
!6 = !{i32 16}
!7 = !{i32 17}
!8 = !{i32 18}
!9 = !{ptr @nested, !"kernel", i32 1}
