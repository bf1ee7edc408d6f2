; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; A variable that some kernel of the file writes has one copy per device. Tables
; that nobody writes are the same everywhere.

; CHECK: kernel writes:
; CHECK-NEXT: mutable-device-variable: cannot be split: it touches a __device__ variable that kernels change (counter)
; CHECK: kernel reads:
; CHECK-NEXT: mutable-device-variable:
; CHECK: kernel constants: may be split
; CHECK: kernel escapes:
; CHECK-NEXT: mutable-device-variable:{{.*}}(leaked)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@counter = addrspace(1) externally_initialized global i32 0, align 4
@table = addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@parameters = addrspace(4) externally_initialized global [4 x i32] zeroinitializer, align 4
@leaked = addrspace(1) externally_initialized global i32 0, align 4

define void @writes(ptr %p) {
  store i32 1, ptr addrspacecast (ptr addrspace(1) @counter to ptr)
  ret void
}

define void @reads(ptr %p) {
  %v = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr)
  store i32 %v, ptr %p
  ret void
}

define void @constants(ptr %p, i64 %i) {
  %a = getelementptr [4 x i32], ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 0, i64 %i
  %v = load i32, ptr %a
  %b = getelementptr [4 x i32], ptr addrspacecast (ptr addrspace(4) @parameters to ptr), i64 0, i64 %i
  %w = load i32, ptr %b
  %s = add i32 %v, %w
  store i32 %s, ptr %p
  ret void
}

define void @escapes(ptr %p) {
  store ptr addrspacecast (ptr addrspace(1) @leaked to ptr), ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @writes, !"kernel", i32 1}
!1 = !{ptr @reads, !"kernel", i32 1}
!2 = !{ptr @constants, !"kernel", i32 1}
!3 = !{ptr @escapes, !"kernel", i32 1}
