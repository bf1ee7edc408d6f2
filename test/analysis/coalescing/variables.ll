; Variables of the module in global memory have accesses like other arrays, also
; tables that the compiler has made of constants.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZN5space5arrayE = addrspace(1) global [4096 x float] zeroinitializer, align 4
@arg1 = addrspace(1) global [4096 x float] zeroinitializer, align 4
@table = internal unnamed_addr addrspace(1) constant [64 x i8] zeroinitializer

; CHECK-LABEL: kernel strided,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4 (ideal 4) a request
; CHECK-NEXT: store 4 of array: uncoalesced, sectors 32 (ideal 4) a request, {{.*}}lane stride 32
; CHECK-NEXT: only 4 of every 32 bytes of array are used
; CHECK-NEXT: store 4 of ::arg1: coalesced, sectors 4 (ideal 4) a request
; CHECK-NEXT: load 1 of table: unknown, computed in floating point
; CHECK-NEXT: store 1 of arg0:
define ptx_kernel void @strided(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p, align 4
  %far = shl nuw nsw i64 %wide, 3
  %q = getelementptr [4096 x float], ptr addrspacecast (ptr addrspace(1) @_ZN5space5arrayE to ptr), i64 0, i64 %far
  store float %v, ptr %q, align 4
  %r = getelementptr [4096 x float], ptr addrspacecast (ptr addrspace(1) @arg1 to ptr), i64 0, i64 %wide
  store float %v, ptr %r, align 4
  %bits = bitcast float %v to i32
  %low = and i32 %bits, 63
  %at = zext i32 %low to i64
  %s = getelementptr [64 x i8], ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 0, i64 %at
  %b = load i8, ptr %s, align 1
  %o = getelementptr i8, ptr %x, i64 %wide
  store i8 %b, ptr %o, align 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
