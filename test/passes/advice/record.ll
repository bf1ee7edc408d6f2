; Advice marks what only a run can tell, for the device pass: accesses whose
; address follows from data, and those that are executed as data say.
; RUN: %opt -passes=gridspan-advice -S %s -gridspan-advice=%t.json | FileCheck %s
; RUN: %opt -passes=gridspan-advice -S %s -gridspan-advice=%t.json -gridspan-record=false | FileCheck %s --check-prefix=OFF
; Without advice nothing is to be recorded.
; RUN: %opt -passes=gridspan-advice -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: gridspan.record

; The hash of the code does not depend on names and debug information, and does
; on the code.
; RUN: grep '"build"' %t.json | sort -u > %t.builds
; RUN: sed -e 's/%at64/%other/g' %s > %t.names.ll
; RUN: %opt -passes=gridspan-advice -disable-output %t.names.ll -gridspan-advice=%t.names.json
; RUN: grep '"build"' %t.names.json | sort -u | diff %t.builds -
; RUN: sed -e 's/%i, 7/%i, 8/' %s > %t.code.ll
; RUN: %opt -passes=gridspan-advice -disable-output %t.code.ll -gridspan-advice=%t.code.json
; RUN: grep '"build"' %t.code.json | sort -u | not diff %t.builds -

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: define void @gather
; CHECK: %i = load i32, ptr %p
; CHECK-NOT: gridspan.record
; CHECK: %v = load float, ptr %q{{.*}}, !gridspan.record
; CHECK: store float %v, ptr %o
; CHECK-NOT: gridspan.record
; CHECK: icmp
; CHECK: store float 1.0{{.*}}, !gridspan.record
define void @gather(ptr %out, ptr %in, ptr %index) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at64 = zext i32 %t to i64
  %p = getelementptr i32, ptr %index, i64 %at64
  %i = load i32, ptr %p
  %i64 = sext i32 %i to i64
  %q = getelementptr float, ptr %in, i64 %i64
  %v = load float, ptr %q
  %o = getelementptr float, ptr %out, i64 %at64
  store float %v, ptr %o
  %c = icmp eq i32 %i, 7
  br i1 %c, label %then, label %end
then:
  %o2 = getelementptr float, ptr %o, i64 4096
  store float 1.0, ptr %o2
  br label %end
end:
  ret void
}

; With the values that are assumed of First and Last, which are the same, the
; loop has no iterations. In others it has, and data say what they store.
; CHECK-LABEL: define void @rest
; CHECK: %i = load i32, ptr %p
; CHECK-NOT: gridspan.record
; CHECK: store float 2.0{{.*}}, !gridspan.record
define void @rest(ptr %out, ptr %index, i32 %first, i32 %last) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %any = icmp slt i32 %first, %last
  br i1 %any, label %loop, label %end
loop:
  %l = phi i32 [ %first, %entry ], [ %l.next, %next ]
  %l64 = sext i32 %l to i64
  %row = mul i64 %l64, 1024
  %at = add i64 %row, %t64
  %p = getelementptr i32, ptr %index, i64 %at
  %i = load i32, ptr %p
  %c = icmp eq i32 %i, 7
  br i1 %c, label %then, label %next
then:
  %o = getelementptr float, ptr %out, i64 %at
  store float 2.0, ptr %o
  br label %next
next:
  %l.next = add nsw i32 %l, 1
  %more = icmp slt i32 %l.next, %last
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK: !gridspan.advice = !{![[ADVICE:[0-9]+]]}
; CHECK: ![[ADVICE]] = !{!"{{/.*}}record.ll.tmp.json"}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @gather, !"kernel", i32 1}
!1 = !{ptr @rest, !"kernel", i32 1}
