; Calls, invokes and address uses of the CUDA runtime API go to Gridspan; what
; the program defines itself stays. What is not in the table asks the runtime if
; there is a driver; what is no function of CUDA does not.
; RUN: %opt -passes=gridspan-host -S %s | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: @Table = global [2 x ptr] [ptr @__gridspan_cudaMalloc, ptr @__gridspan_guarded_cudaMemPoolExportPointer]
@Table = global [2 x ptr] [ptr @cudaMalloc, ptr @cudaMemPoolExportPointer]

define i32 @f(ptr %P) personality ptr null {
; CHECK-LABEL: define i32 @f(
; CHECK: call i32 @__gridspan_cudaMalloc(ptr %P, i64 4)
; CHECK: call i32 @__gridspan_cudaMemcpyAsync_ptsz(
; CHECK: invoke i32 @__gridspan_cudaDeviceSynchronize()
; CHECK: call i32 @cudaFree(ptr %P)
; CHECK: call i32 @__gridspan_guarded_cudaSignalExternalSemaphoresAsync_ptsz(
; CHECK: call i32 @cudaOfMine(
  %A = call i32 @cudaMalloc(ptr %P, i64 4)
  %B = call i32 @cudaMemcpyAsync_ptsz(ptr %P, ptr %P, i64 4, i32 1, ptr null)
  %C = invoke i32 @cudaDeviceSynchronize() to label %OK unwind label %Bad

OK:
  %D = call i32 @cudaFree(ptr %P)
  %E = call i32 @cudaSignalExternalSemaphoresAsync_ptsz(ptr null, ptr %P)
  %F = call i32 @cudaOfMine(ptr %P)
  ret i32 %D

Bad:
  %L = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %L
}

; CHECK: define i32 @cudaFree(ptr %P)
define i32 @cudaFree(ptr %P) {
  ret i32 0
}

; CHECK: declare i32 @__gridspan_cudaMalloc(ptr, i64)
declare i32 @cudaMalloc(ptr, i64)
declare i32 @cudaMemcpyAsync_ptsz(ptr, ptr, i64, i32, ptr)
declare i32 @cudaDeviceSynchronize()
declare i32 @cudaMemPoolExportPointer(ptr, ptr)
declare i32 @cudaSignalExternalSemaphoresAsync_ptsz(ptr, ptr)
; CHECK: declare i32 @cudaOfMine(
declare i32 @cudaOfMine(ptr)

; CHECK: define linkonce_odr i32 @__gridspan_guarded_cudaMemPoolExportPointer(ptr %0, ptr %1)
; CHECK: %[[ERROR:.*]] = call i32 @__gridspan_vendor_call(ptr @{{.*}})
; CHECK: %[[NONE:.*]] = icmp eq i32 %[[ERROR]], 0
; CHECK: br i1 %[[NONE]], label %call, label %fail
; CHECK: call:
; CHECK: %[[RESULT:.*]] = call i32 @cudaMemPoolExportPointer(ptr %0, ptr %1)
; CHECK: ret i32 %[[RESULT]]
; CHECK: fail:
; CHECK: ret i32 %[[ERROR]]
