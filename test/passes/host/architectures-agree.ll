; Two architectures that agree are one.
; RUN: %frame %s | %opt -passes=gridspan-host -S 2>%t.err | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARN --allow-empty < %t.err

target triple = "x86_64-pc-linux-gnu"
source_filename = "a.cu"

; FATBIN @Fatbin: Inputs/saxpy.json Inputs/saxpy.json
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

; CHECK: @__gridspan_kernels = {{.*}} { ptr @__device_stub__saxpy, ptr @__gridspan_stub_saxpy__gridspan, ptr @__gridspan_stub_saxpy__noalias, ptr @__gridspan_stub_saxpy__gridspan__noalias, ptr @{{[^,]+}}, ptr null, ptr null, {{.*}} i32 4, i32 2, i32 3, i32 2050, i32 256, i32 1, i32 0, i32 0 }
; WARN-NOT: warning

define void @__device_stub__saxpy() {
  ret void
}

define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)
