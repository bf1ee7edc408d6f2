; What only a kernel calls is inlined into it, if it accesses memory: also what
; that calls. Functions with two calls, that call themselves, whose address is
; taken, that may be replaced, that are to stay, that take as much local memory
; as they are told, and that calculate only, are not. What another function calls is left to that.
; RUN: %opt -passes=gridspan-inline-single-calls -S %s | FileCheck %s
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-pc-linux-gnu/' %s \
; RUN:   | %opt -passes=gridspan-inline-single-calls -S - \
; RUN:   | FileCheck %s --check-prefix=HOST

target triple = "nvptx64-nvidia-cuda"

@table = global ptr @taken

define void @once(ptr %p) {
  store i32 1, ptr %p
  call void @inner(ptr %p)
  ret void
}

define linkonce_odr void @inner(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 8
  store i32 2, ptr %q
  ret void
}

define void @cycle(ptr %p) {
  store i32 9, ptr %p
  call void @back(ptr %p)
  ret void
}

define void @back(ptr %p) {
  call void @cycle(ptr %p)
  ret void
}

define void @passes_itself(ptr %self, ptr %p) {
  store i32 10, ptr %p
  call void %self(ptr %self, ptr %p)
  ret void
}

define void @has_dynamic_memory(ptr %p, i32 %n) {
  %a = alloca i32, i32 %n
  store ptr %a, ptr %p
  ret void
}

define void @twice(ptr %p) {
  store i32 3, ptr %p
  ret void
}

define void @recursive(ptr %p, i32 %n) {
  store i32 4, ptr %p
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %again, label %end
again:
  %less = sub i32 %n, 1
  call void @recursive(ptr %p, i32 %less)
  br label %end
end:
  ret void
}

define void @taken(ptr %p) {
  store i32 5, ptr %p
  ret void
}

define weak void @replaced(ptr %p) {
  store i32 6, ptr %p
  ret void
}

define void @stays(ptr %p) noinline {
  store i32 7, ptr %p
  ret void
}

define i32 @calculates(i32 %n) memory(none) {
  %r = mul i32 %n, %n
  ret i32 %r
}

define void @deep(ptr %p) {
  store i32 8, ptr %p
  ret void
}

define void @other(ptr %p) {
  call void @deep(ptr %p)
  ret void
}

; CHECK-LABEL: define void @kernel(
; CHECK-NEXT:    store i32 1, ptr %p
; CHECK-NEXT:    [[Q:%.*]] = getelementptr i8, ptr %p, i64 8
; CHECK-NEXT:    store i32 2, ptr [[Q]]
; CHECK-NEXT:    call void @twice(
; CHECK-NEXT:    call void @twice(
; CHECK-NEXT:    call void @cycle(
; CHECK-NEXT:    call void @passes_itself(
; CHECK-NEXT:    call void @has_dynamic_memory(
; CHECK-NEXT:    call void @recursive(
; CHECK-NEXT:    call void @taken(
; CHECK-NEXT:    call void @replaced(
; CHECK-NEXT:    call void @stays(
; CHECK-NEXT:    call i32 @calculates(
; HOST-LABEL: define void @kernel(
; HOST-NEXT:    call void @once(
define void @kernel(ptr %p, i32 %n) {
  call void @once(ptr %p)
  call void @twice(ptr %p)
  call void @twice(ptr %p)
  call void @cycle(ptr %p)
  call void @passes_itself(ptr @passes_itself, ptr %p)
  call void @has_dynamic_memory(ptr %p, i32 %n)
  call void @recursive(ptr %p, i32 %n)
  call void @taken(ptr %p)
  call void @replaced(ptr %p)
  call void @stays(ptr %p)
  %r = call i32 @calculates(i32 %n)
  store i32 %r, ptr %p
  ret void
}

; CHECK-LABEL: define void @calls_other(
; CHECK-NEXT:    call void @other(
; CHECK-NEXT:    call void @other(
define void @calls_other(ptr %p) {
  call void @other(ptr %p)
  call void @other(ptr %p)
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @kernel, !"kernel", i32 1}
!1 = !{ptr @calls_other, !"kernel", i32 1}
