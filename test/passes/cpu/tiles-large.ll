; Threads keep more from turn to turn than a tile is to have.
; RUN: %opt -passes='print<gridspan-cpu-tiles>' -disable-output %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: some: loop 0: together
define void @some(ptr %in, ptr %out, i32 %turns) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s0 = phi double [ 0.0, %entry ], [ %m0, %body ]
  %s1 = phi double [ 1.0, %entry ], [ %m1, %body ]
  %s2 = phi double [ 2.0, %entry ], [ %m2, %body ]
  %s3 = phi double [ 3.0, %entry ], [ %m3, %body ]
  %s4 = phi double [ 4.0, %entry ], [ %m4, %body ]
  %s5 = phi double [ 5.0, %entry ], [ %m5, %body ]
  %s6 = phi double [ 6.0, %entry ], [ %m6, %body ]
  %s7 = phi double [ 7.0, %entry ], [ %m7, %body ]
  %s8 = phi double [ 8.0, %entry ], [ %m8, %body ]
  %s9 = phi double [ 9.0, %entry ], [ %m9, %body ]
  %s10 = phi double [ 10.0, %entry ], [ %m10, %body ]
  %s11 = phi double [ 11.0, %entry ], [ %m11, %body ]
  %s12 = phi double [ 12.0, %entry ], [ %m12, %body ]
  %s13 = phi double [ 13.0, %entry ], [ %m13, %body ]
  %s14 = phi double [ 14.0, %entry ], [ %m14, %body ]
  %s15 = phi double [ 15.0, %entry ], [ %m15, %body ]
  %at = add nsw i32 %i, %t
  %w = sext i32 %at to i64
  %p = getelementptr double, ptr %in, i64 %w
  %x = load double, ptr %p
  %m0 = fadd double %s0, %x
  %m1 = fadd double %s1, %x
  %m2 = fadd double %s2, %x
  %m3 = fadd double %s3, %x
  %m4 = fadd double %s4, %x
  %m5 = fadd double %s5, %x
  %m6 = fadd double %s6, %x
  %m7 = fadd double %s7, %x
  %m8 = fadd double %s8, %x
  %m9 = fadd double %s9, %x
  %m10 = fadd double %s10, %x
  %m11 = fadd double %s11, %x
  %m12 = fadd double %s12, %x
  %m13 = fadd double %s13, %x
  %m14 = fadd double %s14, %x
  %m15 = fadd double %s15, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %turns
  br i1 %c, label %body, label %done
done:
  %p1 = fmul double %m0, %m1
  %p2 = fmul double %p1, %m2
  %p3 = fmul double %p2, %m3
  %p4 = fmul double %p3, %m4
  %p5 = fmul double %p4, %m5
  %p6 = fmul double %p5, %m6
  %p7 = fmul double %p6, %m7
  %p8 = fmul double %p7, %m8
  %p9 = fmul double %p8, %m9
  %p10 = fmul double %p9, %m10
  %p11 = fmul double %p10, %m11
  %p12 = fmul double %p11, %m12
  %p13 = fmul double %p12, %m13
  %p14 = fmul double %p13, %m14
  %p15 = fmul double %p14, %m15
  %q = getelementptr double, ptr %out, i64 %tw
  store double %p15, ptr %q
  ret void
}

; CHECK: many: one by one: too-large
define void @many(ptr %in, ptr %out, i32 %turns) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s0 = phi double [ 0.0, %entry ], [ %m0, %body ]
  %s1 = phi double [ 1.0, %entry ], [ %m1, %body ]
  %s2 = phi double [ 2.0, %entry ], [ %m2, %body ]
  %s3 = phi double [ 3.0, %entry ], [ %m3, %body ]
  %s4 = phi double [ 4.0, %entry ], [ %m4, %body ]
  %s5 = phi double [ 5.0, %entry ], [ %m5, %body ]
  %s6 = phi double [ 6.0, %entry ], [ %m6, %body ]
  %s7 = phi double [ 7.0, %entry ], [ %m7, %body ]
  %s8 = phi double [ 8.0, %entry ], [ %m8, %body ]
  %s9 = phi double [ 9.0, %entry ], [ %m9, %body ]
  %s10 = phi double [ 10.0, %entry ], [ %m10, %body ]
  %s11 = phi double [ 11.0, %entry ], [ %m11, %body ]
  %s12 = phi double [ 12.0, %entry ], [ %m12, %body ]
  %s13 = phi double [ 13.0, %entry ], [ %m13, %body ]
  %s14 = phi double [ 14.0, %entry ], [ %m14, %body ]
  %s15 = phi double [ 15.0, %entry ], [ %m15, %body ]
  %s16 = phi double [ 16.0, %entry ], [ %m16, %body ]
  %at = add nsw i32 %i, %t
  %w = sext i32 %at to i64
  %p = getelementptr double, ptr %in, i64 %w
  %x = load double, ptr %p
  %m0 = fadd double %s0, %x
  %m1 = fadd double %s1, %x
  %m2 = fadd double %s2, %x
  %m3 = fadd double %s3, %x
  %m4 = fadd double %s4, %x
  %m5 = fadd double %s5, %x
  %m6 = fadd double %s6, %x
  %m7 = fadd double %s7, %x
  %m8 = fadd double %s8, %x
  %m9 = fadd double %s9, %x
  %m10 = fadd double %s10, %x
  %m11 = fadd double %s11, %x
  %m12 = fadd double %s12, %x
  %m13 = fadd double %s13, %x
  %m14 = fadd double %s14, %x
  %m15 = fadd double %s15, %x
  %m16 = fadd double %s16, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %turns
  br i1 %c, label %body, label %done
done:
  %p1 = fmul double %m0, %m1
  %p2 = fmul double %p1, %m2
  %p3 = fmul double %p2, %m3
  %p4 = fmul double %p3, %m4
  %p5 = fmul double %p4, %m5
  %p6 = fmul double %p5, %m6
  %p7 = fmul double %p6, %m7
  %p8 = fmul double %p7, %m8
  %p9 = fmul double %p8, %m9
  %p10 = fmul double %p9, %m10
  %p11 = fmul double %p10, %m11
  %p12 = fmul double %p11, %m12
  %p13 = fmul double %p12, %m13
  %p14 = fmul double %p13, %m14
  %p15 = fmul double %p14, %m15
  %p16 = fmul double %p15, %m16
  %q = getelementptr double, ptr %out, i64 %tw
  store double %p16, ptr %q
  ret void
}

; CHECK: most: loop 0: one by one: too-large
define void @most(ptr %in, ptr %out, i32 %turns) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s0 = phi double [ 0.0, %entry ], [ %m0, %body ]
  %s1 = phi double [ 1.0, %entry ], [ %m1, %body ]
  %s2 = phi double [ 2.0, %entry ], [ %m2, %body ]
  %s3 = phi double [ 3.0, %entry ], [ %m3, %body ]
  %s4 = phi double [ 4.0, %entry ], [ %m4, %body ]
  %s5 = phi double [ 5.0, %entry ], [ %m5, %body ]
  %s6 = phi double [ 6.0, %entry ], [ %m6, %body ]
  %s7 = phi double [ 7.0, %entry ], [ %m7, %body ]
  %s8 = phi double [ 8.0, %entry ], [ %m8, %body ]
  %s9 = phi double [ 9.0, %entry ], [ %m9, %body ]
  %s10 = phi double [ 10.0, %entry ], [ %m10, %body ]
  %s11 = phi double [ 11.0, %entry ], [ %m11, %body ]
  %s12 = phi double [ 12.0, %entry ], [ %m12, %body ]
  %s13 = phi double [ 13.0, %entry ], [ %m13, %body ]
  %s14 = phi double [ 14.0, %entry ], [ %m14, %body ]
  %s15 = phi double [ 15.0, %entry ], [ %m15, %body ]
  %s16 = phi double [ 16.0, %entry ], [ %m16, %body ]
  %s17 = phi double [ 17.0, %entry ], [ %m17, %body ]
  %s18 = phi double [ 18.0, %entry ], [ %m18, %body ]
  %s19 = phi double [ 19.0, %entry ], [ %m19, %body ]
  %s20 = phi double [ 20.0, %entry ], [ %m20, %body ]
  %s21 = phi double [ 21.0, %entry ], [ %m21, %body ]
  %s22 = phi double [ 22.0, %entry ], [ %m22, %body ]
  %s23 = phi double [ 23.0, %entry ], [ %m23, %body ]
  %s24 = phi double [ 24.0, %entry ], [ %m24, %body ]
  %s25 = phi double [ 25.0, %entry ], [ %m25, %body ]
  %s26 = phi double [ 26.0, %entry ], [ %m26, %body ]
  %s27 = phi double [ 27.0, %entry ], [ %m27, %body ]
  %s28 = phi double [ 28.0, %entry ], [ %m28, %body ]
  %s29 = phi double [ 29.0, %entry ], [ %m29, %body ]
  %s30 = phi double [ 30.0, %entry ], [ %m30, %body ]
  %s31 = phi double [ 31.0, %entry ], [ %m31, %body ]
  %at = add nsw i32 %i, %t
  %w = sext i32 %at to i64
  %p = getelementptr double, ptr %in, i64 %w
  %x = load double, ptr %p
  %m0 = fadd double %s0, %x
  %m1 = fadd double %s1, %x
  %m2 = fadd double %s2, %x
  %m3 = fadd double %s3, %x
  %m4 = fadd double %s4, %x
  %m5 = fadd double %s5, %x
  %m6 = fadd double %s6, %x
  %m7 = fadd double %s7, %x
  %m8 = fadd double %s8, %x
  %m9 = fadd double %s9, %x
  %m10 = fadd double %s10, %x
  %m11 = fadd double %s11, %x
  %m12 = fadd double %s12, %x
  %m13 = fadd double %s13, %x
  %m14 = fadd double %s14, %x
  %m15 = fadd double %s15, %x
  %m16 = fadd double %s16, %x
  %m17 = fadd double %s17, %x
  %m18 = fadd double %s18, %x
  %m19 = fadd double %s19, %x
  %m20 = fadd double %s20, %x
  %m21 = fadd double %s21, %x
  %m22 = fadd double %s22, %x
  %m23 = fadd double %s23, %x
  %m24 = fadd double %s24, %x
  %m25 = fadd double %s25, %x
  %m26 = fadd double %s26, %x
  %m27 = fadd double %s27, %x
  %m28 = fadd double %s28, %x
  %m29 = fadd double %s29, %x
  %m30 = fadd double %s30, %x
  %m31 = fadd double %s31, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %turns
  br i1 %c, label %body, label %done
done:
  %p1 = fmul double %m0, %m1
  %p2 = fmul double %p1, %m2
  %p3 = fmul double %p2, %m3
  %p4 = fmul double %p3, %m4
  %p5 = fmul double %p4, %m5
  %p6 = fmul double %p5, %m6
  %p7 = fmul double %p6, %m7
  %p8 = fmul double %p7, %m8
  %p9 = fmul double %p8, %m9
  %p10 = fmul double %p9, %m10
  %p11 = fmul double %p10, %m11
  %p12 = fmul double %p11, %m12
  %p13 = fmul double %p12, %m13
  %p14 = fmul double %p13, %m14
  %p15 = fmul double %p14, %m15
  %p16 = fmul double %p15, %m16
  %p17 = fmul double %p16, %m17
  %p18 = fmul double %p17, %m18
  %p19 = fmul double %p18, %m19
  %p20 = fmul double %p19, %m20
  %p21 = fmul double %p20, %m21
  %p22 = fmul double %p21, %m22
  %p23 = fmul double %p22, %m23
  %p24 = fmul double %p23, %m24
  %p25 = fmul double %p24, %m25
  %p26 = fmul double %p25, %m26
  %p27 = fmul double %p26, %m27
  %p28 = fmul double %p27, %m28
  %p29 = fmul double %p28, %m29
  %p30 = fmul double %p29, %m30
  %p31 = fmul double %p30, %m31
  %q = getelementptr double, ptr %out, i64 %tw
  store double %p31, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @some, !"kernel", i32 1}
!1 = !{ptr @many, !"kernel", i32 1}
!2 = !{ptr @most, !"kernel", i32 1}
