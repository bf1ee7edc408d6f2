; Sectors of a warp over block shape and parameters, where the launch that is
; looked at agrees with them; base addresses of single parameters.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=16x16 -gridspan-grid=4x4 -gridspan-param=1=1024 2>&1 \
; RUN:   | FileCheck %s --check-prefix=HALF
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=24x8 -gridspan-grid=4x4 -gridspan-param=1=1024 2>&1 \
; RUN:   | FileCheck %s --check-prefix=CUT
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=16x16 -gridspan-grid=4x4 -gridspan-param=1=1023 2>&1 \
; RUN:   | FileCheck %s --check-prefix=ODD
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=16x16 -gridspan-grid=4x4 -gridspan-param=1=1024 \
; RUN:   -gridspan-base=scale:0=4 2>&1 | FileCheck %s --check-prefix=BASE
; RUN: not %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-base=scale:x=4 2>&1 | FileCheck %s --check-prefix=BAD
; RUN: %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-block=24x8 -gridspan-grid=4x4 -gridspan-param=1=1024 \
; RUN:   -gridspan-advice=%t.json
; RUN: FileCheck %s --check-prefix=JSON <%t.json

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Two rows of 16 lanes.
; HALF: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}, sectors of a warp (umin(umin(zext64(ntid.x), 32), udiv((((umin(zext64(ntid.x), 32) + -1) * 4) + 35), 32)) * udiv(32, umin(zext64(ntid.x), 32))) [site 0]
; CUT: load 4 of arg0: {{.*}}, no closed form: unknown-rows [site 0]
; ODD: load 4 of arg0: {{.*}}, no closed form: within-sectors [site 0]
; BASE: load 4 of arg0: partial, sectors 6 (ideal 4) a request
; BASE: store 4 of arg2: coalesced, sectors 4 (ideal 4) a request
; BAD: -gridspan-base=scale:x=4: expected [kernel:]index[+byte]=bytes
; JSON: "no_sectors_of_warp": "unknown-rows"
define ptx_kernel void @scale(ptr %in, i32 %pitch, ptr %out) {
  %ctaidx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ctaidy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ntidx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ntidy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %tidx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tidy = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = mul i32 %ctaidx, %ntidx
  %x = add i32 %bx, %tidx
  %by = mul i32 %ctaidy, %ntidy
  %y = add i32 %by, %tidy
  %row = mul i32 %y, %pitch
  %i = add i32 %row, %x
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p, align 4
  %w = fmul float %v, 2.0
  %q = getelementptr float, ptr %out, i64 %wide
  store float %w, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
