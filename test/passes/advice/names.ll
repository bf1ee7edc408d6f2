; Parameters and fields of structs have the names of the source: from debug
; information, else from the IR. Data keeps the numbers.
; RUN: %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-block=32 -gridspan-grid=1 -gridspan-kernel=columns \
; RUN:   -pass-remarks-analysis=gridspan -gridspan-advice=%t.json 2>&1 \
; RUN:   | FileCheck %s
; RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
; RUN: gridspan-advice %t.json | FileCheck %s --check-prefix=TEXT

; CHECK: kernel columns_ir: store of 4 bytes to x takes 32.0 sectors
; CHECK: kernel columns_field: store of 4 bytes to grid.cells takes 32.0 sectors
; CHECK: kernel columns_bare: store of 4 bytes to arg0 takes 32.0 sectors
; JSON: "base": "arg0",
; JSON: "message": "store of 4 bytes to x takes
; JSON: "mangled": "columns_field"
; JSON: "names": {
; JSON-NEXT: "arg0": "grid.size.pitch",
; JSON-NEXT: "arg0+8": "grid.cells"
; JSON-NEXT: }
; JSON: "base": "arg0+8",
; JSON: "mangled": "columns_bare"
; JSON: "names": {}
; TEXT: kernel columns_field of names.cu: 1 block of 32 threads, grid.size.pitch = {{[0-9]+}} (assumed: grid.size.pitch)

source_filename = "names.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%grid = type { i32, i32, ptr }

define ptx_kernel void @columns_ir(ptr %x.coerce) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %far = mul i32 %t, 1024
  %wide = sext i32 %far to i64
  %p = getelementptr float, ptr %x.coerce, i64 %wide
  store float 0.0, ptr %p, align 4
  ret void
}

define ptx_kernel void @columns_field(ptr byval(%grid) align 8 %g) !dbg !3 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pitch = load i32, ptr %g, align 8
  %far = mul i32 %t, %pitch
  %wide = sext i32 %far to i64
  %at = getelementptr i8, ptr %g, i64 8
  %cells = load ptr, ptr %at, align 8
  %p = getelementptr float, ptr %cells, i64 %wide
  store float 0.0, ptr %p, align 4
  ret void
}

define ptx_kernel void @columns_bare(ptr %0) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %far = mul i32 %t, 1024
  %wide = sext i32 %far to i64
  %p = getelementptr float, ptr %0, i64 %wide
  store float 0.0, ptr %p, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "names.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "columns_field", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !6)
!4 = !DISubroutineType(types: !5)
!5 = !{null, !8}
!6 = !{!7}
!7 = !DILocalVariable(name: "grid", arg: 1, scope: !3, file: !1, line: 1, type: !8)
!8 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !9)
!9 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Grid", file: !1, size: 128, elements: !10)
!10 = !{!11, !12}
!11 = !DIDerivedType(tag: DW_TAG_member, name: "size", scope: !9, baseType: !13, size: 64)
!12 = !DIDerivedType(tag: DW_TAG_member, name: "cells", scope: !9, baseType: !17, size: 64, offset: 64)
!13 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Size", file: !1, size: 64, elements: !14)
!14 = !{!15, !16}
!15 = !DIDerivedType(tag: DW_TAG_member, name: "pitch", scope: !13, baseType: !18, size: 32)
!16 = !DIDerivedType(tag: DW_TAG_member, name: "rows", scope: !13, baseType: !18, size: 32, offset: 32)
!17 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !18, size: 64)
!18 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
