; A __managed__ variable that the host sees becomes a constant with its address.
; Each function loads it once. Initial values, sizes and names go to the host.
;
; RUN: %opt -passes=gridspan-managed -S %s | FileCheck %s
; RUN: %opt -passes='gridspan-managed,gridspan-device' -S %s -o /dev/null
;
; CHECK-DAG: @counter = addrspace(4) externally_initialized constant ptr null, align 8
; CHECK-DAG: @inlined = weak_odr addrspace(4) externally_initialized constant ptr null
; CHECK-DAG: @own = internal addrspace(1) global i32 4
; CHECK-DAG: @plain = addrspace(1) externally_initialized global i32 1
; CHECK-DAG: @llvm.compiler.used = {{.*}}@counter
; CHECK-DAG: @llvm.global.annotations = {{.*}}[1 x {{.*}}@own
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%mixed = type { i8, [2 x float], ptr, i1 }
@text = private constant [17 x i8] c"gridspan.managed\00", section "llvm.metadata"
@file = private constant [5 x i8] c"a.cu\00", section "llvm.metadata"
@counter = addrspace(1) externally_initialized global i32 258
@mixed = addrspace(1) externally_initialized global %mixed { i8 1, [2 x float] [float 1.0, float 0.0], ptr null, i1 true }
@inlined = linkonce_odr addrspace(1) externally_initialized global [100 x i16] zeroinitializer
@own = internal addrspace(1) global i32 4
@plain = addrspace(1) externally_initialized global i32 1
@llvm.global.annotations = appending global [4 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @counter to ptr), ptr @text, ptr @file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @mixed to ptr), ptr @text, ptr @file, i32 2, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @inlined to ptr), ptr @text, ptr @file, i32 3, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @own to ptr), ptr @text, ptr @file, i32 4, ptr null }], section "llvm.metadata"
@llvm.compiler.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr), ptr addrspacecast (ptr addrspace(1) @plain to ptr)], section "llvm.metadata"

; CHECK-LABEL: define void @kernel
; CHECK: %[[INLINED:.*]] = load ptr, ptr addrspace(4) @inlined, align 8, !invariant.load !{{[0-9]+}}, !nonnull
; CHECK: addrspacecast ptr %[[INLINED]] to ptr addrspace(1)
; CHECK-NOT: load ptr, ptr addrspace(4) @counter{{.*}}load ptr, ptr addrspace(4) @counter
; CHECK: getelementptr
; CHECK: ret void
define void @kernel(i1 %c, i64 %i) {
entry:
  %v = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr)
  br i1 %c, label %then, label %join
then:
  store i32 %v, ptr addrspace(1) @counter
  br label %join
join:
  %p = phi ptr [ addrspacecast (ptr addrspace(1) @counter to ptr), %entry ], [ addrspacecast (ptr addrspace(1) @own to ptr), %then ]
  store i32 1, ptr %p
  %e = getelementptr [100 x i16], ptr addrspace(1) @inlined, i64 0, i64 %i
  store i16 3, ptr addrspace(1) %e
  ret void
}

; CHECK: !gridspan.managed = !{![[A:[0-9]+]], ![[B:[0-9]+]], ![[C:[0-9]+]]}
; CHECK-DAG: ![[A]] = !{!"counter", i64 4, !"\02\01\00\00"}
; CHECK-DAG: ![[B]] = !{!"mixed", i64 32, !"\01\00\00\00\00\00\80?\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00"}
; CHECK-DAG: ![[C]] = !{!"inlined", i64 200, !""}

!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
