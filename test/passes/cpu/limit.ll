; Of a module's kernels, the smallest that have as many instructions together as
; the limit says are optimized, functions that they call counted with them. The
; others run the code that records accesses, which is compiled quickly, or their
; own, not optimized, where there is none.
; RUN: %opt -passes=gridspan-cpu-lower,verify -gridspan-cpu-limit=4 -S %s \
; RUN:   | FileCheck %s --check-prefix=TRACED
; RUN: %opt -passes=gridspan-cpu-lower,verify -gridspan-cpu-limit=4 \
; RUN:   -gridspan-cpu-trace=false -S %s | FileCheck %s --check-prefix=PLAIN
; RUN: %opt -passes=gridspan-cpu-lower,verify -gridspan-cpu-limit=7 -S %s \
; RUN:   | FileCheck %s --check-prefix=ALL

target triple = "nvptx64-nvidia-cuda"

; TRACED: @calls.cpu = constant {{.*}} { ptr @__gridspan_cpu.trace.calls, ptr @__gridspan_cpu.trace.calls, ptr null,
; TRACED: @large.cpu = constant {{.*}} { ptr @__gridspan_cpu.trace.large, ptr @__gridspan_cpu.trace.large, ptr null,
; TRACED: @small.cpu = constant {{.*}} { ptr @__gridspan_cpu.run.small, ptr @__gridspan_cpu.trace.small, ptr null,

; PLAIN: @calls.cpu = constant {{.*}} { ptr @__gridspan_cpu.run.calls, ptr null, ptr null,
; PLAIN: @large.cpu = constant {{.*}} { ptr @__gridspan_cpu.run.large, ptr null, ptr null,
; PLAIN: define {{.*}} @__gridspan_cpu.run.large({{.*}}) [[OFF:#[0-9]+]]
; PLAIN: define internal void @__gridspan_cpu.large({{.*}}) [[OFF]]
; PLAIN: define internal void @__gridspan_cpu.small({{.*}}) [[ON:#[0-9]+]]
; PLAIN: attributes [[OFF]] = { noinline {{.*}}optnone
; PLAIN: attributes [[ON]] = { alwaysinline

; ALL: @calls.cpu = constant {{.*}} { ptr @__gridspan_cpu.run.calls,
; ALL: @large.cpu = constant {{.*}} { ptr @__gridspan_cpu.trace.large,
; ALL: @small.cpu = constant {{.*}} { ptr @__gridspan_cpu.run.small,
define void @calls(ptr %p) {
  call void @callee(ptr %p)
  ret void
}

define void @large(ptr %p) {
  %a = load i32, ptr %p
  %b = add i32 %a, 1
  %c = mul i32 %b, 3
  store i32 %c, ptr %p
  ret void
}

define void @small(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define internal void @callee(ptr %p) noinline {
  store i32 2, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @calls, !"kernel", i32 1}
!1 = !{ptr @large, !"kernel", i32 1}
!2 = !{ptr @small, !"kernel", i32 1}
