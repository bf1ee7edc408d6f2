; Every device function gets the thread's parameters; calls, also through pointers
; and recursive ones, hand them on. sret is dropped: it may not be the fifth.
; RUN: %opt -passes=gridspan-cpu-lower -gridspan-cpu-trace=false -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@table = addrspace(1) global [2 x ptr] [ptr @f, ptr @g]

; Function addresses are constants of the image.
; CHECK: @__gridspan_cpu.image = internal constant <{ [2 x ptr] }> <{ [2 x ptr] [ptr @__gridspan_cpu.f, ptr @__gridspan_cpu.g] }>
; CHECK: @__gridspan_cpu_module = {{.*}} { ptr @__gridspan_cpu.image, ptr null,

; CHECK: define internal i32 @__gridspan_cpu.f(ptr noundef {{.*}}%block, i32 noundef {{.*}}%tid.x, i32 noundef {{.*}}%tid.y, i32 noundef {{.*}}%tid.z, i32 %n)
define i32 @f(i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %done, label %more
more:
  %m = sub i32 %n, 1
; CHECK: call i32 @__gridspan_cpu.f(ptr %block, i32 %tid.x, i32 %tid.y, i32 %tid.z, i32 %m)
  %r = call i32 @f(i32 %m)
  ret i32 %r
done:
  ret i32 %n
}

define i32 @g(i32 %n) {
  ret i32 %n
}

define void @s(ptr noalias sret(i64) %r) {
  store i64 1, ptr %r
  ret void
}

define void @k(ptr %out, i64 %i) {
  %p = getelementptr [2 x ptr], ptr addrspace(1) @table, i64 0, i64 %i
  %fn = load ptr, ptr addrspace(1) %p
; CHECK: call i32 %fn(ptr %block, i32 %tid.x, i32 %tid.y, i32 %tid.z, i32 3)
  %r = call i32 %fn(i32 3)
  store i32 %r, ptr %out
; CHECK: call void @__gridspan_cpu.s({{.*}}, ptr %out)
  call void @s(ptr sret(i64) %out)
  ret void
}

; CHECK: define internal void @__gridspan_cpu.s({{.*}}, ptr noalias %r)

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
