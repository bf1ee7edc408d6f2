; All predictions are for the machine that is named: a kernel that is bound by DRAM
; takes longer where memory has an eighth of the bandwidth.
; RUN: sed 's/"dram_read_gbs": {"value": [0-9]*/"dram_read_gbs": {"value": 500/; s/"dram_copy_gbs": {"value": [0-9]*/"dram_copy_gbs": {"value": 500/' \
; RUN:   %src_root/analysis/machine/sm_90.json > %t.json
; RUN: %opt -passes='print<gridspan-layout>,print<gridspan-reuse>' \
; RUN:   -disable-output %s -gridspan-grid=65536 2>&1 | FileCheck %s
; RUN: %opt -passes='print<gridspan-layout>,print<gridspan-reuse>' \
; RUN:   -disable-output %s -gridspan-grid=65536 -gridspan-machine=%t.json 2>&1 \
; RUN:   | FileCheck %s --check-prefix=SLOW
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-grid=65536 \
; RUN:   -gridspan-machine=%t.json -gridspan-advice=%t.advice.json
; RUN: FileCheck %s --check-prefix=FILE --input-file=%t.advice.json

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.P = type { float, float }

; CHECK: array arg0 (struct.P), 8 bytes
; CHECK-NEXT: aos {{[0-9][0-9]\.[0-9]+}} us (DRAM)
; SLOW: array arg0 (struct.P), 8 bytes
; SLOW-NEXT: aos {{[0-9][0-9][0-9]\.[0-9]+}} us (DRAM)
; FILE: "memory_gbs": 500
define ptx_kernel void @move(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = zext i32 %i to i64
  %p = getelementptr %struct.P, ptr %x, i64 %wide, i32 1
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
