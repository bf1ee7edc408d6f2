; RUN: %opt -passes='gridspan-sites,print<gridspan-records>' -disable-output %s 2>&1 | FileCheck %s
; Fields of records, by the accesses of all kernels together, and who gains.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

%particle = type { float, float, float, double, i32, [3 x i16] }
%view = type { ptr, i64 }

; Neighbouring lanes, neighbouring records of 40 bytes.
; CHECK-LABEL: kernel neighbours:
; CHECK-NEXT: pointer 0 (parameter 0, byte 0): 40 bytes, fields at 0, 4, 8, 16, 24, 32, gains, saves 48
define void @neighbours(ptr %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %j = sext i32 %i to i64
  %x = getelementptr inbounds %particle, ptr %p, i64 %j
  %y = getelementptr inbounds %particle, ptr %p, i64 %j, i32 1
  %mass = getelementptr inbounds %particle, ptr %p, i64 %j, i32 3
  %v = load float, ptr %x, align 8
  store float %v, ptr %y, align 4
  store double 1.0, ptr %mass, align 8
  ret void
}

; The pointer is a field of a struct; a pointer that steps by a record; one
; access to two fields.
; CHECK-LABEL: kernel steps:
; CHECK-NEXT: pointer 0 (parameter 0, byte 0): 40 bytes, fields at 0, 4, 8, 16, 24, 32{{$}}
define void @steps(ptr byval(%view) align 8 %v, i32 %n) {
entry:
  %p = load ptr, ptr %v, align 8
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %field = getelementptr inbounds i8, ptr %at, i64 24
  store i64 0, ptr %field, align 8
  %next = getelementptr inbounds i8, ptr %at, i64 40
  %more = add i32 %i, 1
  %again = icmp ult i32 %more, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Records that are apart, by an index from memory.
; CHECK-LABEL: kernel gathers:
; CHECK-NEXT: pointer 0 (parameter 0, byte 0): 40 bytes, {{.*}}, loses
define void @gathers(ptr %p, ptr %index, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = sext i32 %t to i64
  %at = getelementptr inbounds i32, ptr %index, i64 %j
  %k = load i32, ptr %at, align 4
  %l = sext i32 %k to i64
  %x = getelementptr inbounds %particle, ptr %p, i64 %l
  %y = getelementptr inbounds %particle, ptr %p, i64 %l, i32 1
  %a = load float, ptr %x, align 8
  %b = load float, ptr %y, align 4
  %s = fadd float %a, %b
  %to = getelementptr inbounds float, ptr %out, i64 %j
  store float %s, ptr %to, align 4
  ret void
}

; Fields that are chosen at run time, all of one size.
; CHECK-LABEL: kernel chooses:
; CHECK-NEXT: pointer 0 (parameter 0, byte 0): 20 bytes, fields at 0, 4, 8, 12, 16
define void @chooses(ptr %p, i32 %field) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = sext i32 %t to i64
  %f = zext i32 %field to i64
  %x = getelementptr inbounds [5 x float], ptr %p, i64 %j, i64 %f
  store float 0.0, ptr %x, align 4
  ret void
}

; Elements of one field are no records.
; CHECK-LABEL: kernel plain:
; CHECK-NOT: pointer
define void @plain(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j = sext i32 %t to i64
  %x = getelementptr inbounds float, ptr %p, i64 %j
  store float 0.0, ptr %x, align 4
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @neighbours, !"kernel", i32 1}
!1 = !{ptr @steps, !"kernel", i32 1}
!2 = !{ptr @gathers, !"kernel", i32 1}
!3 = !{ptr @chooses, !"kernel", i32 1}
!4 = !{ptr @plain, !"kernel", i32 1}
