; The loop over the threads of a row of y[i] = a * x[i] + y[i] is vectorized without
; checks of aliasing, guard and signed 32-bit index notwithstanding. The second opt
; is one for the host.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s -o %t.ll
; RUN: %opt -passes='default<O2>' -S %t.ll | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @__gridspan_cpu.run.saxpy(
; CHECK-NOT: memcheck
; CHECK: load <4 x float>
; CHECK: fmul contract <4 x float>
; CHECK: store <4 x float>
define void @saxpy(i32 %n, float %a, ptr %x, ptr %y) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %m = mul i32 %b, %d
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %m, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %done
body:
  %w = sext i32 %i to i64
  %px = getelementptr inbounds float, ptr %x, i64 %w
  %py = getelementptr inbounds float, ptr %y, i64 %w
  %vx = load float, ptr %px, align 4
  %vy = load float, ptr %py, align 4
  %p = fmul contract float %vx, %a
  %s = fadd contract float %p, %vy
  store float %s, ptr %py, align 4
  br label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @saxpy, !"kernel", i32 1}
