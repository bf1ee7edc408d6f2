; Inline assembly that the CPU device cannot run is refused by name, one kernel each.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=WARN < %t

target triple = "nvptx64-nvidia-cuda"

; CHECK-COUNT-23: .cpu = constant {{.*}} { ptr null, ptr null, ptr @__gridspan_str
; WARN: inline assembly 'cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $1, $1, $1}, $1;' is not supported on the CPU device
; WARN: inline assembly 'cvt.rn.satfinite.e2m1x2.f32 $0, $1, $1;' is not supported on the CPU device
; WARN: inline assembly 'cvt.e4m3x2.f32 $0, $1, $1;' is not supported on the CPU device
; WARN: inline assembly 'isspacep.const $0, $1;' is not supported on the CPU device
; WARN: inline assembly 'bar.red.or.pred $0, 3, $1;' is not supported on the CPU device
; WARN: inline assembly 'brx.idx $0, $1;' is not supported on the CPU device
; WARN: inline assembly '{ call foo, ($0, $1); }' is not supported on the CPU device
; WARN: inline assembly 'sured.b.1d.add.u32.trap [$0, {$1}], $1;' is not supported on the CPU device
; WARN: inline assembly 'wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {$0, $0}, [$1];' is not supported on the CPU device
; WARN: inline assembly '{ L: add.u32 $0, $0, $1; } { L: bra L; }' is not supported on the CPU device
; WARN: inline assembly 'bra elsewhere; L: mov.u32 $0, $1;' is not supported on the CPU device
; WARN: inline assembly '{ .reg .b32 x; } { .reg .b64 x; L: mov.u32 $0, $1; }' is not supported on the CPU device
; WARN: inline assembly 'mov.u32 undeclared, $1; L: mov.u32 $0, undeclared;' is not supported on the CPU device
; WARN: inline assembly '{ .shared .b32 x; mov.u32 $0, $1; }' is not supported on the CPU device
; WARN: inline assembly '{ .reg .b128 v, w; mov.b128 v, {$0, $0}; atom.global.exch.b128 w, [$0], v; }' is not supported on the CPU device
; WARN: inline assembly '{ .reg .b128 v; ld.acquire.gpu.global.b128 v, [$0]; }' is not supported on the CPU device
; WARN: inline assembly '{ .reg .b32 x; mov.b32 x, 1; { .reg .b32 x; mov.b32 x, 5; } add.u32 $0, $1, x; }' is not supported on the CPU device
; WARN: inline assembly 'st.global.b32 [$0], 1.5;' is not supported on the CPU device
; WARN: inline assembly 'addc.u32 $0, $1, $1;' is not supported on the CPU device
; WARN: inline assembly '{ L: addc.u32 $0, $1, $1; }' is not supported on the CPU device
; WARN: inline assembly 'cvt.rni.sat.u8.f32 $0, $1;' is not supported on the CPU device
; WARN: inline assembly 'add.u32 $0, $1, 09;' is not supported on the CPU device
; WARN: inline assembly 'mad.hi.sat.s32 $0, $1, $1, $1;' is not supported on the CPU device
; WARN-NOT: warning

define void @k00(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $1, $1, $1}, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k01(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "cvt.rn.satfinite.e2m1x2.f32 $0, $1, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k02(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "cvt.e4m3x2.f32 $0, $1, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k03(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "isspacep.const $0, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k04(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "bar.red.or.pred $0, 3, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k05(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "brx.idx $0, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k06(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "{ call foo, ($0, $1); }", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k07(i64 %p, i32 %x) {
  call void asm sideeffect "sured.b.1d.add.u32.trap [$0, {$1}], $1;", "l,r"(i64 %p, i32 %x)
  ret void
}
define void @k08(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {$0, $0}, [$1];", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k09(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "{ L: add.u32 $0, $0, $1; } { L: bra L; }", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k10(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "bra elsewhere; L: mov.u32 $0, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k11(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "{ .reg .b32 x; } { .reg .b64 x; L: mov.u32 $0, $1; }", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k12(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "mov.u32 undeclared, $1; L: mov.u32 $0, undeclared;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k13(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "{ .shared .b32 x; mov.u32 $0, $1; }", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}

define void @k14(i64 %p) {
  call void asm sideeffect "{ .reg .b128 v, w; mov.b128 v, {$0, $0}; atom.global.exch.b128 w, [$0], v; }", "l"(i64 %p)
  ret void
}
define void @k15(i64 %p) {
  call void asm sideeffect "{ .reg .b128 v; ld.acquire.gpu.global.b128 v, [$0]; }", "l"(i64 %p)
  ret void
}
define void @k16(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "{ .reg .b32 x; mov.b32 x, 1; { .reg .b32 x; mov.b32 x, 5; } add.u32 $0, $1, x; }", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k17(i64 %p) {
  call void asm sideeffect "st.global.b32 [$0], 1.5;", "l"(i64 %p)
  ret void
}
define void @k18(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "addc.u32 $0, $1, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k19(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "{ L: addc.u32 $0, $1, $1; }", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k20(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "cvt.rni.sat.u8.f32 $0, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k21(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "add.u32 $0, $1, 09;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}
define void @k22(ptr %p, i32 %x) {
  %r = call i32 asm sideeffect "mad.hi.sat.s32 $0, $1, $1, $1;", "=r,r"(i32 %x)
  store i32 %r, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20, !21, !22}
!0 = !{ptr @k00, !"kernel", i32 1}
!1 = !{ptr @k01, !"kernel", i32 1}
!2 = !{ptr @k02, !"kernel", i32 1}
!3 = !{ptr @k03, !"kernel", i32 1}
!4 = !{ptr @k04, !"kernel", i32 1}
!5 = !{ptr @k05, !"kernel", i32 1}
!6 = !{ptr @k06, !"kernel", i32 1}
!7 = !{ptr @k07, !"kernel", i32 1}
!8 = !{ptr @k08, !"kernel", i32 1}
!9 = !{ptr @k09, !"kernel", i32 1}
!10 = !{ptr @k10, !"kernel", i32 1}
!11 = !{ptr @k11, !"kernel", i32 1}
!12 = !{ptr @k12, !"kernel", i32 1}
!13 = !{ptr @k13, !"kernel", i32 1}
!14 = !{ptr @k14, !"kernel", i32 1}
!15 = !{ptr @k15, !"kernel", i32 1}
!16 = !{ptr @k16, !"kernel", i32 1}
!17 = !{ptr @k17, !"kernel", i32 1}
!18 = !{ptr @k18, !"kernel", i32 1}
!19 = !{ptr @k19, !"kernel", i32 1}
!20 = !{ptr @k20, !"kernel", i32 1}
!21 = !{ptr @k21, !"kernel", i32 1}
!22 = !{ptr @k22, !"kernel", i32 1}
