; Host code asks for the addresses of __managed__ variables, and registers
; descriptors in place of clang's shadows. Initializers with such addresses are
; completed by a constructor. A variable of which the device code knows nothing
; is an error if the host uses it.
;
; RUN: rm -rf %t
; RUN: split-file %s %t
; RUN: cp -r %S/Inputs %t/Inputs
; RUN: %frame %t/good.ll | %opt -passes=gridspan-host -S | FileCheck %t/good.ll
; RUN: %frame %t/unknown.ll | not %opt -passes=gridspan-host -S -o /dev/null 2>&1 | FileCheck %t/unknown.ll

;--- good.ll
target triple = "x86_64-pc-linux-gnu"

; FATBIN @Fatbin: Inputs/managed.json
@text = private constant [17 x i8] c"gridspan.managed\00", section "llvm.metadata"
@NameA = private unnamed_addr constant [8 x i8] c"counter\00"
@NameB = private unnamed_addr constant [6 x i8] c"table\00"
@NameC = private unnamed_addr constant [6 x i8] c"plain\00"
@counter = internal global i32 undef, align 4
@table = internal global [100 x float] undef, align 4
@plain = internal global i32 undef, align 4
@places = constant { i32, [2 x ptr] } { i32 5, [2 x ptr] [ptr @plain, ptr getelementptr (i8, ptr @table, i64 8)] }
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @counter, ptr @text, ptr @text, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @table, ptr @text, ptr @text, i32 1, ptr null }], section "llvm.metadata"

; CHECK-NOT: @counter =
; CHECK-DAG: @places = global { i32, [2 x ptr] } { i32 5, [2 x ptr] [ptr @plain, ptr null] }
; CHECK-DAG: @__gridspan_initial_counter = internal constant [4 x i8] c"\02\01\00\00"
; CHECK-DAG: @__gridspan_managed_counter = internal global { ptr, ptr, ptr, ptr, i64 } { ptr null, ptr @__gridspan_shadow_counter, ptr @{{.*}}, ptr @__gridspan_initial_counter, i64 4 }
; CHECK-DAG: @__gridspan_managed_table = internal global { ptr, ptr, ptr, ptr, i64 } { ptr null, ptr @__gridspan_shadow_table, ptr @{{.*}}, ptr null, i64 400 }
; CHECK-NOT: @llvm.global.annotations

; CHECK-LABEL: define internal void @__cuda_register_globals
; CHECK-DAG: call void @__gridspan_register_managed(ptr %0, ptr @__gridspan_managed_counter)
; CHECK-DAG: call void @__gridspan_register_managed(ptr %0, ptr @__gridspan_managed_table)
; CHECK-DAG: call void @__gridspan___cudaRegisterVar(ptr %0, ptr @plain, ptr @NameC
; CHECK: ret void
define internal void @__cuda_register_globals(ptr %0) {
  call void @__cudaRegisterVar(ptr %0, ptr @counter, ptr @NameA, ptr @NameA, i32 0, i64 4, i32 0, i32 0)
  call void @__cudaRegisterVar(ptr %0, ptr @table, ptr @NameB, ptr @NameB, i32 0, i64 400, i32 0, i32 0)
  call void @__cudaRegisterVar(ptr %0, ptr @plain, ptr @NameC, ptr @NameC, i32 0, i64 4, i32 0, i32 0)
  ret void
}

; CHECK-LABEL: define ptr @uses(
; CHECK: entry:
; CHECK: %[[EDGE:.*]] = call ptr @__gridspan_managed_address(ptr @__gridspan_managed_counter)
; CHECK: switch
; CHECK: phi ptr [ %[[EDGE]], %entry ], [ %[[EDGE]], %entry ], [ %{{.*}}, %other ]
; CHECK: %[[AT:.*]] = call ptr @__gridspan_managed_address(ptr @__gridspan_managed_counter)
; CHECK: store i32 1, ptr %[[AT]]
; CHECK: ret ptr
define ptr @uses(i32 %n) {
entry:
  switch i32 %n, label %other [ i32 1, label %join
                                i32 2, label %join ]
other:
  br label %join
join:
  %p = phi ptr [ @counter, %entry ], [ @counter, %entry ], [ getelementptr (i8, ptr @table, i64 4), %other ]
  store i32 1, ptr @counter
  ret ptr %p
}

declare void @__cudaRegisterVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)

; CHECK-LABEL: define internal void @__gridspan_managed_ctor
; CHECK: %[[TABLE:.*]] = call ptr @__gridspan_managed_address(ptr @__gridspan_managed_table)
; CHECK: %[[PLACE:.*]] = getelementptr i8, ptr %[[TABLE]], i64 8
; CHECK: store ptr %[[PLACE]], ptr getelementptr inbounds (i8, ptr @places, i64 16)
; CHECK: declare nonnull ptr @__gridspan_managed_address(ptr) #[[ATTRIBUTES:[0-9]+]]
; CHECK-LABEL: define internal void @__gridspan_managed_dtor
; CHECK-DAG: call void @__gridspan_unregister_managed(ptr @__gridspan_managed_counter)
; CHECK-DAG: call void @__gridspan_unregister_managed(ptr @__gridspan_managed_table)
; CHECK: attributes #[[ATTRIBUTES]] = { nounwind willreturn memory(none) }

;--- unknown.ll
target triple = "x86_64-pc-linux-gnu"

; FATBIN @Fatbin: Inputs/managed.json
; CHECK: the __managed__ variable lost is unknown to the device code
; CHECK-NOT: unused
@text = private constant [17 x i8] c"gridspan.managed\00", section "llvm.metadata"
@Name = private unnamed_addr constant [5 x i8] c"lost\00"
@lost = internal global i32 undef, align 4
@unused = internal global i32 undef, align 4
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @lost, ptr @text, ptr @text, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @unused, ptr @text, ptr @text, i32 1, ptr null }], section "llvm.metadata"
define internal void @__cuda_register_globals(ptr %0) {
  call void @__cudaRegisterVar(ptr %0, ptr @lost, ptr @Name, ptr @Name, i32 0, i64 4, i32 0, i32 0)
  ret void
}
define void @use() {
  store i32 1, ptr @lost
  ret void
}
declare void @__cudaRegisterVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)
