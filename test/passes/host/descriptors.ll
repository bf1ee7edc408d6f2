; A summary in the fat binary becomes a descriptor that the module registers
; before main; the clones are registered next to their kernel.
; RUN: %frame %s | %opt -passes=gridspan-host -S | FileCheck %s
; What is emitted is valid, and a second run changes nothing.
; RUN: %frame %s | %opt -passes=gridspan-host,verify -S > %t.once
; RUN: %opt -passes=gridspan-host -S < %t.once | diff - %t.once

target triple = "x86_64-pc-linux-gnu"

; FATBIN @Fatbin: Inputs/saxpy.json
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

; CHECK-DAG: @__gridspan_stub_saxpy__gridspan = internal global i8 0
; CHECK-DAG: @[[CLONE:.+]] = private unnamed_addr constant [16 x i8] c"saxpy__gridspan\00"
; CHECK-DAG: @[[NOALIAS:.+]] = private unnamed_addr constant [15 x i8] c"saxpy__noalias\00"
; CHECK-DAG: @[[TILED_NOALIAS:.+]] = private unnamed_addr constant [25 x i8] c"saxpy__gridspan__noalias\00"
; CHECK-DAG: @[[NAME:.+]] = private unnamed_addr constant [6 x i8] c"saxpy\00"
; CHECK-DAG: @[[WHERE:.+]] = private unnamed_addr constant [9 x i8] c"a.cu:3:5\00"
; CHECK-DAG: @[[WHY:.+]] = private unnamed_addr constant [23 x i8] c"the pointer was loaded\00"
; CHECK-DAG: @[[EMPTY:.+]] = private unnamed_addr constant [1 x i8] zeroinitializer
; CHECK-DAG: @__gridspan_params_saxpy = internal constant [4 x { i32, i32 }] [{ i32, i32 } { i32 0, i32 4 }, { i32, i32 } { i32 4, i32 4 }, { i32, i32 } { i32 8, i32 8 }, { i32, i32 } { i32 16, i32 8 }]
; CHECK-DAG: @__gridspan_pointers_saxpy = internal constant [2 x { i32, i32, i32, i32 }] [{ i32, i32, i32, i32 } { i32 2, i32 0, i32 1, i32 1 }, { i32, i32, i32, i32 } { i32 3, i32 0, i32 3, i32 256 }]
; CHECK-DAG: @__gridspan_textures_saxpy = internal constant [1 x { i32, i32 }] [{ i32, i32 } { i32 3, i32 0 }]
; CHECK-DAG: @__gridspan_accesses_saxpy = internal constant {{.*}} { ptr @[[WHERE]], ptr null, i32 0, i32 1, i32 4, i32 1 }, {{.*}} { ptr @[[EMPTY]], ptr @[[WHY]], i32 -1, i32 1, i32 8, i32 3 }]
; CHECK-DAG: @__gridspan_kernels = internal constant [1 x {{.*}} { ptr @__device_stub__saxpy, ptr @__gridspan_stub_saxpy__gridspan, ptr @__gridspan_stub_saxpy__noalias, ptr @__gridspan_stub_saxpy__gridspan__noalias, ptr @{{.*}}, ptr null, ptr null, ptr @__gridspan_params_saxpy, ptr @__gridspan_pointers_saxpy, ptr @__gridspan_textures_saxpy, ptr @__gridspan_accesses_saxpy, ptr @__gridspan_ranges_saxpy, ptr @__gridspan_work_saxpy, ptr @__gridspan_atomics_saxpy, ptr null, ptr null, ptr null, ptr @__gridspan_kernel_saxpy__recording__gridspan, ptr null, ptr null, i32 4, i32 2, i32 3, i32 2050, i32 256, i32 1, i32 0, i32 0 }]
; CHECK-DAG: @__gridspan_probes_saxpy__recording__gridspan = internal constant {{.*}} { ptr @[[EMPTY]], ptr null, i32 -1, i32 2, i32 4, i32 7 }]
; CHECK-DAG: @__gridspan_params_saxpy__recording__gridspan = internal constant [5 x { i32, i32 }] [{{.*}}, { i32, i32 } { i32 24, i32 24 }]
; CHECK-DAG: @__gridspan_kernel_saxpy__recording__gridspan = internal constant {{.*}} { ptr @__gridspan_stub_saxpy__recording__gridspan, ptr @__gridspan_stub_saxpy__recording__gridspan,
; CHECK-DAG: @[[BUILD:.+]] = private unnamed_addr constant [5 x i8] c"5eed\00"
; CHECK-DAG: @[[ADVICE:.+]] = private unnamed_addr constant [10 x i8] c"/b/a.json\00"
; CHECK-DAG: @__gridspan_module = internal constant { ptr, ptr, ptr, i32, i32, ptr, ptr } { ptr @{{.*}}, ptr @__gridspan_kernels, ptr null, i32 12, i32 1, ptr @[[BUILD]], ptr @[[ADVICE]] }
; CHECK-DAG: @llvm.global_ctors = {{.*}}{ i32 101, ptr @__gridspan_module_ctor, ptr null }

define void @__device_stub__saxpy() {
  ret void
}

; CHECK-LABEL: define internal void @__cuda_register_globals(
; CHECK: call i32 @__gridspan___cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr %0, ptr @__gridspan_stub_saxpy__recording__gridspan,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr %0, ptr @__gridspan_stub_saxpy__gridspan__noalias, ptr @[[TILED_NOALIAS]], ptr @[[TILED_NOALIAS]], i32 -1,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr %0, ptr @__gridspan_stub_saxpy__noalias, ptr @[[NOALIAS]], ptr @[[NOALIAS]], i32 -1,
; CHECK-NEXT: call i32 @__gridspan___cudaRegisterFunction(ptr %0, ptr @__gridspan_stub_saxpy__gridspan, ptr @[[CLONE]], ptr @[[CLONE]], i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
; CHECK: call void @__gridspan___cudaRegisterVar(
define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  call void @__cudaRegisterVar(ptr %0, ptr @Name, ptr @Name, ptr @Name, i32 0, i64 4, i32 0, i32 0)
  ret void
}

; CHECK-LABEL: define internal void @__gridspan_module_ctor()
; CHECK: call void @__gridspan_register_module(ptr @__gridspan_module)
; CHECK: call i32 @atexit(ptr @__gridspan_module_dtor)
; CHECK-LABEL: define internal void @__gridspan_module_dtor()
; CHECK: call void @__gridspan_unregister_module(ptr @__gridspan_module)

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)
declare void @__cudaRegisterVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)

; CHECK: !gridspan.host = !{}
