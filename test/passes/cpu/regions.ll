; Kernels with barriers become loops over threads, region by region, unless a
; reason is named.
; RUN: %opt -passes='print<gridspan-cpu-regions>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s -o %t.ll
; RUN: FileCheck --check-prefix=CODE %s < %t.ll
; RUN: %opt -passes='default<O2>' -S %t.ll | FileCheck --check-prefix=FAST %s

target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [256 x float] undef

; Flags 5: threads wait, but not in Run.
; CODE: @loop.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.loop, ptr null, ptr null, ptr null, ptr null, i64 1024, i32 5, i32 0 }
; CODE: @active.cpu = constant { {{.*}} } { ptr @__gridspan_cpu.run.active, ptr null, ptr null, ptr @{{.*}}, ptr @{{.*}}, i64 0, i32 1, i32 0 }

; The loop's counter is the same for all threads, its sum is not.
; CHECK-LABEL: loop: 3 regions
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> 1 end
; FAST-LABEL: define internal void @__gridspan_cpu.run.loop(
; FAST-NOT: __gridspan_cpu_barrier
; FAST: call {{.*}} @__gridspan_cpu_frame
; FAST: store <4 x float>
; FAST: fadd <4 x float>
define void @loop(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr [256 x float], ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 0, i64 %w
  %r = sub i64 255, %w
  %o = getelementptr [256 x float], ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 0, i64 %r
  %q = getelementptr float, ptr %out, i64 %w
  %v = load float, ptr %q
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  store float %v, ptr %p
  call void @llvm.nvvm.barrier0()
  %x = load float, ptr %o
  %more = fadd float %sum, %x
  call void @llvm.nvvm.barrier0()
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %done
done:
  store float %more, ptr %q
  ret void
}

; CHECK-LABEL: early: 2 regions, some threads may end early
; CHECK-NEXT: 0 -> 1 end
; CHECK-NEXT: 1 -> end
define void @early(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %go, label %done
go:
  call void @llvm.nvvm.barrier0()
  store i32 %n, ptr %out
  br label %done
done:
  ret void
}

; A branch on a parameter is taken by all.
; CHECK-LABEL: uniform: 3 regions
; CHECK-NEXT: 0 -> 1 2
; CHECK-NEXT: 1 -> end
; CHECK-NEXT: 2 -> end
define void @uniform(ptr %out, i32 %n) {
  %c = icmp slt i32 7, %n
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.barrier0()
  ret void
b:
  call void @llvm.nvvm.barrier0()
  store i32 %n, ptr %out
  ret void
}

; CHECK-LABEL: divergent: fibers: divergent-barrier:
define void @divergent(ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.barrier0()
  ret void
b:
  call void @llvm.nvvm.barrier0()
  store i32 %n, ptr %out
  ret void
}

; What a thread does in a loop may differ; but not whether it is in the loop.
; CHECK-LABEL: trips: fibers: divergent-barrier:
define void @trips(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  call void @llvm.nvvm.barrier0()
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %t
  br i1 %c, label %body, label %done
done:
  call void @llvm.nvvm.barrier0()
  store i32 %i, ptr %out
  ret void
}

; Threads that part meet before the barriers between which all decide, those
; that have not ended.
; CHECK-LABEL: meet: 3 regions, some threads may end early
; CHECK-NEXT: 0 -> 1 2 end
; CHECK-NEXT: 1 -> end
; CHECK-NEXT: 2 -> end
; CODE-LABEL: define internal void @__gridspan_cpu.run.meet(
define void @meet(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ends = icmp eq i32 %t, 7
  br i1 %ends, label %done, label %head
head:
  %i = phi i32 [ %t, %entry ], [ %next, %head ]
  store i32 %i, ptr %out
  %next = add i32 %i, 32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %chosen
chosen:
  %all = icmp sgt i32 %n, 255
  br i1 %all, label %a, label %b
a:
  call void @llvm.nvvm.barrier0()
  br label %done
b:
  call void @llvm.nvvm.barrier0()
  store i32 %n, ptr %in
  br label %done
done:
  ret void
}

; They do not meet if what they decide depends on the turn in which they came.
; CHECK-LABEL: turns: fibers: divergent-barrier:
define void @turns(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %next = add i32 %i, 1
  %c = icmp slt i32 %i, %t
  br i1 %c, label %again, label %asked
asked:
  %third = icmp eq i32 %i, 3
  br i1 %third, label %a, label %asked.again
asked.again:
  %fifth = icmp eq i32 %i, 5
  br i1 %fifth, label %b, label %again
again:
  br label %head
a:
  call void @llvm.nvvm.barrier0()
  ret void
b:
  call void @llvm.nvvm.barrier0()
  store i32 %i, ptr %out
  ret void
}

; They have parted if the value by which they decide is theirs since then.
; CHECK-LABEL: bring: fibers: divergent-barrier:
define void @bring(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %less, label %chosen
less:
  br label %chosen
chosen:
  %way = phi i1 [ true, %entry ], [ false, %less ]
  br i1 %way, label %a, label %b
a:
  call void @llvm.nvvm.barrier0()
  ret void
b:
  call void @llvm.nvvm.barrier0()
  store i32 %n, ptr %out
  ret void
}

; What a variable holds does not pass a barrier behind which its lifetime starts:
; it is one of the region's then, not an element of an array. Its address may be
; one of several.
; CHECK-LABEL: choose: 2 regions
; CODE: define internal i32 @__gridspan_cpu.choose.{{[0-9]+}}.region.1(
; CODE: alloca i64
; CODE: alloca i64
; CODE: ret i32 1
; FAST-LABEL: define internal void @__gridspan_cpu.run.choose(
; FAST-NOT: __gridspan_cpu_frame
; FAST: {{^}}}
define void @choose(ptr %out, i32 %n) {
entry:
  %a = alloca i64
  %b = alloca i64
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %q = getelementptr i64, ptr %out, i64 %w
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %wait ]
  call void @llvm.lifetime.start.p0(i64 8, ptr %a)
  call void @llvm.lifetime.start.p0(i64 8, ptr %b)
  %old = load i64, ptr %q
  store i64 %old, ptr %a
  store i64 %w, ptr %b
  %c = icmp slt i64 %old, %w
  %less = select i1 %c, ptr %a, ptr %b
  %big = icmp sgt i64 %old, 7
  br i1 %big, label %other, label %wait
other:
  br label %wait
wait:
  %p = phi ptr [ %less, %body ], [ %b, %other ]
  %v = load i64, ptr %p
  store i64 %v, ptr %q
  call void @llvm.lifetime.end.p0(i64 8, ptr %a)
  call void @llvm.lifetime.end.p0(i64 8, ptr %b)
  call void @llvm.nvvm.barrier0()
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}

; All threads get the same from a reduction, and leave the loop together.
; CHECK-LABEL: until: 3 regions
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 1 2
; CHECK-NEXT: 2 -> end
define void @until(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %body
body:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %next = lshr i32 %i, 1
  %any = call i32 @llvm.nvvm.barrier0.or(i32 %next)
  %c = icmp ne i32 %any, 0
  br i1 %c, label %body, label %done
done:
  call void @llvm.nvvm.barrier0()
  store i32 %any, ptr %out
  ret void
}

; CHECK-LABEL: active: fibers: warp-operation:
define void @active() {
  %m = call i32 @llvm.nvvm.activemask()
  call void @llvm.nvvm.barrier0()
  ret void
}

; CHECK-LABEL: named: fibers: named-barrier:
define void @named() {
  call void @llvm.nvvm.barrier(i32 3, i32 64)
  ret void
}

; CHECK-LABEL: sleeps: fibers: spins:
define void @sleeps() {
  call void @llvm.nvvm.nanosleep(i32 3)
  call void @llvm.nvvm.barrier0()
  ret void
}

; CHECK-LABEL: exits: fibers: thread-exit:
define void @exits() {
  call void @llvm.nvvm.barrier0()
  call void @llvm.nvvm.exit()
  unreachable
}

; CHECK-LABEL: calls: fibers: barrier-in-function:
define void @calls() {
  call void @waits()
  ret void
}
define internal void @waits() noinline {
  call void @llvm.nvvm.barrier0()
  ret void
}

; CHECK-LABEL: dynamic: fibers: dynamic-alloca:
define void @dynamic(i32 %n) {
  %a = alloca i32, i32 %n
  store i32 %n, ptr %a
  call void @llvm.nvvm.barrier0()
  ret void
}

; CHECK-LABEL: large: fibers: large-variables:
define void @large(i32 %n) {
  %a = alloca [80000 x i32]
  store i32 %n, ptr %a
  call void @llvm.nvvm.barrier0()
  ret void
}

; CHECK-LABEL: plain: fibers: unoptimized:
define void @plain() noinline optnone {
  call void @llvm.nvvm.barrier0()
  ret void
}

; A parameter that nothing reads is no parameter that is only read as well.
; CHECK-LABEL: unread: 2 regions
; CODE: define internal i32 @__gridspan_cpu.unread.{{[0-9]+}}.region.0({{.*}}ptr noalias readonly align 8 %p
define void @unread(ptr byval([2 x i64]) align 8 readnone %p, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %out, i64 %w
  store i32 %t, ptr %q
  call void @llvm.nvvm.barrier0()
  store i32 0, ptr %q
  ret void
}

; Each of two reductions in a loop has a result of its own.
; CHECK-LABEL: both: 3 regions
; CODE-LABEL: define internal void @__gridspan_cpu.run.both(
; CODE: %[[ANY:.*]] = icmp ne i32
; CODE-NEXT: %[[OR:.*]] = zext i1 %[[ANY]] to i32
; CODE-NEXT: store i32 %[[OR]], ptr %[[FIRST:.*]], align 4
; CODE: %[[NONE:.*]] = icmp eq i32
; CODE-NEXT: %[[AND:.*]] = zext i1 %[[NONE]] to i32
; CODE-NOT: store i32 %[[AND]], ptr %[[FIRST]], align 4
; CODE: store i32 %[[AND]], ptr
define void @both(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %out, i64 %w
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %c = icmp eq i32 %t, %i
  %p = zext i1 %c to i32
  %or = call i32 @llvm.nvvm.barrier0.or(i32 %p)
  %twice = shl i32 %sum, 1
  %some = add i32 %twice, %or
  %and = call i32 @llvm.nvvm.barrier0.and(i32 %t)
  %more = add i32 %some, %and
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %body, label %done
done:
  store i32 %more, ptr %q
  ret void
}

declare i32 @llvm.nvvm.barrier0.or(i32)
declare i32 @llvm.nvvm.barrier0.and(i32)
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.barrier(i32, i32)
declare i32 @llvm.nvvm.activemask()
declare void @llvm.nvvm.nanosleep(i32)
declare void @llvm.nvvm.exit()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Threads take turns of their own where no barrier is among them, also in a loop
; around that has some.
; CHECK-LABEL: strided: 3 regions
; CHECK-NEXT: 0 -> 1
; CHECK-NEXT: 1 -> 2
; CHECK-NEXT: 2 -> 1 end
define void @strided(ptr %out, ptr %in, i32 %n, i32 %rows) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %any = icmp slt i32 %t, %n
  br label %row
row:
  %r = phi i32 [ 0, %entry ], [ %more, %joined ]
  br i1 %any, label %body, label %summed
body:
  %i = phi i32 [ %t, %row ], [ %next, %body ]
  %s = phi i32 [ 0, %row ], [ %sum, %body ]
  %square = mul i32 %i, %i
  %w = sext i32 %square to i64
  %p = getelementptr i32, ptr %in, i64 %w
  %v = load i32, ptr %p
  %sum = add i32 %s, %v
  %next = add i32 %i, %threads
  %c = icmp slt i32 %next, %n
  br i1 %c, label %body, label %summed
summed:
  %all = phi i32 [ 0, %row ], [ %sum, %body ]
  call void @llvm.nvvm.barrier0()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %store, label %joined
store:
  %at = getelementptr i32, ptr %out, i32 %r
  store i32 %all, ptr %at
  br label %joined
joined:
  call void @llvm.nvvm.barrier0()
  %more = add i32 %r, 1
  %again = icmp slt i32 %more, %rows
  br i1 %again, label %row, label %done
done:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20}
!0 = !{ptr @loop, !"kernel", i32 1}
!1 = !{ptr @early, !"kernel", i32 1}
!2 = !{ptr @uniform, !"kernel", i32 1}
!3 = !{ptr @divergent, !"kernel", i32 1}
!4 = !{ptr @trips, !"kernel", i32 1}
!5 = !{ptr @active, !"kernel", i32 1}
!6 = !{ptr @named, !"kernel", i32 1}
!7 = !{ptr @sleeps, !"kernel", i32 1}
!8 = !{ptr @exits, !"kernel", i32 1}
!9 = !{ptr @calls, !"kernel", i32 1}
!10 = !{ptr @dynamic, !"kernel", i32 1}
!11 = !{ptr @large, !"kernel", i32 1}
!12 = !{ptr @plain, !"kernel", i32 1}
!13 = !{ptr @unread, !"kernel", i32 1}
!14 = !{ptr @both, !"kernel", i32 1}
!15 = !{ptr @until, !"kernel", i32 1}
!16 = !{ptr @strided, !"kernel", i32 1}
!17 = !{ptr @meet, !"kernel", i32 1}
!18 = !{ptr @turns, !"kernel", i32 1}
!19 = !{ptr @bring, !"kernel", i32 1}
!20 = !{ptr @choose, !"kernel", i32 1}
