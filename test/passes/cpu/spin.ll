; A loop whose exit depends on a volatile or atomic access lets other threads run;
; a compare-and-swap loop that retries with what it found never waits.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; Flags: fibers and spinning for the first two, none for the others.
; CHECK: @flag.cpu = {{.*}} i64 0, i32 3, i32 0 }
; CHECK: @lock.cpu = {{.*}} i64 0, i32 3, i32 0 }
; CHECK: @retry.cpu = {{.*}} i64 0, i32 0, i32 0 }
; CHECK: @histogram.cpu = {{.*}} i64 0, i32 0, i32 0 }

; CHECK-LABEL: define internal void @__gridspan_cpu.flag(
; CHECK: loop:
; CHECK-NEXT: call void @__gridspan_cpu_yield(ptr %block)
define void @flag(ptr %p) {
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.lock(
; CHECK: call void @__gridspan_cpu_yield
define void @lock(ptr %p) {
  br label %loop
loop:
  %x = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %ok = extractvalue {i32, i1} %x, 1
  br i1 %ok, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.retry(
; CHECK-NOT: yield
define void @retry(ptr %p) {
  %first = load i32, ptr %p
  br label %loop
loop:
  %old = phi i32 [ %first, %0 ], [ %found, %loop ]
  %new = mul i32 %old, 3
  %x = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  %found = extractvalue {i32, i1} %x, 0
  %ok = extractvalue {i32, i1} %x, 1
  br i1 %ok, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.histogram(
; CHECK-NOT: yield
define void @histogram(ptr %p, i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %x = atomicrmw add ptr %p, i32 1 monotonic
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @flag, !"kernel", i32 1}
!1 = !{ptr @lock, !"kernel", i32 1}
!2 = !{ptr @retry, !"kernel", i32 1}
!3 = !{ptr @histogram, !"kernel", i32 1}
