; RUN: %opt -passes='print<gridspan-legality>' -disable-output %s 2>&1 | FileCheck %s
; Waiting for the launch before, and letting the next one begin, changes no
; result.

; CHECK: kernel k: may be split

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %p) {
  call void asm sideeffect "griddepcontrol.wait;", "~{memory}"()
  store i32 1, ptr %p
  call void asm sideeffect "griddepcontrol.launch_dependents;", ""()
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
