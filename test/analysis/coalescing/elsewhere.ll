; Code that the assumed launch does not execute has the class that it has where
; one parameter is something else: a mode that it is compared with, a flag, a
; larger size. What is given is not changed.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 2>&1 | FileCheck %s
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 -gridspan-param=modes:2=3 2>&1 \
; RUN:   | FileCheck %s --check-prefix=GIVEN
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-block=64 \
; RUN:   -gridspan-grid=1 -gridspan-kernel=modes -gridspan-advice=%t.json
; RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; One of a few ways to do it.
; CHECK-LABEL: kernel modes,
; CHECK-NEXT: load 4 of arg0: not executed, coalesced where arg2 is 2 [site 0]
; CHECK-NEXT: load 4 of arg1: not executed, uncoalesced where arg2 is 3 [site 1]
; GIVEN-LABEL: kernel modes,
; GIVEN-NEXT: load 4 of arg0: not executed [site 0]
; GIVEN-NEXT: load 4 of arg1: uncoalesced, sectors 32
; FILE: "class": "not executed"
; FILE: "elsewhere": {
; FILE-NEXT: "byte": 0,
; FILE-NEXT: "class": "coalesced",
; FILE-NEXT: "parameter": 2,
; FILE-NEXT: "value": 2
define ptx_kernel void @modes(ptr %x, ptr %y, i32 %mode) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %side = icmp eq i32 %mode, 2
  br i1 %side, label %near, label %other

near:
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  br label %exit

other:
  %row = icmp eq i32 %mode, 3
  br i1 %row, label %far, label %exit

far:
  %q = getelementptr [1024 x float], ptr %y, i64 %wide
  %w = load volatile float, ptr %q, align 4
  br label %exit

exit:
  ret void
}

; A flag, and what only a larger size gets to.
; CHECK-LABEL: kernel sizes,
; CHECK-NEXT: load 4 of arg0: not executed, coalesced where arg2 is 1 [site 0]
; CHECK-NEXT: load 4 of arg1: not executed, coalesced where arg3 is 16384 [site 1]
define ptx_kernel void @sizes(ptr %x, ptr %y, i1 %flag, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  br i1 %flag, label %near, label %next

near:
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  br label %next

next:
  %i = add i32 %t, 4096
  %in = icmp ult i32 %i, %n
  br i1 %in, label %far, label %exit

far:
  %q = getelementptr float, ptr %y, i64 %wide
  %w = load volatile float, ptr %q, align 4
  br label %exit

exit:
  ret void
}

; What no value of a parameter gets to, and where the address stays unknown.
; CHECK-LABEL: kernel never,
; CHECK-NEXT: load 4 of arg1: not executed [site 0]
; CHECK-NEXT: load 4 of arg1: not executed, coalesced where arg2 is 7 [site 1]
; CHECK-NEXT: load 4 of arg0: not executed [site 2]
define ptx_kernel void @never(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %out = icmp ugt i32 %t, 64
  br i1 %out, label %far, label %next

far:
  %q = getelementptr float, ptr %y, i64 %wide
  %w = load volatile float, ptr %q, align 4
  br label %next

next:
  %is = icmp eq i32 %n, 7
  br i1 %is, label %gather, label %exit

gather:
  %py = getelementptr i32, ptr %y, i64 %wide
  %i = load volatile i32, ptr %py, align 4
  %widei = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %widei
  %v = load volatile float, ptr %p, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
