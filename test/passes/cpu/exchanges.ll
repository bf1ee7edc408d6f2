; Lanes of a warp exchange values at barriers of the block, where all threads of
; the block come; conditions around them are taken apart for that.
; RUN: %opt -passes='print<gridspan-cpu-regions>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s -o %t.ll
; RUN: FileCheck --check-prefix=CODE %s < %t.ll
; RUN: %opt -passes='default<O2>' -S %t.ll | FileCheck --check-prefix=FAST %s

target triple = "nvptx64-nvidia-cuda"

; Two exchanges without a way back need a barrier each.
; CHECK-LABEL: straight: 3 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> end
; CODE: @straight.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.straight, ptr null, ptr null, ptr null, ptr null, i64 0, i32 5, i32 0 }
; FAST-LABEL: define internal void @__gridspan_cpu.run.straight(
; FAST-NOT: __gridspan_cpu_warp_shuffle
; FAST: call {{.*}} @__gridspan_cpu_frame
; FAST: ret void
define void @straight(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 16, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %a, i32 8, i32 31)
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %w
  store i32 %b, ptr %p
  ret void
}

; Words of a structure share a barrier; what gets one of them needs another.
; CHECK-LABEL: words: 3 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> end
define void @words(ptr %out, i64 %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %v = mul i64 %x, %w
  %low = trunc i64 %v to i32
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %low, i32 16, i32 31)
  %rest = lshr i64 %v, 32
  %high = trunc i64 %rest to i32
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %high, i32 16, i32 31)
  %sum = add i32 %a, %b
  %c = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %sum, i32 8, i32 31)
  %p = getelementptr i32, ptr %out, i64 %w
  store i32 %c, ptr %p
  ret void
}

; What is stored between them is not passed over.
; CHECK-LABEL: between: 3 regions, lanes exchange values at barriers
define void @between(ptr %out, i32 %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %w
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 16, i32 31)
  store i32 %a, ptr %p
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 16, i32 31)
  store i32 %b, ptr %out
  ret void
}

; In a loop the last one has a second barrier before the next turn.
; CHECK-LABEL: turns: 4 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> 3
; CHECK-NEXT: 3 -> 1 end
define void @turns(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %v = phi i32 [ %t, %entry ], [ %b, %body ]
  %a = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %v, i32 1, i32 0)
  %b = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %a, i32 %i, i32 31)
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %w
  store i32 %b, ptr %p
  ret void
}

; Only the first warp adds, and only its first thread stores. The sum of a whole
; warp is for its first lane to compute (1), and for others to wait for.
; CHECK-LABEL: conditional: 3 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> end
define void @conditional(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 32
  br i1 %c, label %first, label %done
first:
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %in, i64 %w
  %v = load i32, ptr %p
  %a = call i32 @llvm.nvvm.redux.sync.add(i32 %v, i32 -1)
  %s = add i32 %a, %v
  %z = icmp eq i32 %t, 0
  br i1 %z, label %store, label %done
store:
  store i32 %s, ptr %out
  br label %done
done:
  ret void
}

; Threads that return early pass the barriers, the kernel's own as well.
; CHECK-LABEL: early: 6 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> 3
; CHECK-NEXT: 3 -> 4
; CHECK-NEXT: 4 -> 5
; CHECK-NEXT: 5 -> end
define void @early(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %go, label %done
go:
  %x = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %c)
  call void @llvm.nvvm.barrier0()
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %x)
  store i32 %b, ptr %out
  br label %done
done:
  ret void
}

; In a loop, the barrier behind the sum (2) is the one in front of the next: nobody
; writes again what others have not read.
; CHECK-LABEL: sums: 3 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> 1 end
define void @sums(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %v = phi i32 [ %t, %entry ], [ %a, %body ]
  %a = call i32 @llvm.nvvm.redux.sync.add(i32 %v, i32 -1)
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %done
done:
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %w
  store i32 %a, ptr %p
  ret void
}

; Lanes that name others get sums of their own.
; CHECK-LABEL: groups: 2 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> end
define void @groups(ptr %out, i32 %mask) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 %mask)
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %w
  store i32 %a, ptr %p
  ret void
}

; Lanes may leave the loop at different times.
; CHECK-LABEL: trips: fibers: ended-lanes:
define void @trips(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %t
  br i1 %c, label %body, label %done
done:
  store i32 %a, ptr %out
  ret void
}

; It is not known which lanes are there.
; CHECK-LABEL: ended: fibers: ended-lanes:
define void @ended(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %t, label %go [ i32 3, label %done
                             i32 5, label %done ]
go:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  store i32 %t, ptr %out
  br label %done
done:
  ret void
}

; CHECK-LABEL: active: fibers: warp-operation:
define void @active(ptr %out) {
  %m = call i32 @llvm.nvvm.activemask()
  call void @llvm.nvvm.bar.warp.sync(i32 %m)
  ret void
}

; Lanes look for their own value among those of others, each for itself; who is
; not there has none.
; CHECK-LABEL: matches: 3 regions, lanes exchange values at barriers
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> end
; FAST-LABEL: define internal void @__gridspan_cpu.run.matches(
; FAST-NOT: __gridspan_cpu_warp_match
; FAST: icmp eq i64
; FAST: ret void
define void @matches(ptr %out, i64 %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %v = udiv i64 %w, %x
  %a = call i32 @llvm.nvvm.match.any.sync.i64(i32 -1, i64 %v)
  %p = getelementptr i32, ptr %out, i64 %w
  store i32 %a, ptr %p
  %c = icmp ult i32 %t, 7
  br i1 %c, label %first, label %done
first:
  %pair = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 127, i32 %a)
  %b = extractvalue {i32, i1} %pair, 0
  store i32 %b, ptr %p
  br label %done
done:
  ret void
}

; CHECK-LABEL: uni: 3 regions, lanes exchange values at barriers
define void @uni(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  %x = call i1 @llvm.nvvm.vote.uni.sync(i32 -1, i1 %c)
  %y = zext i1 %x to i32
  store i32 %y, ptr %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)
declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)

!nvvm.annotations = !{!0, !10, !11, !1, !2, !3, !8, !9, !4, !5, !6, !12, !7}
!0 = !{ptr @straight, !"kernel", i32 1}
!1 = !{ptr @turns, !"kernel", i32 1}
!2 = !{ptr @conditional, !"kernel", i32 1}
!3 = !{ptr @early, !"kernel", i32 1}
!4 = !{ptr @trips, !"kernel", i32 1}
!5 = !{ptr @ended, !"kernel", i32 1}
!6 = !{ptr @active, !"kernel", i32 1}
!7 = !{ptr @uni, !"kernel", i32 1}
!8 = !{ptr @sums, !"kernel", i32 1}
!9 = !{ptr @groups, !"kernel", i32 1}
!10 = !{ptr @words, !"kernel", i32 1}
!11 = !{ptr @between, !"kernel", i32 1}
!12 = !{ptr @matches, !"kernel", i32 1}
