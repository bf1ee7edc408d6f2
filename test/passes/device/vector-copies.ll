; A copy of 16 bytes whose words are aligned is a load and a store, which have
; numbers of their own, and may be recorded.
; RUN: %opt -passes=gridspan-vector-copies -S %s | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @copies(
; CHECK-NEXT: [[A:%.*]] = load <2 x i64>, ptr %p, align 16
; CHECK-NEXT: store <2 x i64> [[A]], ptr %q, align 8
; CHECK-NEXT: [[B:%.*]] = load <4 x i32>, ptr %q, align 16
; CHECK-NEXT: store <4 x i32> [[B]], ptr addrspace(3) %s, align 4
; CHECK-NEXT: ret void
define void @copies(ptr %p, ptr %q, ptr addrspace(3) %s) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %q, ptr align 16 %p, i64 16, i1 false)
  call void @llvm.memmove.p3.p0.i64(ptr addrspace(3) align 4 %s, ptr align 16 %q, i64 16, i1 false)
  ret void
}

; Not by bytes, nor another length, nor a volatile one.
; CHECK-LABEL: define void @stays(
; CHECK-COUNT-4: call void @llvm.memcpy
; CHECK: ret void
define void @stays(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 2 %q, ptr align 16 %p, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %q, ptr align 16 %p, i64 20, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %q, ptr align 16 %p, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %q, ptr align 16 %p, i64 16, i1 true)
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)
