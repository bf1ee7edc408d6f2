; Range functions are straight-line code over the live nodes, shared nodes once,
; slots used again; what depends on the launch alone is a number until it meets a
; set; what has no expression is stored as unknown.
; RUN: %frame %s | %opt -passes=gridspan-host -S | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; FATBIN @Fatbin: Inputs/saxpy.json
@Name = private unnamed_addr constant [6 x i8] c"saxpy\00", align 1

define void @__device_stub__saxpy() {
  ret void
}

define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__saxpy, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)

; CHECK-LABEL: define internal void @__gridspan_ranges_saxpy(ptr %0, ptr %1)
; CHECK-COUNT-4: alloca [128 x i8], align 8
; CHECK-NOT: alloca
; CHECK: call void @__gridspan_range_BlockIdx(ptr %[[B:.+]], ptr %0, i32 0)
; CHECK-NEXT: %[[DIM:.+]] = getelementptr inbounds i8, ptr %0, i64 20
; CHECK-NEXT: %[[D:.+]] = load i32, ptr %[[DIM]], align 4
; CHECK-NEXT: call void @__gridspan_range_ThreadIdx(ptr %[[T:.+]], ptr %0, i32 0)
; CHECK-NEXT: %[[WIDE:.+]] = sext i32 %[[D]] to i64
; CHECK-NEXT: call void @__gridspan_range_Const(ptr %[[DS:.+]], i32 32, i64 %[[WIDE]])
; CHECK-NEXT: call void @__gridspan_range_Mul(ptr %[[M:.+]], ptr %[[B]], ptr %[[DS]])
; CHECK-NEXT: call void @__gridspan_range_Add(ptr %[[I:.+]], ptr %[[M]], ptr %[[T]])
; CHECK: %[[N:.+]] = load i32, ptr %{{.*}}, align 1
; CHECK-NEXT: %[[NW:.+]] = sext i32 %[[N]] to i64
; CHECK-NEXT: call void @__gridspan_range_Const(ptr %[[NS:.+]], i32 32, i64 %[[NW]])
; CHECK-NEXT: call void @__gridspan_range_Assume(ptr %[[G:.+]], ptr %[[I]], ptr %[[NS]], i32 40)
; CHECK-NEXT: call void @__gridspan_range_SExt(ptr %[[S:.+]], ptr %[[G]], i32 64)
; CHECK-NEXT: call void @__gridspan_range_Const(ptr %[[C:.+]], i32 64, i64 4)
; CHECK-NEXT: call void @__gridspan_range_Mul(ptr %[[O:.+]], ptr %[[S]], ptr %[[C]])
; CHECK: call void @__gridspan_range_finish(ptr %{{.*}}, ptr %[[O]], ptr null, i32 4, i32 1)
; CHECK: %[[SECOND:.+]] = getelementptr inbounds i8, ptr %1, i64 56
; CHECK-NEXT: call void @__gridspan_range_finish(ptr %[[SECOND]], ptr %[[O]], ptr null, i32 4, i32 1)
; CHECK: %[[THIRD:.+]] = getelementptr inbounds i8, ptr %1, i64 160
; CHECK-NEXT: store i32 3, ptr %[[THIRD]]
; CHECK-NEXT: ret void

; CHECK-LABEL: define internal double @__gridspan_work_saxpy(ptr %0)
; CHECK: call void @__gridspan_range_Const(ptr %[[N:.+]], i32 32, i64 %{{.*}})
; CHECK-NEXT: %[[MEAN:.+]] = call double @__gridspan_range_mean(ptr %[[N]])
; CHECK-NEXT: %[[LOOP:.+]] = fmul double 3.000000e+00, %[[MEAN]]
; CHECK-NEXT: %[[SUM:.+]] = fadd double 1.200000e+01, %[[LOOP]]
; CHECK-NEXT: %[[THREADS:.+]] = call double @__gridspan_range_threads(ptr %0)
; CHECK-NEXT: %[[WORK:.+]] = fmul double %[[SUM]], %[[THREADS]]
; CHECK-NEXT: ret double %[[WORK]]
; CHECK-LABEL: define internal double @__gridspan_atomics_saxpy(ptr %0)
; CHECK: call void @__gridspan_range_Const(ptr %[[N:.+]], i32 32, i64 %{{.*}})
; CHECK-NEXT: %[[MEAN:.+]] = call double @__gridspan_range_mean(ptr %[[N]])
; CHECK-NEXT: %[[ATOMICS:.+]] = fmul double 5.000000e-01, %[[MEAN]]
