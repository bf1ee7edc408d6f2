; Variables that can change are in one image, by offset; addresses in initializers
; are stored by the relocation function; constants stay constants.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@counter = addrspace(1) externally_initialized global i32 5, align 4
@table = addrspace(4) externally_initialized global [2 x double] [double 1.0, double 2.0], align 8
@pointer = addrspace(1) externally_initialized global ptr addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @counter, i64 2) to ptr), align 8
@message = addrspace(1) externally_initialized global ptr addrspacecast (ptr addrspace(4) @text to ptr), align 8
@words = addrspace(1) externally_initialized global ptr @word, align 8
@text = private addrspace(4) constant [3 x i8] c"hi\00"
@word = private constant [2 x i8] c"a\00"

; CHECK: @__gridspan_cpu.image = internal constant <{ i32, [4 x i8], [2 x double], ptr, ptr, ptr }> <{ i32 5, [4 x i8] zeroinitializer, [2 x double] [double 1.000000e+00, double 2.000000e+00], ptr null, ptr @__gridspan_cpu.text, ptr @__gridspan_cpu.word }>, align 8
; CHECK: @__gridspan_cpu.text = internal constant [3 x i8] c"hi\00"
; CHECK: @__gridspan_cpu_variables = {{.*}} i64 0, i64 4 }, {{.*}} i64 8, i64 16 }, {{.*}} i64 24, i64 8 }, {{.*}} i64 32, i64 8 }, {{.*}} i64 40, i64 8 }
; CHECK: @__gridspan_cpu_module = {{.*}} { ptr @__gridspan_cpu.image, ptr @__gridspan_cpu.relocate, ptr @__gridspan_cpu_variables, i64 48, i64 8, i32 5, i32 0 }

; CHECK-LABEL: define internal void @__gridspan_cpu.relocate(ptr %0)
; CHECK: [[V:%.*]] = getelementptr inbounds i8, ptr %0, i64 0
; CHECK: store ptr {{.*}}, ptr {{.*}}
; CHECK: ret void

; CHECK-LABEL: define internal void @__gridspan_cpu.k(
; CHECK: [[C:%.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 0
; CHECK: [[G:%.*]] = addrspacecast ptr [[C]] to ptr addrspace(1)
; CHECK: atomicrmw add ptr addrspace(1) [[G]], i32 1 monotonic
define void @k(ptr %out) {
  %old = atomicrmw add ptr addrspace(1) @counter, i32 1 monotonic
  %p = load ptr, ptr addrspace(1) @pointer
  store ptr %p, ptr %out
  %c = load i8, ptr addrspace(4) @text
  store i8 %c, ptr %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
