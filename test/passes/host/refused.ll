; A refused kernel is described with its reasons, and no clone is registered.
; RUN: %frame %s | %opt -passes=gridspan-host -S 2>%t.err | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARN --allow-empty < %t.err

target triple = "x86_64-pc-linux-gnu"
source_filename = "a.cu"

; FATBIN @Fatbin: Inputs/refused.json
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

; CHECK-DAG: c"grid-barrier\00"
; CHECK-DAG: c"waits for the whole grid (a.cu:9:3); reads a texture\00"
; CHECK: @__gridspan_kernels = {{.*}} { ptr @__device_stub__saxpy, ptr null, ptr null, ptr null, ptr @{{[^,]+}}, ptr @{{[^,]+}}, ptr @{{[^,]+}}, ptr @__gridspan_params_saxpy, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 4, i32 0, i32 0, i32 8, i32 0, i32 0, i32 0, i32 0 }
; CHECK-COUNT-1: call i32 @__gridspan___cudaRegisterFunction
; CHECK-NOT: call i32 @__gridspan___cudaRegisterFunction
; WARN-NOT: warning

define void @__device_stub__saxpy() {
  ret void
}

define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)
