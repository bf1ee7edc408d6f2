; Calls of CUDA libraries tell the runtime where their pointers lead.
; RUN: %opt -passes=gridspan-host -S %s | FileCheck %s

; CHECK: @Pointer = global ptr @cublasSgemm_v2
; CHECK-LABEL: define i32 @f(
; CHECK: call i32 @__gridspan_call_cublasSgemm_v2(ptr %H, i32 7, ptr %A, float 1.0
; CHECK: invoke void @__gridspan_call_cufftRun(ptr %A)
; CHECK: call void @__gridspan_call_nppRow(ptr byval({ i64, i64, i64 }) %H, ptr %A)
; What has no pointers, is the program's own or no direct call stays.
; CHECK: call i32 @cublasVersion(i32 1)
; CHECK: call i32 @cublasOwn(ptr %A)
; CHECK: call i32 %P(ptr %A)
; CHECK: call i32 (ptr, ...) @cublasLog(ptr %A, i32 1)

; CHECK-LABEL: define internal i32 @__gridspan_call_cublasSgemm_v2(ptr %0, i32 signext %1, ptr %2, float %3)
; CHECK: %[[LIST:.*]] = alloca [2 x ptr]
; CHECK: store ptr %0, ptr
; CHECK: store ptr %2, ptr
; CHECK: call void @__gridspan_before_library_call(ptr %[[LIST]], i32 2)
; CHECK-NEXT: %[[R:.*]] = call i32 @cublasSgemm_v2(ptr %0, i32 signext %1, ptr %2, float %3)
; CHECK-NEXT: call void @__gridspan_after_library_call()
; CHECK-NEXT: ret i32 %[[R]]

; CHECK-LABEL: define internal void @__gridspan_call_nppRow(
; CHECK: alloca [1 x ptr]

target triple = "x86_64-pc-linux-gnu"
@Pointer = global ptr @cublasSgemm_v2

define i32 @f(ptr %H, ptr %A, ptr %P) personality ptr @__gxx_personality_v0 {
  %1 = call i32 @cublasSgemm_v2(ptr %H, i32 7, ptr %A, float 1.0)
  invoke void @cufftRun(ptr %A) to label %ok unwind label %bad
ok:
  call void @nppRow(ptr byval({ i64, i64, i64 }) %H, ptr %A)
  %2 = call i32 @cublasVersion(i32 1)
  %3 = call i32 @cublasOwn(ptr %A)
  %4 = call i32 %P(ptr %A)
  %5 = call i32 (ptr, ...) @cublasLog(ptr %A, i32 1)
  ret i32 %1
bad:
  %6 = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %6
}

define i32 @cublasOwn(ptr %A) {
  ret i32 0
}

declare i32 @cublasSgemm_v2(ptr, i32 signext, ptr, float)
declare void @cufftRun(ptr)
declare void @nppRow(ptr byval({ i64, i64, i64 }), ptr)
declare i32 @cublasVersion(i32)
declare i32 @cublasLog(ptr, ...)
declare i32 @__gxx_personality_v0(...)
