; RUN: %opt -passes=gridspan-device -S %s | FileCheck %s
; A module for another target is left alone.

; CHECK-NOT: gridspan
target triple = "x86_64-pc-linux-gnu"

define void @f() {
  ret void
}
