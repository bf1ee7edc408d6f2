; A loop whose exit depends on a volatile or atomic access, or on a clock, lets
; other threads run; a compare-and-swap loop that retries with what it found never
; waits.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; Flags: fibers and spinning for those that wait, none for the others.
; CHECK: @flag.cpu = {{.*}} i64 0, i32 3, i32 0 }
; CHECK: @lock.cpu = {{.*}} i64 0, i32 3, i32 0 }
; CHECK: @cycles.cpu = {{.*}} i64 0, i32 3, i32 0 }
; CHECK: @timer.cpu = {{.*}} i64 0, i32 3, i32 0 }
; CHECK: @measured.cpu = {{.*}} i64 0, i32 0, i32 0 }
; CHECK: @retry.cpu = {{.*}} i64 0, i32 0, i32 0 }
; CHECK: @peek.cpu = {{.*}} i64 0, i32 3, i32 0 }
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

; CHECK-LABEL: define internal void @__gridspan_cpu.cycles(
; CHECK: loop:
; CHECK-NEXT: call void @__gridspan_cpu_yield(ptr %block)
define void @cycles(i64 %n) {
  %start = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  br label %loop
loop:
  %now = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %past = sub i64 %now, %start
  %c = icmp slt i64 %past, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.timer(
; CHECK: call void @__gridspan_cpu_yield
define void @timer(i64 %end) {
  br label %loop
loop:
  %now = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  %c = icmp ult i64 %now, %end
  br i1 %c, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.measured(
; CHECK-NOT: yield
define void @measured(ptr %p, i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %now = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %at = getelementptr i64, ptr %p, i32 %i
  store i64 %now, ptr %at
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %done
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

; One that goes on although it has succeeded waits for another value.
; CHECK-LABEL: define internal void @__gridspan_cpu.peek(
; CHECK: call void @__gridspan_cpu_yield
define void @peek(ptr %p) {
  br label %loop
loop:
  %old = phi i32 [ 0, %0 ], [ %found, %loop ]
  %x = cmpxchg ptr %p, i32 %old, i32 %old monotonic monotonic
  %found = extractvalue {i32, i1} %x, 0
  %c = icmp slt i32 %found, 5
  br i1 %c, label %loop, label %done
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

declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{ptr @flag, !"kernel", i32 1}
!1 = !{ptr @lock, !"kernel", i32 1}
!2 = !{ptr @retry, !"kernel", i32 1}
!3 = !{ptr @histogram, !"kernel", i32 1}
!4 = !{ptr @cycles, !"kernel", i32 1}
!5 = !{ptr @timer, !"kernel", i32 1}
!6 = !{ptr @measured, !"kernel", i32 1}
!7 = !{ptr @peek, !"kernel", i32 1}
