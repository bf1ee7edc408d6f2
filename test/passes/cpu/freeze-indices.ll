; Indices that wrap at fewer than 32 bits, but those that are consecutive until
; then, are frozen in host modules: masked ones, and numbers of narrow types.
; RUN: %opt -passes=gridspan-freeze-indices -S %s | FileCheck %s
; RUN: sed 's/x86_64-pc-linux-gnu/nvptx64-nvidia-cuda/' %s \
; RUN:   | %opt -passes=gridspan-freeze-indices -S - \
; RUN:   | FileCheck %s --check-prefix=DEVICE
; The vectorizer then loads no elements that are not wanted.
; RUN: %opt -passes='gridspan-freeze-indices,loop-vectorize' \
; RUN:   -force-vector-width=4 -S %s \
; RUN:   | FileCheck %s --check-prefix=VECTOR

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @masked(
; CHECK:         %index = and i64 %fives, 63
; CHECK-NEXT:    [[FROZEN:%.*]] = freeze i64 %index
; CHECK-NEXT:    getelementptr inbounds i32, ptr %x, i64 [[FROZEN]]
; DEVICE-NOT:  freeze
; VECTOR-LABEL: define void @masked(
; VECTOR-NOT:     load <
; VECTOR-LABEL: define void @narrow(
; VECTOR-NOT:     load <
; VECTOR-LABEL: define void @others(
define void @masked(ptr noalias %out, ptr noalias %x) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %fives = mul nuw nsw i64 %i, 5
  %index = and i64 %fives, 63
  %from = getelementptr inbounds i32, ptr %x, i64 %index
  %v = load i32, ptr %from
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 64
  br i1 %done, label %end, label %loop

end:
  ret void
}

; CHECK-LABEL: define void @narrow(
; CHECK:         %index = zext i8 %byte to i64
; CHECK-NEXT:    freeze i64 %index
define void @narrow(ptr noalias %out, ptr noalias %x) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sevens = mul nuw nsw i64 %i, 7
  %byte = trunc i64 %sevens to i8
  %index = zext i8 %byte to i64
  %from = getelementptr inbounds i32, ptr %x, i64 %index
  %v = load i32, ptr %from
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %to
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 64
  br i1 %done, label %end, label %loop

end:
  ret void
}

; Consecutive until it wraps; never wraps; and wraps at 32 bits.
; CHECK-LABEL: define void @others(
; CHECK-NOT:     freeze
; CHECK:       ret void
define void @others(ptr noalias %out, ptr noalias %x, i32 %from32) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %low = and i64 %i, 7
  %a = getelementptr inbounds i32, ptr %x, i64 %low
  %v = load i32, ptr %a
  %fives = mul nuw nsw i64 %i, 5
  %small = and i64 %fives, 1023
  %b = getelementptr inbounds i32, ptr %x, i64 %small
  %w = load i32, ptr %b
  %i32 = trunc i64 %i to i32
  %threes = mul i32 %i32, 3
  %sum32 = add i32 %threes, %from32
  %wide = zext i32 %sum32 to i64
  %c = getelementptr inbounds i32, ptr %x, i64 %wide
  %u = load i32, ptr %c
  %vw = add i32 %v, %w
  %vwu = add i32 %vw, %u
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %vwu, ptr %to
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 64
  br i1 %done, label %end, label %loop

end:
  ret void
}
