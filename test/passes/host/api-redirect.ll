; Calls, invokes and address uses of the CUDA runtime API go to Gridspan; what
; the program defines itself, and what is not in the table, stays.
; RUN: %opt -passes=gridspan-host -S %s | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: @Table = global [2 x ptr] [ptr @__gridspan_cudaMalloc, ptr @cudaGraphCreate]
@Table = global [2 x ptr] [ptr @cudaMalloc, ptr @cudaGraphCreate]

define i32 @f(ptr %P) personality ptr null {
; CHECK-LABEL: define i32 @f(
; CHECK: call i32 @__gridspan_cudaMalloc(ptr %P, i64 4)
; CHECK: call i32 @__gridspan_cudaMemcpyAsync_ptsz(
; CHECK: invoke i32 @__gridspan_cudaDeviceSynchronize()
; CHECK: call i32 @cudaFree(ptr %P)
  %A = call i32 @cudaMalloc(ptr %P, i64 4)
  %B = call i32 @cudaMemcpyAsync_ptsz(ptr %P, ptr %P, i64 4, i32 1, ptr null)
  %C = invoke i32 @cudaDeviceSynchronize() to label %OK unwind label %Bad

OK:
  %D = call i32 @cudaFree(ptr %P)
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
; CHECK: declare i32 @cudaGraphCreate(
declare i32 @cudaGraphCreate(ptr, i32)
