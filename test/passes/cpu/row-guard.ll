; A guard on an index that grows with threadIdx.x becomes a bound of the loop; what
; is the same in the row is asked once; side effects before it keep it in place.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.run.k(
; CHECK: chunk:
; CHECK: [[START:%.*]] = phi i32
; The row's condition, then the term for the chunk's first thread.
; CHECK: icmp ne i32 {{.*}}, 3
; CHECK: [[INDEX:%.*]] = add i32 %{{.*}}, [[START]]
; CHECK: icmp slt i32 [[INDEX]],
; CHECK: call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 [[INDEX]],
; CHECK: [[COUNT:%.*]] = call i32 @llvm.usub.sat.i32(
; CHECK: icmp ult i32 0, [[COUNT]]
; CHECK: x:
; CHECK: [[K:%.*]] = phi i32 [ 0, %chunk ]
; CHECK: call void @__gridspan_cpu.k({{.*}}, i32 [[K]], i32 %{{.*}})
; CHECK: define internal void @__gridspan_cpu.k({{.*}}, i32 [[D:%.*]], i32 [[AT:%.*]])
; CHECK-NOT: br i1
; CHECK: [[I:%.*]] = add nsw i32 [[AT]], [[D]]
; CHECK: store i32 [[I]], ptr %out
define void @k(ptr %out, i32 %n, i32 %m) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %b, %t
  %row = icmp ne i32 %m, 3
  %in = icmp slt i32 %i, %n
  %both = select i1 %row, i1 %in, i1 false
  br i1 %both, label %body, label %done
body:
  store i32 %i, ptr %out
  br label %done
done:
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_cpu.run.early(
; CHECK-NOT: chunk:
; CHECK-LABEL: define internal void @__gridspan_cpu.early(
; CHECK: br i1
define void @early(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 0, ptr %out
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %done
body:
  store i32 %t, ptr %out
  br label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @early, !"kernel", i32 1}
