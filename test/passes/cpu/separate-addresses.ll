; An index that is also a value has a copy that addresses use, so that the
; vectorizer makes it a vector, and not a number for each lane.
; RUN: %opt -passes=gridspan-separate-addresses -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3 -S %s | FileCheck %s
; RUN: %opt -passes='gridspan-separate-addresses,loop-vectorize' -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3 -S %s | FileCheck --check-prefix=VECTOR %s
; Where gathers are fast, addresses may be vectors.
; RUN: %opt -passes=gridspan-separate-addresses -mtriple=x86_64-unknown-linux-gnu -mcpu=skylake -S %s | FileCheck --check-prefix=GATHERS %s

; CHECK-LABEL: define void @__gridspan_cpu.run.upTo(
; CHECK: [[T:%.+]] = trunc i64 %x to i32
; CHECK-NEXT: [[TA:%.+]] = trunc i64 %x to i32
; CHECK-NEXT: [[I:%.+]] = add nsw i32 %first, [[T]]
; CHECK-NEXT: [[IA:%.+]] = add nsw i32 %first, [[TA]]
; CHECK-NEXT: [[AT:%.+]] = add nsw i32 [[IA]], %base
; CHECK-NEXT: [[W:%.+]] = sext i32 [[AT]] to i64
; CHECK-NEXT: getelementptr inbounds float, ptr %in, i64 [[W]]
; CHECK: icmp sle i32 [[I]], %last

; VECTOR-LABEL: define void @__gridspan_cpu.run.upTo(
; VECTOR: vector.body:
; VECTOR-NOT: insertelement
; VECTOR: icmp sle <8 x i32>
; VECTOR-NOT: insertelement
; VECTOR: br i1

; GATHERS-LABEL: define void @__gridspan_cpu.run.upTo(
; GATHERS-COUNT-1: trunc
; GATHERS-NOT: trunc
; GATHERS: ret void
define void @__gridspan_cpu.run.upTo(ptr noalias %in, ptr noalias %out, i32 %first, i32 %base, i32 %last, i64 %n) {
entry:
  br label %body
body:
  %x = phi i64 [ 0, %entry ], [ %next, %body ]
  %t = trunc i64 %x to i32
  %i = add nsw i32 %first, %t
  %at = add nsw i32 %i, %base
  %w = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %v = load float, ptr %p
  %c = icmp sle i32 %i, %last
  %s = select i1 %c, float %v, float 0.0
  %q = getelementptr inbounds float, ptr %out, i64 %x
  store float %s, ptr %q
  %next = add nuw nsw i64 %x, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}

; The program's own functions are as they were.
; CHECK-LABEL: define void @upTo(
; CHECK-COUNT-1: trunc
; CHECK-NOT: trunc
; CHECK: ret void
define void @upTo(ptr noalias %in, ptr noalias %out, i32 %last, i64 %n) {
entry:
  br label %body
body:
  %x = phi i64 [ 0, %entry ], [ %next, %body ]
  %i = trunc i64 %x to i32
  %w = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %w
  %v = load float, ptr %p
  %c = icmp sle i32 %i, %last
  %s = select i1 %c, float %v, float 0.0
  store float %s, ptr %p
  %next = add nuw nsw i64 %x, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}
