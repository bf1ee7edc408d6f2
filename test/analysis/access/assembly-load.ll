; Assembly that is one load of global memory reads what its pointer leads to; any
; other may access anything.
; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel one
; CHECK: read 4 bytes at (zext64(tid.x) * 4) (exact)
; CHECK-NOT: inline assembly
define ptx_kernel void @one(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %i
  %v = call i32 asm sideeffect "ld.global.nc.u32 $0, [$1];", "=r,l"(ptr %p)
  ret void
}

; CHECK-LABEL: kernel vector
; CHECK: read 16 bytes at 0 (exact)
; CHECK-NOT: inline assembly
define ptx_kernel void @vector(ptr %x) {
  %v = call { i64, i64 } asm sideeffect "ld.global.cg.v2.u64 {$0, $1}, [$2];", "=l,=l,l"(ptr %x)
  ret void
}

; A second instruction, an offset, a volatile load, a pointer that is a number.
; CHECK-LABEL: kernel two
; CHECK: inline assembly
define ptx_kernel void @two(ptr %x) {
  %v = call i32 asm sideeffect "ld.global.u32 $0, [$1]; st.global.u32 [$1], 0;", "=r,l"(ptr %x)
  ret void
}

; CHECK-LABEL: kernel offset
; CHECK: inline assembly
define ptx_kernel void @offset(ptr %x) {
  %v = call i32 asm sideeffect "ld.global.u32 $0, [$1+4];", "=r,l"(ptr %x)
  ret void
}

; CHECK-LABEL: kernel ordered
; CHECK: inline assembly
define ptx_kernel void @ordered(ptr %x) {
  %v = call i32 asm sideeffect "ld.global.acquire.u32 $0, [$1];", "=r,l"(ptr %x)
  ret void
}

; CHECK-LABEL: kernel number
; CHECK: inline assembly
define ptx_kernel void @number(i64 %x) {
  %v = call i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l"(i64 %x)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
