; RUN: %opt -passes='print<gridspan-access>' -disable-output %s 2>&1 | FileCheck %s
; Addresses through arrays of structures, array and vector members, negative offsets,
; and casts between address spaces and numbers.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i8, [3 x i32], <4 x float> }

; CHECK-LABEL: kernel path
; CHECK: write 4 bytes at (((sext64(tid.x) * 32) + 324) + (sext64(arg1) * 4)) (exact)
define void @path(ptr %p, i32 %k) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr inbounds [5 x %pair], ptr %p, i64 2, i32 %t, i32 1, i32 %k
  store i32 0, ptr %a
  ret void
}

; CHECK-LABEL: kernel vector
; CHECK: write 4 bytes at ((sext64(tid.x) * 32) + 28) (exact)
define void @vector(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr inbounds %pair, ptr %p, i32 %t, i32 2, i32 3
  store float 0.0, ptr %a
  ret void
}

; CHECK-LABEL: kernel behind
; CHECK: write 4 bytes at ((sext64(tid.x) * 8) + -12) (exact)
define void @behind(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr inbounds double, ptr %p, i32 %t
  %b = getelementptr inbounds i8, ptr %a, i64 -12
  store float 0.0, ptr %b
  ret void
}

; CHECK-LABEL: kernel cast
; CHECK: write 8 bytes at (sext64(tid.x) * 4) (exact)
define void @cast(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = addrspacecast ptr %p to ptr addrspace(1)
  %a = getelementptr inbounds float, ptr addrspace(1) %g, i32 %t
  %b = addrspacecast ptr addrspace(1) %a to ptr
  %i = ptrtoint ptr %b to i64
  %c = inttoptr i64 %i to ptr
  store <2 x float> zeroinitializer, ptr %c
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @path, !"kernel", i32 1}
!1 = !{ptr @vector, !"kernel", i32 1}
!2 = !{ptr @behind, !"kernel", i32 1}
!3 = !{ptr @cast, !"kernel", i32 1}
