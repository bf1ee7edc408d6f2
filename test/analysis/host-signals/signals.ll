; RUN: %opt -passes='print<gridspan-host-signals>' -disable-output %s 2>&1 | FileCheck %s
; What a kernel might tell the host while it runs, and what it cannot.

; CHECK: kernel plain: silent
; CHECK: kernel block: silent
; CHECK: kernel counts: silent
; CHECK: kernel stores: volatile-access: it has a volatile or atomic load or store: {{.*}}store volatile
; CHECK: kernel stores_atomic: volatile-access
; CHECK: kernel polls: volatile-access
; CHECK: kernel copies: volatile-access
; CHECK: kernel fences: fence: it has a fence wider than a block
; CHECK: kernel orders: fence
; CHECK: kernel publishes: inline-assembly
; CHECK: kernel fences_in_assembly: inline-assembly
; CHECK: kernel fetches: texture-or-surface
; CHECK: kernel fetches_in_assembly: texture-or-surface: it uses a texture or a surface, which may lead anywhere
; CHECK: kernel prints: call: it calls what is not known, or prints, or a pointer
; CHECK: kernel calls_pointer: call
; CHECK: kernel in_callee: fence
; CHECK: kernel computes: silent

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global [32 x float] undef, align 4

declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.membar.cta()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)
declare i32 @vprintf(ptr, ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64)

define void @plain(ptr %p, ptr %q) {
  %v = load float, ptr %p
  store float %v, ptr %q
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 4, i1 false)
  call void @__assertfail(ptr null, ptr null, i32 1, ptr null, i64 1)
  ret void
}

define void @block(ptr %p) {
  %own = alloca float
  store volatile float 0.0, ptr addrspace(3) @shared
  %g = addrspacecast ptr addrspace(3) @shared to ptr
  %v = load volatile float, ptr %g
  store volatile float %v, ptr %own
  call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.barrier0()
  store float %v, ptr %p
  ret void
}

define void @counts(ptr %p) {
  %o = atomicrmw add ptr %p, i32 1 seq_cst
  ret void
}

define void @stores(ptr %p) {
  store volatile i32 1, ptr %p
  ret void
}

define void @stores_atomic(ptr %p) {
  store atomic i32 1, ptr %p release, align 4
  ret void
}

define void @polls(ptr %p) {
  %v = load volatile i32, ptr %p
  ret void
}

define void @copies(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 4, i1 true)
  ret void
}

define void @fences(ptr %p) {
  call void @llvm.nvvm.membar.gl()
  ret void
}

define void @orders(ptr %p) {
  fence seq_cst
  ret void
}

define void @publishes(ptr %p) {
  call void asm sideeffect "st.release.sys.u32 [$0], 1;", "l,~{memory}"(ptr %p)
  ret void
}

define void @fences_in_assembly(ptr %p) {
  call void asm sideeffect "fence.sc.sys;", "~{memory}"()
  ret void
}

define void @fetches(ptr %p, i64 %t) {
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %t, i32 0)
  ret void
}

define void @fetches_in_assembly(ptr %p, i64 %t) {
  %v = call float asm "tex.1d.v4.f32.s32 {$0,_,_,_}, [$1, {$2}];", "=f,l,r"(i64 %t, i32 0)
  ret void
}

define void @prints(ptr %p) {
  %r = call i32 @vprintf(ptr %p, ptr null)
  ret void
}

define void @calls_pointer(ptr %p) {
  call void %p()
  ret void
}

define void @callee() noinline {
  call void @llvm.nvvm.membar.gl()
  ret void
}

define void @in_callee(ptr %p) {
  call void @callee()
  ret void
}

define void @computes(ptr %p) {
  %v = call float asm "add.f32 $0, $1, $1;", "=f,f"(float 1.0)
  store float %v, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16}
!0 = !{ptr @plain, !"kernel", i32 1}
!1 = !{ptr @block, !"kernel", i32 1}
!2 = !{ptr @counts, !"kernel", i32 1}
!3 = !{ptr @stores, !"kernel", i32 1}
!4 = !{ptr @stores_atomic, !"kernel", i32 1}
!5 = !{ptr @polls, !"kernel", i32 1}
!6 = !{ptr @copies, !"kernel", i32 1}
!7 = !{ptr @fences, !"kernel", i32 1}
!8 = !{ptr @orders, !"kernel", i32 1}
!9 = !{ptr @publishes, !"kernel", i32 1}
!10 = !{ptr @fences_in_assembly, !"kernel", i32 1}
!11 = !{ptr @prints, !"kernel", i32 1}
!12 = !{ptr @calls_pointer, !"kernel", i32 1}
!13 = !{ptr @in_callee, !"kernel", i32 1}
!14 = !{ptr @computes, !"kernel", i32 1}
!15 = !{ptr @fetches, !"kernel", i32 1}
!16 = !{ptr @fetches_in_assembly, !"kernel", i32 1}
