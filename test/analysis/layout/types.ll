; Whose a struct type is: vector types are aligned as they should be, also where a
; kernel only loads a field that does not show it; types of libraries stay as they
; are; a struct that is filled up is aligned to what it is filled up to; one of a
; header is shared with those who include it.
; RUN: %opt -passes='print<gridspan-layout>' -disable-output %s \
; RUN:   -gridspan-grid=65536 2>&1 | FileCheck %s
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-grid=64 2>&1 | FileCheck %s --check-prefix=SITES

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@__coefficients = internal addrspace(1) global [4096 x float] undef, align 4

%struct.int4 = type { i32, i32, i32, i32 }
%struct.curandStateXORWOW = type { i32, [5 x i32], i32, i32, float, double }
%struct.Filled = type { float, float, float, [4 x i8] }
%struct.Particle = type { float, float, float, float, float, float, float, float }

; CHECK-LABEL: kernel vector,
; CHECK-NEXT: array arg0 (struct.int4), 16 bytes, fields 4:4
; CHECK-NOT: aligned
; CHECK: stays: vector-type, it is a vector type of CUDA
; SITES-LABEL: kernel vector,
; SITES-NEXT: load 4 of arg0: partial
; SITES-NEXT: 25% of each 16 bytes of arg0 are used: keep these in an array of their own
define ptx_kernel void @vector(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.int4, ptr %x, i64 %wide, i32 1
  %v = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %out, i64 %wide
  store i32 %v, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel library,
; CHECK-NEXT: array arg0 (struct.curandStateXORWOW), 48 bytes
; CHECK: stays: library-type, its type belongs to a library
; SITES-LABEL: kernel library,
; SITES-NEXT: load 4 of arg0: uncoalesced
; SITES-NEXT: store 4 of arg1
define ptx_kernel void @library(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.curandStateXORWOW, ptr %x, i64 %wide, i32 0
  %v = load i32, ptr %p, align 8
  %q = getelementptr i32, ptr %out, i64 %wide
  store i32 %v, ptr %q, align 4
  ret void
}

; A table of the compiler's own library.
; CHECK-LABEL: kernel table,
; CHECK-NEXT: array __coefficients, 64 bytes
; CHECK: stays: library-type, its type belongs to a library
; SITES-LABEL: kernel table,
; SITES-NEXT: load 4 of __coefficients: uncoalesced
; SITES-NEXT: store 4 of arg0
define ptx_kernel void @table(ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr [16 x float], ptr addrspace(1) @__coefficients, i64 %wide
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel filled,
; CHECK-NEXT: array arg0 (struct.Filled), 16 bytes, fields 4:4
; CHECK-NEXT: aos {{[^,]*}}, soa
define ptx_kernel void @filled(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.Filled, ptr %x, i64 %wide, i32 1
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel header,
; CHECK-NEXT: array arg0 (struct.Particle), 32 bytes, fields 8:4
; CHECK: make it a struct of arrays: {{.*}}; the struct is declared in particle.h:7: host code that fills or reads the records changes with it
define ptx_kernel void @header(ptr %x, ptr %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %wide = sext i32 %i to i64
  %p = getelementptr %struct.Particle, ptr %x, i64 %wide, i32 2
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %out, i64 %wide
  store float %v, ptr %q, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug, retainedTypes: !3)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !DIFile(filename: "particle.h", directory: "/")
!3 = !{!4}
!4 = !DICompositeType(tag: DW_TAG_structure_type, name: "Particle", file: !2, line: 7, size: 256, elements: !5)
!5 = !{}
!6 = !{i32 2, !"Debug Info Version", i32 3}
