; Threads take a loop together in which each walks through memory in large steps,
; next to its neighbours; and no other loops.
; RUN: %opt -passes='print<gridspan-cpu-regions>' -disable-output %s 2>&1 | FileCheck --implicit-check-not=regions %s
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s -o %t.ll
; RUN: FileCheck --check-prefix=CODE %s < %t.ll
; RUN: %opt -passes='default<O2>' -S %t.ll | FileCheck --check-prefix=FAST %s

target triple = "nvptx64-nvidia-cuda"

; Flags 4: threads do not wait for each other, and Run runs all of them.
; CODE: @columns.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.columns, ptr null, ptr null, i64 0, i32 4, i32 0 }
; CODE: @rows.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.rows, ptr null, ptr null, i64 0, i32 0, i32 0 }

; CHECK: columns: 2 regions, loops taken together
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 1 end
; FAST-LABEL: define internal void @__gridspan_cpu.run.columns(
; FAST: fadd <4 x float>
define void @columns(ptr %in, ptr %out, i32 %n, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %row = mul nsw i32 %i, %pitch
  %at = add nsw i32 %row, %t
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %more, ptr %q
  ret void
}

; Each thread reads a row: one after the other is best.
define void @rows(ptr %in, ptr %out, i32 %n, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %t, %pitch
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %at = add nsw i32 %row, %i
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  store float %more, ptr %q
  ret void
}

; Threads leave the loop at different times, and go on.
define void @apart(ptr %in, ptr %out, i32 %n, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %row = mul nsw i32 %i, %pitch
  %at = add nsw i32 %row, %t
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %next = add nuw nsw i32 %i, 1
  %c = fcmp olt float %x, 1.0
  br i1 %c, label %body, label %between
between:
  br label %second
second:
  %j = phi i32 [ 0, %between ], [ %nextj, %second ]
  %rowj = mul nsw i32 %j, %pitch
  %atj = add nsw i32 %rowj, %t
  %wj = sext i32 %atj to i64
  %q = getelementptr float, ptr %out, i64 %wj
  store float %x, ptr %q
  %nextj = add nuw nsw i32 %j, 1
  %cj = icmp slt i32 %nextj, %n
  br i1 %cj, label %second, label %done
done:
  ret void
}

; A thread that has its part of a row would go on to the next row, before others
; have theirs. So loops in steps of a block become loops in which all threads take
; the same turns: some that all of them take part in, then the rest. Where indices
; may wrap around, threads take the loop as it was, and wait behind it (1).
; CHECK: rowsOfBlock: 7 regions, loops taken together
; CHECK-NEXT: 0 -> 1 2 3 5
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> 1 2 3 5 end
; CHECK-NEXT: 3 -> 4
; CHECK-NEXT: 4 -> 2 3 5
; CHECK-NEXT: 5 -> 6
; CHECK-NEXT: 6 -> 2 5
; FAST-LABEL: define internal void @__gridspan_cpu.run.rowsOfBlock(
; FAST: store <4 x float>
define void @rowsOfBlock(ptr %out, i32 %n, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %any = icmp slt i32 %t, %width
  br label %row
row:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %base = mul nsw i32 %i, %width
  br i1 %any, label %before, label %latch
before:
  br label %body
body:
  %c = phi i32 [ %t, %before ], [ %more, %body ]
  %at = add nsw i32 %base, %c
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %out, i64 %w
  store float 1.0, ptr %p
  %more = add nsw i32 %c, %threads
  %in = icmp slt i32 %more, %width
  br i1 %in, label %body, label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %rows = icmp slt i32 %next, %n
  br i1 %rows, label %row, label %done
done:
  ret void
}

; Nobody goes on to another loop.
; CHECK: row: 7 regions, loops taken together
define void @row(ptr %out, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %any = icmp slt i32 %t, %width
  br i1 %any, label %before, label %done
before:
  br label %body
body:
  %c = phi i32 [ %t, %before ], [ %more, %body ]
  %w = sext i32 %c to i64
  %p = getelementptr float, ptr %out, i64 %w
  store float 1.0, ptr %p
  %more = add nsw i32 %c, %threads
  %in = icmp slt i32 %more, %width
  br i1 %in, label %body, label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @columns, !"kernel", i32 1}
!1 = !{ptr @rows, !"kernel", i32 1}
!2 = !{ptr @apart, !"kernel", i32 1}
!3 = !{ptr @rowsOfBlock, !"kernel", i32 1}
!4 = !{ptr @row, !"kernel", i32 1}
