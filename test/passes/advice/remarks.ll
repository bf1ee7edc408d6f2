; Remarks for what could cost less, once for each place; data for everything.
; RUN: %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-block=32x8 -gridspan-grid=1 \
; RUN:   -pass-remarks-analysis=gridspan -gridspan-advice=%t.json 2>&1 \
; RUN:   | FileCheck %s
; RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
; Neither asked for: no output, no change.
; RUN: %opt -passes=gridspan-advice -S %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=NONE
; In the record of optimizations.
; RUN: %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -pass-remarks-output=%t.yaml
; RUN: FileCheck %s --check-prefix=YAML --input-file=%t.yaml
; RUN: not %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-advice=%t.dir/none/x.json 2>&1 \
; RUN:   | FileCheck %s --check-prefix=FAIL

; CHECK: remark: k.cu:3:5: kernel columns: store of 4 bytes to x takes 32.0 sectors of 32 bytes a warp, 4.0 would do: neighbouring elements are in neighbouring threadIdx.y
; CHECK: remark: k.cu:4:5: kernel columns: load of 4 bytes from tile takes 32.0 passes over the banks a warp, 1.0 would do: pad the rows
; CHECK-NOT: remark
; NONE-NOT: gridspan.site
; NONE-NOT: remark:
; YAML: --- !Analysis
; YAML-NEXT: Pass:            gridspan
; YAML-NEXT: Name:            uncoalesced-access
; YAML-NEXT: DebugLoc:        { File: k.cu, Line: 3, Column: 5 }
; FAIL: error: cannot write {{.*}}x.json

; JSON: "assumptions": [
; JSON: "name": "loop_trips",
; JSON-NEXT: "text": "iterations of a loop whose trip count is not known",
; JSON-NEXT: "value": 16
; JSON: "kernels": [
; JSON: "block": [
; JSON: "mangled": "columns"
; JSON: "advice": "neighbouring elements
; JSON: "class": "uncoalesced"
; JSON: "column": 5
; JSON: "exact": true
; JSON: "file": "k.cu"
; JSON: "lane_stride": "(sext64(arg1) * 4)"
; JSON: "line": 3
; JSON: "rule": "uncoalesced-access"
; JSON: "space": "global"
; JSON: "rule": "bank-conflicts"
; JSON: "mangled": "gather"
; JSON: "unknown": "loaded from memory"
; JSON: "source": "k.cu"
; JSON: "tool": "gridspan"
; JSON: "version": 1

source_filename = "k.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x [32 x float]] undef, align 4

define ptx_kernel void @columns(ptr %x, i32 %n) !dbg !4 {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %tx, %n
  %i = add i32 %row, %ty
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p, align 4, !dbg !6
  %x64 = zext i32 %tx to i64
  %y64 = zext i32 %ty to i64
  %c = getelementptr [32 x [32 x float]], ptr addrspace(3) @tile, i64 0, i64 %x64, i64 %y64
  %d = getelementptr float, ptr addrspace(3) %c, i64 8
  %a = load volatile float, ptr addrspace(3) %c, align 4, !dbg !7
  %b = load volatile float, ptr addrspace(3) %d, align 4, !dbg !7
  ret void
}

define ptx_kernel void @gather(ptr %index, ptr %x) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tx to i64
  %p = getelementptr i32, ptr %index, i64 %wide
  %i = load i32, ptr %p, align 4
  %to = sext i32 %i to i64
  %q = getelementptr float, ptr %x, i64 %to
  store float 0.0, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "columns", scope: !1, file: !1, line: 1, type: !5, unit: !0)
!5 = !DISubroutineType(types: !{null})
!6 = !DILocation(line: 3, column: 5, scope: !4)
!7 = !DILocation(line: 4, column: 5, scope: !4)
