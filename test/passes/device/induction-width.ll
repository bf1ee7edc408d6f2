; An index that is counted in 32 bits and compared in 64 gets one width.
; RUN: %opt -passes='function(gridspan-induction-width),verify' -S %s | FileCheck %s
; RUN: sed -e s/nvptx64-nvidia-cuda/x86_64-pc-linux-gnu/ %s \
; RUN:   | %opt -passes='function(gridspan-induction-width)' -S \
; RUN:   | FileCheck %s --check-prefix=HOST
; HOST-LABEL: define void @compared(
; HOST: phi i32
; HOST-NOT: phi i64
; HOST: ret void

target triple = "nvptx64-nvidia-cuda"

; The index is a phi of extended values only.
; CHECK-LABEL: define void @truncated(
; CHECK: %first = sext i32 %start to i64
; CHECK: [[STEP:%.*]] = sext i32 %step to i64
; CHECK: body:
; CHECK-NEXT: [[I:%.*]] = phi i64 [ %first, %entry ], [ [[NEXT:%.*]], %latch ]
; CHECK-NEXT: [[NARROW:%.*]] = trunc nsw i64 [[I]] to i32
; CHECK-NEXT: getelementptr i32, ptr %p, i64 [[I]]
; CHECK-NEXT: store i32 [[NARROW]],
; CHECK: latch:
; CHECK-NEXT: [[NEXT]] = add nsw i64 [[I]], [[STEP]]
; CHECK-NEXT: icmp ugt i64 %n, [[NEXT]]
; CHECK-NEXT: br
define void @truncated(ptr %p, i32 %start, i32 %step, i64 %n) {
entry:
  %first = sext i32 %start to i64
  br label %body
body:
  %i = phi i64 [ %first, %entry ], [ %i.next, %latch ]
  %narrow = trunc i64 %i to i32
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 %narrow, ptr %at
  br label %latch
latch:
  %next = add nsw i32 %step, %narrow
  %i.next = sext i32 %next to i64
  %more = icmp ugt i64 %n, %i.next
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; The narrow phi is there, too; what follows the loop uses it.
; CHECK-LABEL: define i32 @both(
; CHECK: body:
; CHECK-NEXT: [[I:%.*]] = phi i64 [ 3, %entry ], [ [[NEXT:%.*]], %body ]
; CHECK-NOT: phi
; CHECK: [[NEXT]] = add nsw i64 [[I]],
; CHECK-NEXT: [[LAST:%.*]] = trunc nsw i64 [[NEXT]] to i32
; CHECK-NEXT: icmp slt i64 [[NEXT]], %n
; CHECK: ret i32 [[LAST]]
define i32 @both(ptr %p, i32 %step, i64 %n) {
entry:
  br label %body
body:
  %wide = phi i64 [ 3, %entry ], [ %wide.next, %body ]
  %i = phi i32 [ 3, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i64 %wide
  store i32 0, ptr %at
  %next = add nsw i32 %i, %step
  %wide.next = sext i32 %next to i64
  %more = icmp slt i64 %wide.next, %n
  br i1 %more, label %body, label %exit
exit:
  ret i32 %next
}

; Only the comparison is wide.
; CHECK-LABEL: define void @compared(
; CHECK: phi i64
; CHECK-NOT: phi i32
; CHECK: ret void
define void @compared(ptr %p, i32 %start, i64 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 0, ptr %at
  %next = add nsw i32 %i, 1
  %wide = sext i32 %next to i64
  %more = icmp slt i64 %wide, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; Numbers without a sign may wrap: a narrow phi is all that can be had.
; CHECK-LABEL: define void @unsigned(
; CHECK: %first = zext i32 %start to i64
; CHECK: body:
; CHECK-NEXT: [[I:%.*]] = phi i32 [ %start, %entry ], [ %next, %body ]
; CHECK-NEXT: %i = zext i32 [[I]] to i64
; CHECK-NEXT: getelementptr i32, ptr %p, i64 %i
; CHECK: %next = add i32 [[I]], %step
define void @unsigned(ptr %p, i32 %start, i32 %step, i64 %n) {
entry:
  %first = zext i32 %start to i64
  br label %body
body:
  %i = phi i64 [ %first, %entry ], [ %i.next, %body ]
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %at
  %narrow = trunc i64 %i to i32
  %next = add i32 %narrow, %step
  %i.next = zext i32 %next to i64
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; So may signed ones where the sum says nothing else.
; CHECK-LABEL: define void @wraps(
; CHECK: phi i32
; CHECK-NOT: phi i64
; CHECK: ret void
define void @wraps(ptr %p, i32 %start, i64 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %next = add i32 %i, 1
  %wide = sext i32 %next to i64
  %more = icmp slt i64 %wide, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; A sum that overflows is not poison for the branch that does not look at it.
; CHECK-LABEL: define void @unseen(
; CHECK: phi i32
; CHECK-NOT: phi i64
; CHECK: ret void
define void @unseen(ptr %p, i32 %start, i64 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ %start, %entry ], [ %next, %latch ]
  %next = add nsw i32 %i, 1
  %wide = sext i32 %next to i64
  %more = icmp slt i64 %wide, %n
  br i1 %more, label %latch, label %exit
latch:
  %stop = load volatile i1, ptr %p
  br i1 %stop, label %exit, label %body
exit:
  ret void
}

; The first value is no extension: the phi is not one in the first iteration.
; CHECK-LABEL: define void @starts(
; CHECK: phi i64 [ %start, %entry ], [ %i.next, %body ]
; CHECK: phi i64 [ 4294967296, %entry ], [ %j.next, %body ]
; CHECK-NOT: phi i32
; CHECK: ret void
define void @starts(ptr %p, i64 %start, i32 %step, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ %start, %entry ], [ %i.next, %body ]
  %j = phi i64 [ 4294967296, %entry ], [ %j.next, %body ]
  %i.narrow = trunc i64 %i to i32
  %i.sum = add nsw i32 %i.narrow, %step
  %i.next = sext i32 %i.sum to i64
  %j.narrow = trunc i64 %j to i32
  %j.sum = add nsw i32 %j.narrow, %step
  %j.next = sext i32 %j.sum to i64
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; The step changes in the loop.
; CHECK-LABEL: define void @steps(
; CHECK: phi i64 [ 0, %entry ], [ %i.next, %body ]
; CHECK-NOT: phi i32
; CHECK: ret void
define void @steps(ptr %p, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %step = load volatile i32, ptr %p
  %narrow = trunc i64 %i to i32
  %next = add nsw i32 %narrow, %step
  %i.next = sext i32 %next to i64
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; The inner loop starts with the outer one's index.
; CHECK-LABEL: define void @nested(
; CHECK: outer:
; CHECK-NEXT: [[I:%.*]] = phi i64
; CHECK: inner:
; CHECK-NEXT: phi i64 [ [[I]], %outer ]
; CHECK: ret void
define void @nested(ptr %p, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %i.narrow = trunc i64 %i to i32
  br label %inner
inner:
  %j = phi i32 [ %i.narrow, %outer ], [ %j.next, %inner ]
  %at = getelementptr i32, ptr %p, i32 %j
  store i32 0, ptr %at
  %j.next = add nsw i32 %j, 1
  %j.wide = sext i32 %j.next to i64
  %j.more = icmp slt i64 %j.wide, %n
  br i1 %j.more, label %inner, label %outer.latch
outer.latch:
  %next = add nsw i32 %i.narrow, 1
  %i.next = sext i32 %next to i64
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %exit
exit:
  ret void
}

; A switch leads to the loop by two of its cases.
; CHECK-LABEL: define void @switched(
; CHECK: phi i32 [ 0, %entry ], [ 0, %entry ], [ %next, %body ]
; CHECK-NOT: .wide =
; CHECK: ret void
define void @switched(i32 %m, i64 %n) {
entry:
  switch i32 %m, label %exit [ i32 0, label %body
                               i32 1, label %body ]
body:
  %i = phi i32 [ 0, %entry ], [ 0, %entry ], [ %next, %body ]
  %next = add nsw i32 %i, 1
  %w = sext i32 %next to i64
  %more = icmp slt i64 %w, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}
