; The pass is in clang's pipelines at every level.
; RUN: %clang_plugin -O0 -x ir -S -emit-llvm %s -o - | FileCheck %s
; RUN: %clang_plugin -O1 -x ir -S -emit-llvm %s -o - | FileCheck %s
; RUN: %clang_plugin -O2 -x ir -S -emit-llvm %s -o - | FileCheck %s
; RUN: %clang_plugin -O3 -x ir -S -emit-llvm %s -o - | FileCheck %s
; RUN: %clang_plugin -Os -x ir -S -emit-llvm %s -o - | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: call i32 @__gridspan_cudaDeviceSynchronize()
define i32 @f() {
  %A = call i32 @cudaDeviceSynchronize()
  ret i32 %A
}

declare i32 @cudaDeviceSynchronize()
