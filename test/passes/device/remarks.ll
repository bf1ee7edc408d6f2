; RUN: %opt -passes=gridspan-device -pass-remarks=gridspan -pass-remarks-missed=gridspan -disable-output %s 2>&1 | FileCheck %s
; What can be split and what cannot, at the kernel or at the place.

; CHECK: remark: a.cu:5:0: kernel good can be split over devices:
; CHECK: remark: a.cu:12:3: kernel bad cannot be split: it calls through a function pointer at a.cu:12:3

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(4) externally_initialized global i32 7, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

define void @good(ptr %p) !dbg !4 {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %o = atomicrmw add ptr %p, i32 %b seq_cst
  ret void
}

define void @bad(ptr %f) !dbg !7 {
  call void %f(), !dbg !8
  ret void
}

!nvvm.annotations = !{!0, !9, !10}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!0 = !{ptr @good, !"kernel", i32 1}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "a.cu", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "good", scope: !2, file: !2, line: 5, scopeLine: 5, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = distinct !DISubprogram(name: "bad", scope: !2, file: !2, line: 11, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 12, column: 3, scope: !7)
!9 = !{ptr @bad, !"kernel", i32 1}
!10 = !{ptr @bad, !"maxntidx", i32 64}
