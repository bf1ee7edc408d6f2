; Malformed options are said and end the run.
; RUN: not %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=32x0 2>&1 | FileCheck %s --check-prefix=ZERO
; RUN: not %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-block=64x32 2>&1 | FileCheck %s --check-prefix=THREADS
; RUN: not %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-grid=1x2x3x4 2>&1 | FileCheck %s --check-prefix=AXES
; RUN: not %opt -passes='print<gridspan-coalescing>' -disable-output %s \
; RUN:   -gridspan-param=n=4 2>&1 | FileCheck %s --check-prefix=PARAM

; ZERO: -gridspan-block=32x0: expected positive numbers, like 32x8
; THREADS: -gridspan-block=64x32: expected at most 1024 threads
; AXES: -gridspan-grid=1x2x3x4: expected at most three numbers, like 32x8
; PARAM: -gridspan-param=n=4: expected [kernel:]index[+byte]=value
target triple = "nvptx64-nvidia-cuda"
