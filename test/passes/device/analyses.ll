; Facts about kernels are computed once for all that ask, and again where they
; are stale.

; RUN: %opt -disable-output -debug-pass-manager %s \
; RUN:   -passes='print<gridspan-legality>,print<gridspan-legality>,print<gridspan-host-signals>,print<gridspan-host-signals>,print<gridspan-access>,print<gridspan-access>,print<gridspan-grid-stride>,print<gridspan-grid-stride>' \
; RUN:   2>&1 | FileCheck %s --check-prefix=ONCE
; RUN: %opt -disable-output -debug-pass-manager %s \
; RUN:   -passes='print<gridspan-access>,gridspan-sites,print<gridspan-access>' \
; RUN:   2>&1 | FileCheck %s --check-prefix=NUMBERED
; RUN: %opt -disable-output -debug-pass-manager %s \
; RUN:   -passes='print<gridspan-legality>,gridspan-device' \
; RUN:   2>&1 | FileCheck %s --check-prefix=DEVICE
; RUN: %opt -disable-output -debug-pass-manager %s \
; RUN:   -passes='function(require<gridspan-grid-stride>,invalidate<gridspan-grid-stride>,require<gridspan-grid-stride>)' \
; RUN:   2>&1 | FileCheck %s --check-prefix=INVALID

target triple = "nvptx64-nvidia-cuda"

; ONCE-COUNT-1: Running analysis: {{.*}}LegalityAnalysis
; ONCE-NOT: Running analysis: {{.*}}LegalityAnalysis
; ONCE-COUNT-1: Running analysis: {{.*}}HostSignalAnalysis
; ONCE-NOT: Running analysis: {{.*}}HostSignalAnalysis
; ONCE-COUNT-1: Running analysis: {{.*}}KernelSummaryAnalysis
; ONCE-NOT: Running analysis: {{.*}}KernelSummaryAnalysis
; ONCE-COUNT-1: Running analysis: {{.*}}GridStrideAnalysis
; ONCE-NOT: Running analysis: {{.*}}GridStrideAnalysis

; NUMBERED: Running analysis: {{.*}}KernelSummaryAnalysis
; NUMBERED: Invalidating analysis: {{.*}}KernelSummaryAnalysis
; NUMBERED: Running analysis: {{.*}}KernelSummaryAnalysis

; DEVICE: Running analysis: {{.*}}LegalityAnalysis
; DEVICE-NOT: Running analysis: {{.*}}LegalityAnalysis
; DEVICE: Invalidating analysis: {{.*}}LegalityAnalysis

; INVALID: Running analysis: {{.*}}GridStrideAnalysis
; INVALID: Invalidating analysis: {{.*}}GridStrideAnalysis
; INVALID: Running analysis: {{.*}}GridStrideAnalysis

define void @k(ptr %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %tid
  store i32 1, ptr %at
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
