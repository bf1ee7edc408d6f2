; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Calls do to memory what their attributes say; printf reads the thread's own memory; a call
; that may do anything is an unknown read and write.

; CHECK-LABEL: kernel k
; CHECK-NEXT: pointer arg0: read write
; CHECK-NEXT: read: unknown, call of argument, not inlined [site 1]
; CHECK-NEXT: write: unknown, call of argument, not inlined [site 1]
; CHECK-NEXT: read: unknown, call of reads, not inlined [site 2]
; CHECK-NEXT: pointer arg1: not accessed
; CHECK-NEXT: any memory:
; CHECK-NEXT: read: unknown, call of anything, not inlined [site 0]
; CHECK-NEXT: write: unknown, call of anything, not inlined [site 0]
; CHECK-NEXT: read: unknown, indirect call [site 3]
; CHECK-NEXT: write: unknown, indirect call [site 3]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@format = private addrspace(0) constant [1 x i8] c"\00"

define void @k(ptr %p, ptr %f) {
  call void @anything()
  call void @argument(ptr %p)
  call void @reads(ptr %p)
  call void @nothing(ptr %p)
  %n = call i32 @vprintf(ptr @format, ptr null)
  call void %f()
  ret void
}

declare void @anything()
declare void @argument(ptr) memory(argmem: readwrite)
declare void @reads(ptr readonly) memory(argmem: read)
declare void @nothing(ptr) memory(none)
declare i32 @vprintf(ptr, ptr)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
