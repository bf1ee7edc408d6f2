; RUN: %opt -passes=gridspan-device -pass-remarks-missed=gridspan -disable-output %s 2>&1 | FileCheck %s
; What keeps launches on memory larger than the devices from being streamed: all
; memory, or one argument, and the first access that shows it.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-NOT: stream
; CHECK: remark: {{.*}}: kernel gather cannot stream argument 2 (a): what a block accesses is not known (loaded from memory)
; CHECK-NOT: stream
; Indices from constant memory are looked up by no launch.
@Index = addrspace(4) externally_initialized global [64 x i32] zeroinitializer
define void @gather(ptr %out, ptr %a) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b64 = zext i32 %b to i64
  %p = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @Index to ptr), i64 %b64
  %i = load i32, ptr %p
  %i64 = sext i32 %i to i64
  %q = getelementptr float, ptr %a, i64 %i64
  %v = load float, ptr %q
  %o = getelementptr float, ptr %out, i64 %b64
  store float %v, ptr %o
  ret void
}

; CHECK: remark: {{.*}}: kernel count cannot stream argument 1 (bins): it has atomics at places that are not known (loaded from memory)
; CHECK-NOT: stream
define void @count(ptr %bins) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b64 = zext i32 %b to i64
  %p = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @Index to ptr), i64 %b64
  %i = load i32, ptr %p
  %i64 = sext i32 %i to i64
  %q = getelementptr i32, ptr %bins, i64 %i64
  %old = atomicrmw add ptr %q, i32 1 seq_cst
  ret void
}

; CHECK: remark: {{.*}}: kernel escape cannot stream argument 1 (kept): it does more with the pointer than access memory
; CHECK-NOT: stream
define void @escape(ptr %kept, ptr %out) {
  %v = load float, ptr %kept
  store float %v, ptr %out
  %n = ptrtoint ptr %kept to i64
  %o = getelementptr i8, ptr %out, i64 8
  store i64 %n, ptr %o
  ret void
}

; CHECK: remark: {{.*}}: kernel field cannot stream the pointer at byte 8 of argument 1 (s): it does more with the pointer than access memory
; CHECK-NOT: stream
%S = type { i64, ptr }
define void @field(ptr byval(%S) %s, ptr %out) {
  %f = getelementptr i8, ptr %s, i64 8
  %p = load ptr, ptr %f
  %v = load float, ptr %p
  store ptr %p, ptr %out
  ret void
}

; CHECK: remark: {{.*}}: kernel follow cannot be streamed: it accesses memory through pointers that are no arguments at a.cu:7:3 (
; CHECK-NOT: stream
define void @follow(ptr %table, ptr %out) !dbg !6 {
  %p = load ptr, ptr %table
  %v = load float, ptr %p, !dbg !8
  store float %v, ptr %out
  ret void
}

; All is known.
define void @copy(ptr %in, ptr %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b64 = zext i32 %b to i64
  %p = getelementptr float, ptr %in, i64 %b64
  %v = load float, ptr %p
  %q = getelementptr float, ptr %out, i64 %b64
  store float %v, ptr %q
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5}
!llvm.dbg.cu = !{!9}
!llvm.module.flags = !{!11}
!0 = !{ptr @gather, !"kernel", i32 1}
!1 = !{ptr @count, !"kernel", i32 1}
!2 = !{ptr @escape, !"kernel", i32 1}
!3 = !{ptr @field, !"kernel", i32 1}
!4 = !{ptr @follow, !"kernel", i32 1}
!5 = !{ptr @copy, !"kernel", i32 1}
!6 = distinct !DISubprogram(name: "follow", scope: !10, file: !10, line: 5, type: !7, unit: !9, spFlags: DISPFlagDefinition)
!7 = !DISubroutineType(types: !{})
!8 = !DILocation(line: 7, column: 3, scope: !6)
!9 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !10, emissionKind: LineTablesOnly)
!10 = !DIFile(filename: "a.cu", directory: "/")
!11 = !{i32 2, !"Debug Info Version", i32 3}
