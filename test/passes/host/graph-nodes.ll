; A module that looks at the nodes of graphs tells the runtime, whose captured
; launches may be several nodes each; one that only launches graphs does not.
; RUN: split-file %s %t
; RUN: %opt -passes=gridspan-host -S %t/looks.ll | FileCheck %s
; RUN: %opt -passes=gridspan-host -S %t/does-not.ll \
; RUN:   | FileCheck %s --check-prefix=NONE

; CHECK: @llvm.global_ctors = {{.*}} { i32 101, ptr @__gridspan_graphs_ctor, ptr null }
; CHECK: define internal void @__gridspan_graphs_ctor()
; CHECK: call void @__gridspan_looks_into_graphs(ptr

; NONE-NOT: __gridspan_looks_into_graphs

;--- looks.ll
target triple = "x86_64-pc-linux-gnu"
define i32 @f(ptr %G, ptr %N, ptr %C) {
  %A = call i32 @cudaGraphGetNodes(ptr %G, ptr %N, ptr %C)
  ret i32 %A
}
declare i32 @cudaGraphGetNodes(ptr, ptr, ptr)

;--- does-not.ll
target triple = "x86_64-pc-linux-gnu"
define i32 @f(ptr %G, ptr %E, ptr %S) {
  %A = call i32 @cudaStreamBeginCapture(ptr %S, i32 0)
  %B = call i32 @cudaStreamEndCapture(ptr %S, ptr %G)
  %C = call i32 @cudaGraphInstantiate(ptr %E, ptr %G, i64 0)
  %D = call i32 @cudaGraphLaunch(ptr %E, ptr %S)
  %F = call i32 @cudaGraphExecDestroy(ptr %E)
  %H = call i32 @cudaGraphDestroy(ptr %G)
  ret i32 %A
}
declare i32 @cudaStreamBeginCapture(ptr, i32)
declare i32 @cudaStreamEndCapture(ptr, ptr)
declare i32 @cudaGraphInstantiate(ptr, ptr, i64)
declare i32 @cudaGraphLaunch(ptr, ptr)
declare i32 @cudaGraphExecDestroy(ptr)
declare i32 @cudaGraphDestroy(ptr)
declare i32 @cudaGraphGetNodes(ptr, ptr, ptr)
