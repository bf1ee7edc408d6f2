; Threads take a loop together in which each walks through memory in large steps,
; next to its neighbours; and no other loops.
; RUN: %opt -passes='print<gridspan-cpu-regions>' -disable-output %s 2>&1 | FileCheck --implicit-check-not=regions %s
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s -o %t.ll
; RUN: FileCheck --check-prefix=CODE %s < %t.ll
; RUN: %opt -passes='default<O2>' -S %t.ll | FileCheck --check-prefix=FAST %s

target triple = "nvptx64-nvidia-cuda"

; Flags 4: threads do not wait for each other, and Run runs all of them.
; CODE: @columns.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.columns, ptr null, ptr null, ptr null, ptr null, i64 0, i32 4, i32 0 }
; CODE: @rows.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.rows, ptr null, ptr null, ptr null, ptr null, i64 0, i32 0, i32 0 }

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

; The columns are in shared memory, where large steps cost nothing.
@tile = internal addrspace(3) global [32 x [32 x float]] undef, align 4
define void @staged(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tw = zext i32 %t to i64
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %p = getelementptr [32 x [32 x float]], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %i, i64 %tw
  %x = load float, ptr %p
  %more = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %next, 32
  br i1 %c, label %body, label %done
done:
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

; What is loaded in front of the loop is loaded for all if there is any turn. So
; all must be there: that is so if the block alone decides whether they are.
; CHECK: askedOfBlock: 7 regions, loops taken together
define void @askedOfBlock(ptr %in, ptr %out, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = icmp eq i32 %b, 0
  br i1 %first, label %guard, label %done
guard:
  %any = icmp slt i32 %t, %width
  br i1 %any, label %before, label %behind
before:
  %x = load float, ptr %in
  br label %body
body:
  %c = phi i32 [ %t, %before ], [ %more, %body ]
  %w = sext i32 %c to i64
  %p = getelementptr float, ptr %out, i64 %w
  store float %x, ptr %p
  %more = add nsw i32 %c, %threads
  %in.c = icmp slt i32 %more, %width
  br i1 %in.c, label %body, label %behind
behind:
  br label %done
done:
  ret void
}

; The first thread, whose load it would be, may not be there. Threads that are
; take turns together where they can.
; CHECK: askedOfThread: 2 regions, loops taken together, some threads may end early
define void @askedOfThread(ptr %in, ptr %out, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = icmp eq i32 %t, 7
  br i1 %first, label %guard, label %done
guard:
  %any = icmp slt i32 %t, %width
  br i1 %any, label %before, label %behind
before:
  %x = load float, ptr %in
  br label %body
body:
  %c = phi i32 [ %t, %before ], [ %more, %body ]
  %w = sext i32 %c to i64
  %p = getelementptr float, ptr %out, i64 %w
  store float %x, ptr %p
  %more = add nsw i32 %c, %threads
  %in.c = icmp slt i32 %more, %width
  br i1 %in.c, label %body, label %behind
behind:
  br label %done
done:
  ret void
}

; In steps of a block, threads may be far from each other: a turn is further.
; CHECK: columnOfBlock: 7 regions, loops taken together
define void @columnOfBlock(ptr %out, i32 %height, i32 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %any = icmp slt i32 %t, %height
  br i1 %any, label %before, label %done
before:
  br label %body
body:
  %r = phi i32 [ %t, %before ], [ %more, %body ]
  %at = mul nsw i32 %r, %pitch
  %w = sext i32 %at to i64
  %p = getelementptr float, ptr %out, i64 %w
  store float 1.0, ptr %p
  %more = add nsw i32 %r, %threads
  %in = icmp slt i32 %more, %height
  br i1 %in, label %body, label %done
done:
  ret void
}

; What only threads do that have had a turn follows behind all turns.
; CHECK: stored: 7 regions, loops taken together
; CODE-LABEL: define internal i32 @__gridspan_cpu.stored.{{[0-9.]+}}.region.2(
; CODE: joined:
; CODE: br i1 %any{{.*}}, label %behind, label %done
; CODE: behind:
; CODE: store float
define void @stored(ptr %in, ptr %out, i32 %width) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tw = zext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %tw
  %any = icmp slt i32 %t, %width
  br i1 %any, label %before, label %done
before:
  br label %body
body:
  %c = phi i32 [ %t, %before ], [ %more, %body ]
  %sum = phi float [ 1.0, %before ], [ %next, %body ]
  %w = sext i32 %c to i64
  %p = getelementptr float, ptr %in, i64 %w
  %x = load float, ptr %p
  %next = fadd float %sum, %x
  %more = add nsw i32 %c, %threads
  %goes = icmp slt i32 %more, %width
  br i1 %goes, label %body, label %behind
behind:
  store float %next, ptr %q
  br label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}
!0 = !{ptr @columns, !"kernel", i32 1}
!1 = !{ptr @rows, !"kernel", i32 1}
!2 = !{ptr @apart, !"kernel", i32 1}
!3 = !{ptr @rowsOfBlock, !"kernel", i32 1}
!4 = !{ptr @row, !"kernel", i32 1}
!5 = !{ptr @askedOfBlock, !"kernel", i32 1}
!6 = !{ptr @askedOfThread, !"kernel", i32 1}
!7 = !{ptr @columnOfBlock, !"kernel", i32 1}
!8 = !{ptr @stored, !"kernel", i32 1}
!9 = !{ptr @staged, !"kernel", i32 1}
