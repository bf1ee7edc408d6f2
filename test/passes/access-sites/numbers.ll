; RUN: %opt -passes=gridspan-sites -S %s | FileCheck %s
; RUN: %opt -passes='gridspan-sites,print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=SUMMARY
; RUN: %opt -passes=gridspan-device -S %s | FileCheck %s --check-prefix=CLONE
; Every instruction that may touch global memory has a number in the module; the
; summary uses it, and the tiled clone keeps it.

; CHECK-LABEL: define void @helper
; CHECK: store i32 1, ptr %p, align 4, !gridspan.site ![[#ZERO:]]
; CHECK-LABEL: define void @k
; CHECK: store i32 2, ptr addrspace(3) @shared, align 4{{$}}
; CHECK: %w = load i32, ptr addrspacecast (ptr addrspace(4) @constant to ptr), align 4{{$}}
; CHECK: %v = load i32, ptr %p, align 4, {{.*}}!gridspan.site ![[#ONE:]]
; CHECK: call void @helper(ptr %p), !gridspan.site ![[#TWO:]]
; CHECK-DAG: ![[#ZERO]] = !{i32 0}
; CHECK-DAG: ![[#ONE]] = !{i32 1}
; CHECK-DAG: ![[#TWO]] = !{i32 2}

; SUMMARY: read 4 bytes at 0 (exact) [site 1, a.cu:7:3]
; SUMMARY: write: unknown, call of helper, not inlined [site 2]

; CLONE-LABEL: define void @k__gridspan
; CLONE: load i32, ptr %p, align 4, {{.*}}!gridspan.site

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global i32 undef
@constant = addrspace(4) externally_initialized global i32 0

define void @helper(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define void @k(ptr %p) !dbg !4 {
  store i32 2, ptr addrspace(3) @shared
  %w = load i32, ptr addrspacecast (ptr addrspace(4) @constant to ptr)
  %v = load i32, ptr %p, !dbg !7
  call void @helper(ptr %p)
  ret void
}

!nvvm.annotations = !{!0}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "a.cu", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", scope: !2, file: !2, line: 5, scopeLine: 5, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 7, column: 3, scope: !4)
