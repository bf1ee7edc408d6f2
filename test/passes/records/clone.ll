; The clone for records in other forms: an array for each field, as the last
; parameter says. Only if it is asked for.
; RUN: %opt -passes=gridspan-device -S %s | FileCheck %s --check-prefix=KEEP
; RUN: %opt -passes=gridspan-device,verify -gridspan-layout=apply -gridspan-split=0 \
; RUN:   -pass-remarks=gridspan -pass-remarks-missed=gridspan -S %s 2>%t.err | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK < %t.err
; KEEP-NOT: __formed

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%triple = type { float, i32, i32 }

; REMARK: kernel fields may find the records of argument 1 (p), of 12 bytes, as 3 arrays
; REMARK: kernel chooses may find the records of argument 1 (p), of 20 bytes, as 5 arrays
; REMARK: kernel escapes keeps the order of argument 1 (p): it does more with the pointer than load, store and change fields
; REMARK: kernel table has no clone for records in other forms: it accesses memory through pointers that are no arguments

; A field by its index; an access to two fields in parts; an address that steps,
; by its distance.
; CHECK-LABEL: define void @fields__formed(ptr %p, i64 %i, i32 %n, ptr noundef byval([1 x { ptr, i64, i64 }]) align 8 %formed)
; CHECK: [[BASE:%[0-9]+]] = load ptr, ptr %{{[0-9]+}}, align 8
; CHECK: [[RECORDS:%[0-9]+]] = load i64
; CHECK: [[FIRST:%[0-9]+]] = load i64
; CHECK: [[B4:%[0-9]+]] = mul i64 [[RECORDS]], 4
; CHECK: [[I4:%[0-9]+]] = mul i64 [[FIRST]], 4
; CHECK: [[AT4:%[0-9]+]] = add i64 [[B4]], [[I4]]
; CHECK: [[F1:%field[0-9]*]] = getelementptr i8, ptr [[BASE]], i64 [[AT4]]
; CHECK: [[WAY:%[0-9]+]] = mul i64 %i, 4
; CHECK: [[RECORD:%formed[0-9]*]] = getelementptr i8, ptr [[F1]], i64 [[WAY]]
; CHECK: [[ADDRESS:%formed[0-9]+]] = getelementptr i8, ptr [[RECORD]], i64 4
; CHECK: load i32, ptr [[ADDRESS]], align 4
; CHECK: [[LOW:%[0-9]+]] = load i32, ptr %formed{{[0-9]+}}, align 4
; CHECK: zext i32 [[LOW]] to i64
; CHECK: [[HIGH:%[0-9]+]] = load i32, ptr %formed{{[0-9]+}}, align 4
; CHECK: zext i32 [[HIGH]] to i64
; CHECK: or i64
; CHECK-NOT: load i64
; CHECK: sub i64 {{.*}}, {{.*}}
; CHECK: sdiv exact i64 {{.*}}, 12
; CHECK: store float 1.000000e+00, ptr %formed
define void @fields(ptr %p, i64 %i, i32 %n) {
entry:
  %y = getelementptr %triple, ptr %p, i64 %i
  %next = getelementptr i8, ptr %y, i64 16
  %v = load i32, ptr %next, align 4
  %both = getelementptr i8, ptr %y, i64 4
  %w = load i64, ptr %both, align 4
  %u = trunc i64 %w to i32
  %sum = add i32 %u, %v
  store i32 %sum, ptr %both, align 4
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %step, %loop ]
  %k = phi i32 [ 0, %entry ], [ %more, %loop ]
  store float 1.0, ptr %at, align 4
  %step = getelementptr i8, ptr %at, i64 24
  %more = add i32 %k, 1
  %again = icmp ult i32 %more, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; A field that is chosen: within the record here, so that nothing is divided by
; its size.
; CHECK-LABEL: define void @chooses__formed(
; CHECK-NOT: udiv i64 %{{[0-9]+}}, 20
; CHECK: udiv i64 %{{[0-9]+}}, 4
; CHECK: store float
; Anywhere: the record is a quotient.
; CHECK: udiv i64 %{{[0-9]+}}, 20
; CHECK: store float
; CHECK: ret void
define void @chooses(ptr %p, i64 %i, i8 %f) {
  %low = and i8 %f, 3
  %wide = zext i8 %low to i64
  %x = getelementptr [5 x float], ptr %p, i64 %i, i64 %wide
  store float 0.0, ptr %x, align 4
  %any = sext i8 %f to i64
  %z = getelementptr [5 x float], ptr %p, i64 %i, i64 %any
  store float 0.0, ptr %z, align 4
  ret void
}

; For arguments that do not overlap there is another one, as there is of the
; kernel itself.
; CHECK-LABEL: define void @scales__formed__noalias(
; CHECK: load float, ptr %q, align 4, {{.*}}!invariant.load {{.*}}!noalias
; CHECK: store float %{{.*}}, ptr %formed{{.*}}, !alias.scope {{.*}}, !noalias
define void @scales(ptr %p, ptr %q, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = load float, ptr %q, align 4
  %x = getelementptr %triple, ptr %p, i64 %i
  store float %v, ptr %x, align 4
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Copies of whole records and fills of neighbouring fields are done field by
; field: all is loaded before anything is stored, also from and to memory that
; has no other form, as far as that is aligned.
; CHECK-LABEL: define void @copies__formed(
; CHECK-COUNT-3: load i32, ptr %formed{{[0-9]*}}, align 4
; CHECK-NOT: memcpy
; CHECK: store i32 %{{[0-9]+}}, ptr addrspace(3) %own, align 4
; CHECK-COUNT-2: store i32 %{{[0-9]+}}, ptr addrspace(3) %{{[0-9]+}}, align 4
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: store i32
; CHECK: store i32
; CHECK: store i32
; CHECK: store i32 0, ptr
; CHECK: store i32 0, ptr
; CHECK-NOT: memset
; CHECK: store float
; CHECK: ret void
define void @copies(ptr %p, i64 %i, i64 %j, ptr addrspace(3) %own) {
  %from = getelementptr %triple, ptr %p, i64 %i
  %to = getelementptr %triple, ptr %p, i64 %j
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) align 4 %own, ptr align 4 %from, i64 12, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  %y = getelementptr %triple, ptr %p, i64 %j, i32 1
  call void @llvm.memset.p0.i64(ptr align 4 %y, i8 0, i64 8, i1 false)
  store float 1.0, ptr %from, align 4
  ret void
}

; CHECK-NOT: define {{.*}}@{{escapes|table}}__formed
define void @escapes(ptr %p, ptr %out) {
  store ptr %p, ptr %out
  %y = getelementptr %triple, ptr %p, i64 1, i32 1
  store i32 0, ptr %y
  ret void
}
define void @table(ptr %p, ptr %pointers, i64 %i) {
  %q = load ptr, ptr %pointers
  store i32 0, ptr %q
  %y = getelementptr %triple, ptr %p, i64 %i, i32 1
  store i32 0, ptr %y
  ret void
}

declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5}
!0 = !{ptr @fields, !"kernel", i32 1}
!1 = !{ptr @chooses, !"kernel", i32 1}
!2 = !{ptr @escapes, !"kernel", i32 1}
!3 = !{ptr @table, !"kernel", i32 1}
!4 = !{ptr @scales, !"kernel", i32 1}
!5 = !{ptr @copies, !"kernel", i32 1}
