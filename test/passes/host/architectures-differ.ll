; Two architectures that disagree: the kernel may be split only if all say so, and
; it has the accesses of both, none exact.
; RUN: %frame %s | %opt -passes=gridspan-host -S 2>%t.err | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARN --allow-empty < %t.err

target triple = "x86_64-pc-linux-gnu"
source_filename = "a.cu"

; FATBIN @Fatbin: Inputs/saxpy.json Inputs/refused.json
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

; CHECK-DAG: c"grid-barrier\00"
; CHECK: @__gridspan_kernels = {{.*}} { ptr @__device_stub__saxpy, ptr null, ptr null, ptr null, ptr @{{[^,]+}}, ptr @{{[^,]+}}, ptr @{{[^,]+}}, ptr @__gridspan_params_saxpy, ptr @__gridspan_pointers_saxpy, ptr @__gridspan_textures_saxpy, ptr @__gridspan_accesses_saxpy, ptr @__gridspan_ranges_saxpy, ptr @__gridspan_work_saxpy, ptr @__gridspan_atomics_saxpy, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i32 4, i32 2, i32 3, i32 10, i32 256, i32 1, i32 0, i32 0 }
; CHECK: call void @__gridspan_range_finish(ptr {{.*}}, i32 4, i32 0)
; CHECK-NOT: call void @__gridspan_range_finish(ptr {{.*}}, i32 1)
; WARN-NOT: warning

define void @__device_stub__saxpy() {
  ret void
}

define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)
