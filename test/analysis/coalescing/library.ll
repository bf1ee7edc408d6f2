; The program cannot change the code of a library: accesses in CUB or Thrust, or in
; one of their kernels, are counted and not advised on.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 2>&1 | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel own,
; CHECK-NEXT: load 4 of arg0: uncoalesced
; CHECK-NEXT: 2 accesses use 6% of structs of 64 bytes in arg0
; CHECK-NEXT: load 4 of arg0: uncoalesced
; CHECK-NEXT: kernel _ZN3cub4loadEPf,
define ptx_kernel void @own(ptr %x) !dbg !5 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr [16 x float], ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4, !dbg !8
  %w = load volatile float, ptr %p, align 4, !dbg !9
  ret void
}

; CHECK-NEXT: load 4 of arg0: uncoalesced
; CHECK-NOT: are used
define ptx_kernel void @_ZN3cub4loadEPf(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr [16 x float], ptr %x, i64 %wide
  %v = load volatile float, ptr %p, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !DIFile(filename: "/include/cccl/cub/block/block_load.cuh", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !7)
!5 = distinct !DISubprogram(name: "own", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "Load", scope: !2, file: !2, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!7 = !{}
!8 = !DILocation(line: 3, column: 5, scope: !5)
!9 = !DILocation(line: 9, column: 5, scope: !6, inlinedAt: !10)
!10 = distinct !DILocation(line: 4, column: 5, scope: !5)
