; Which threads get to an access: blocks with several entries, what comes after a
; loop, loops that end lane by lane, and conditions that are not known.
; RUN: %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64 -gridspan-grid=1 -gridspan-param=1=10 2>&1 \
; RUN:   | FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; `t == 0 || t == 40`: one lane in each warp; the else branch: 31 in each.
; CHECK-LABEL: kernel either,
; CHECK-NEXT: store 4 of arg0: coalesced, sectors 1 (ideal 1) a request, requests 2, lane stride 4 [site 0]
; CHECK-NEXT: store 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}requests 2, lane stride 4 [site 1]
define ptx_kernel void @either(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %first = icmp eq i32 %t, 0
  br i1 %first, label %yes, label %more

more:
  %second = icmp eq i32 %t, 40
  br i1 %second, label %yes, label %no

yes:
  store float 0.0, ptr %p, align 4
  br label %exit

no:
  store float 1.0, ptr %p, align 4
  br label %exit

exit:
  ret void
}

; Lane t runs t + 1 times: 64 requests of the second warp and 32 of the first.
; After the loop all lanes are back.
; CHECK-LABEL: kernel triangle,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors ~3 (ideal 3) a request, {{.*}}requests ~96, lane stride 4, lanes leave a loop one by one [site 0]
; CHECK-NEXT: store 4 of arg0: coalesced, sectors 4 (ideal 4) a request, {{.*}}requests 2, lane stride 4 [site 1]
define ptx_kernel void @triangle(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %row = shl i32 %k, 6
  %i = add i32 %row, %t
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p, align 4
  %added = fadd float %sum, %v
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k, %t
  br i1 %more, label %loop, label %done

done:
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %x, i64 %tw
  store float %added, ptr %q, align 4
  ret void
}

; CHECK-LABEL: kernel mask,
; CHECK-NEXT: load 4 of arg0: coalesced, sectors 4
; CHECK-NEXT: store 4 of arg0: coalesced, sectors ~4 (ideal 4) a request, {{.*}}requests ~2, lane stride 4, condition unknown [site 1]
define ptx_kernel void @mask(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %yes, label %exit

yes:
  store i32 0, ptr %p, align 4
  br label %exit

exit:
  ret void
}

; CHECK-LABEL: kernel search,
; CHECK-NEXT: load 4 of arg0: {{.*}}condition unknown{{.*}} [site 0]
define ptx_kernel void @search(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %row = shl i32 %k, 6
  %i = add i32 %row, %t
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p, align 4
  %found = icmp eq i32 %v, 0
  br i1 %found, label %exit, label %latch

latch:
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; CHECK-LABEL: kernel never,
; CHECK-NEXT: store 4 of arg0: not executed [site 0]
define ptx_kernel void @never(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %far = icmp ugt i32 %t, 64
  br i1 %far, label %yes, label %exit

yes:
  store i32 0, ptr %x, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
