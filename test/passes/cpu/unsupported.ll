; An instruction without a rule is a warning, and its kernels have no code but the
; reason; others have.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARN < %t

target triple = "nvptx64-nvidia-cuda"

; WARN: warning: a.cu:7:3: in function {{.*}}: 'llvm.nvvm.setmaxnreg.inc.sync.aligned.u32' at a.cu:7:3 is not supported on the CPU device
; WARN: inline assembly 'wgmma.fence.sync.aligned;' is not supported on the CPU device
; WARN: variable 'elsewhere' of another file is not supported on the CPU device
; WARN-NOT: warning

; CHECK-DAG: c"'llvm.nvvm.setmaxnreg.inc.sync.aligned.u32' at a.cu:7:3 is not supported\00"
; CHECK-DAG: @a.cpu = constant {{.*}} { ptr null, ptr null, ptr @__gridspan_str{{[.0-9]*}}, ptr null, ptr null, i64 0,
; CHECK-DAG: @b.cpu = constant {{.*}} { ptr null, ptr null, ptr @__gridspan_str{{[.0-9]*}}, ptr null, ptr null, i64 0,
; CHECK-DAG: @c.cpu = constant {{.*}} { ptr @__gridspan_cpu.run.c, ptr null, ptr null, ptr null, ptr null, i64 0,
; CHECK-DAG: @d.cpu = constant {{.*}} { ptr null, ptr null, ptr @__gridspan_str{{[.0-9]*}}, ptr null, ptr null, i64 0,
; CHECK-NOT: wgmma.fence.sync.aligned;",

@elsewhere = external addrspace(1) global i32

define void @f(ptr %p) !dbg !5 {
  call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 96), !dbg !8
  ret void
}
define void @a(ptr %p) {
  call void @f(ptr %p)
  ret void
}
define void @b() {
  call void asm sideeffect "wgmma.fence.sync.aligned;", ""()
  ret void
}
define void @c() {
  ret void
}
define void @d(ptr %p) {
  %v = load i32, ptr addrspace(1) @elsewhere
  store i32 %v, ptr %p
  ret void
}

declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 immarg)

!nvvm.annotations = !{!0, !1, !2, !9}
!llvm.dbg.cu = !{!3}
!llvm.module.flags = !{!10}
!0 = !{ptr @a, !"kernel", i32 1}
!1 = !{ptr @b, !"kernel", i32 1}
!2 = !{ptr @c, !"kernel", i32 1}
!3 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !4, emissionKind: LineTablesOnly)
!4 = !DIFile(filename: "a.cu", directory: "/")
!5 = distinct !DISubprogram(name: "f", file: !4, line: 6, type: !6, unit: !3, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 7, column: 3, scope: !5)
!9 = !{ptr @d, !"kernel", i32 1}
!10 = !{i32 2, !"Debug Info Version", i32 3}
