; Registration is found where clang's function for it was inlined already.
; RUN: %frame %s | %opt -passes=gridspan-host -S | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; FATBIN @Fatbin: Inputs/saxpy.json
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

; CHECK-DAG: @__gridspan_kernels = {{.*}} { ptr @__device_stub__saxpy, ptr @__gridspan_stub_saxpy__gridspan,

define void @__device_stub__saxpy() {
  ret void
}

; CHECK: define internal void @__cuda_module_ctor(
; CHECK: call i32 @__gridspan___cudaRegisterFunction(ptr null, ptr @__device_stub__saxpy,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr null, ptr @__gridspan_stub_saxpy__recording__gridspan,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr null, ptr @__gridspan_stub_saxpy__gridspan__noalias,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr null, ptr @__gridspan_stub_saxpy__noalias,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr null, ptr @__gridspan_stub_saxpy__gridspan,
define internal void @__cuda_module_ctor() {
  %1 = call i32 @__cudaRegisterFunction(ptr null, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)
