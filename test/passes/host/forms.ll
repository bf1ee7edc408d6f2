; The clone for records in other forms is registered, and described with the
; forms that it knows.
; RUN: %frame %s | %opt -passes=gridspan-host,verify -S | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; FATBIN @Fatbin: Inputs/formed.json
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

; CHECK-DAG: @__gridspan_fields_0_saxpy = internal constant [3 x i32] [i32 0, i32 4, i32 8]
; CHECK-DAG: @__gridspan_forms_saxpy__formed = internal constant [1 x { ptr, i32, i32, i32, i32, i32, i32 }] [{ ptr, i32, i32, i32, i32, i32, i32 } { ptr @__gridspan_fields_0_saxpy, i32 3, i32 12, i32 0, i32 1, i32 8, i32 0 }]
; CHECK-DAG: @__gridspan_params_saxpy__formed = internal constant [3 x { i32, i32 }] [{{.*}}, { i32, i32 } { i32 16, i32 24 }]
; CHECK-DAG: @__gridspan_kernel_saxpy__formed = internal constant {{.*}} { ptr @__gridspan_stub_saxpy__formed, ptr null,
; CHECK-DAG: @__gridspan_kernels = internal constant {{.*}}ptr null, ptr @__gridspan_kernel_saxpy__formed, ptr @__gridspan_forms_saxpy__formed, i32 2, i32 1, i32 0, i32 0, i32 0, i32 0, i32 1, i32 0 }]

define void @__device_stub__saxpy() {
  ret void
}

; CHECK: call i32 @__gridspan___cudaRegisterFunction(ptr %0, ptr @__gridspan_stub_saxpy__formed,
define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)
