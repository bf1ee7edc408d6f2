; Arrays that are accessed at one index that is computed, with lanes a row apart:
; to put them into one struct is no remedy while neighbours can be side by side.
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-block=16x16 -gridspan-grid=64x64 -gridspan-param=3=1024 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel columns,
; CHECK-NOT: arrays arg0, arg1
; CHECK: arg0: its index is computed: let neighbouring threads be at neighbouring elements first
define ptx_kernel void @columns(ptr %x, ptr %y, ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bd = shl i32 %b, 4
  %cd = shl i32 %c, 4
  %row = add i32 %bd, %t
  %column = add i32 %cd, %u
  %first = mul i32 %row, %n
  %i = add i32 %first, %column
  %wide = zext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %wide
  %vx = load float, ptr %px, align 4
  %py = getelementptr float, ptr %y, i64 %wide
  %vy = load float, ptr %py, align 4
  %sum = fadd float %vx, %vy
  %po = getelementptr float, ptr %out, i64 %wide
  store float %sum, ptr %po, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
