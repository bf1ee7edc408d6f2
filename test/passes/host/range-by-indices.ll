; Where an offset is unknown but for loaded indices, the range function asks the launch for their
; bounds; what it loads from is the place of a parameter. Without bounds the range is unknown.
; RUN: %frame %s | %opt -passes=gridspan-host -S | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; FATBIN @Fatbin: Inputs/gather.json
@Name = private unnamed_addr constant [7 x i8] c"gather\00", align 1

define void @__device_stub__gather() {
  ret void
}

define internal void @__cuda_register_globals(ptr %0) {
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @__device_stub__gather, ptr @Name, ptr @Name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)

; CHECK-LABEL: define internal void @__gridspan_ranges_gather(ptr %0, ptr %1)
; CHECK: call void @__gridspan_range_ThreadIdx(ptr %[[T:.+]], ptr %0, i32 0)
; CHECK-NEXT: call void @__gridspan_range_ZExt(ptr %[[Z:.+]], ptr %[[T]], i32 64)
; CHECK-NEXT: call void @__gridspan_range_Load(ptr %[[L:.+]], i32 32, ptr %0, i32 1, i32 0, ptr %[[Z]])
; CHECK-NEXT: call void @__gridspan_range_SExt(ptr %[[S:.+]], ptr %[[L]], i32 64)
; CHECK-NEXT: call void @__gridspan_range_Add(ptr %[[O:.+]], ptr %[[S]], ptr %[[S]])
; CHECK: call void @__gridspan_range_finish(ptr %{{.*}}, ptr %[[O]], ptr null, i32 4, i32 0)
; CHECK: call void @__gridspan_range_need(ptr %{{.*}}, ptr %[[L]])
; CHECK-NOT: store i32 3
; CHECK: ret void
