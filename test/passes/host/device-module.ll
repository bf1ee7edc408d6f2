; The host pass leaves device modules alone.
; RUN: %opt -passes=gridspan-host -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: declare i32 @cudaMalloc(
declare i32 @cudaMalloc(ptr, i64)
