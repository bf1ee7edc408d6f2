; A fat binary without a summary: one warning, and kernels that are not analysed.
; RUN: %frame %s | %opt -passes=gridspan-host -S 2>%t.err | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARN --allow-empty < %t.err

target triple = "x86_64-pc-linux-gnu"
source_filename = "a.cu"

; FATBIN @Fatbin: 
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

; CHECK-DAG: c"not-analysed\00"
; CHECK: @__gridspan_kernels = {{.*}} { ptr @__device_stub__saxpy, ptr null, {{.*}} i32 0, i32 0, i32 0, i32 22, i32 0, i32 0, i32 0, i32 0 }
; CHECK: call void @__gridspan_register_module
; WARN-COUNT-1: warning: gridspan: a.cu: the device code carries no kernel summary
; WARN-NOT: warning

define void @__device_stub__saxpy() {
  ret void
}

define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)
