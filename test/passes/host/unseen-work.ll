; A module that gives work to streams by what is not redirected tells the
; runtime; one that only asks does not.
; RUN: split-file %s %t
; RUN: %opt -passes=gridspan-host -S %t/unseen.ll | FileCheck %s
; RUN: %opt -passes=gridspan-host -S %t/seen.ll \
; RUN:   | FileCheck %s --check-prefix=SEEN

; CHECK: @[[NAME:.*]] = {{.*}}c"cuMemsetD8Async\00"
; CHECK: @llvm.global_ctors = {{.*}} { i32 101, ptr @__gridspan_unseen_ctor, ptr null }
; CHECK: define internal void @__gridspan_unseen_ctor()
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @__gridspan_unseen_work(ptr @[[NAME]])

; SEEN-NOT: __gridspan_unseen

;--- unseen.ll
target triple = "x86_64-pc-linux-gnu"
define i32 @f(ptr %P, ptr %S) {
  %A = call i32 @cuMemsetD8Async(ptr %P, ptr %S)
  ret i32 %A
}
declare i32 @cuMemsetD8Async(ptr, ptr)

;--- seen.ll
target triple = "x86_64-pc-linux-gnu"
define i32 @f(ptr %P, ptr %S) {
  %A = call i32 @cudaMemsetAsync(ptr %P, i32 0, i64 4, ptr %S)
  %B = call i32 @cudaDeviceCanAccessPeer(ptr %P, i32 0, i32 1)
  %C = call i32 @cudaEventRecordWithFlags(ptr %P, ptr %S, i32 0)
  %D = call i32 @culinaryFunction()
  ret i32 %D
}
declare i32 @cudaMemsetAsync(ptr, i32, i64, ptr)
declare i32 @cudaDeviceCanAccessPeer(ptr, i32, i32)
declare i32 @cudaEventRecordWithFlags(ptr, ptr, i32)
declare i32 @culinaryFunction()
declare i32 @cuMemsetD8Async(ptr, ptr)
