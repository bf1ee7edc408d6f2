; Compilations of a build that are given one name leave each other's advice
; alone: other sources, other architectures; the last one of its kind counts.
; RUN: rm -rf %t && mkdir %t
; RUN: sed -e 's/"one.cu"/"two.cu"/' -e 's/sm_90/sm_80/' %s > %t/two.ll
; RUN: sed -e 's/sm_90/sm_80/' -e 's/float 0.0/float 1.0/' %s > %t/one80.ll
; RUN: sed -e 's/ptx_kernel //' %s > %t/none.ll
; RUN: %opt -passes=gridspan-advice -disable-output %t/two.ll -gridspan-advice=%t/all.json
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t/all.json
; RUN: %opt -passes=gridspan-advice -disable-output %t/one80.ll -gridspan-advice=%t/all.json
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t/all.json
; RUN: grep -E '"(source|target|mangled)"' %t/all.json | FileCheck %s --match-full-lines --strict-whitespace
; The order of the compilations makes no difference.
;      CHECK:      "mangled": "columns",
; CHECK-NEXT:      "source": "one.cu",
; CHECK-NEXT:      "target": "sm_80"
; CHECK-NEXT:      "mangled": "columns",
; CHECK-NEXT:      "source": "one.cu",
; CHECK-NEXT:      "target": "sm_90"
; CHECK-NEXT:      "mangled": "columns",
; CHECK-NEXT:      "source": "two.cu",
; CHECK-NEXT:      "target": "sm_80"
; The code of each is there once, too.
; CHECK-NEXT:      "source": "one.cu",
; CHECK-NEXT:      "target": "sm_80"
; CHECK-NEXT:      "source": "one.cu",
; CHECK-NEXT:      "target": "sm_90"
; CHECK-NEXT:      "source": "two.cu",
; CHECK-NEXT:      "target": "sm_80"
; CHECK-NEXT:  "source": "one.cu",
; CHECK-NEXT:  "target": "sm_90",

; A source that has lost its kernels.
; RUN: %opt -passes=gridspan-advice -disable-output %t/none.ll -gridspan-advice=%t/all.json
; RUN: grep -E '"(source|target|mangled)"' %t/all.json | FileCheck %s --check-prefix=LESS
; LESS:      "one.cu"
; LESS-NEXT: "sm_80"
; LESS-NEXT: "columns"
; LESS-NEXT: "two.cu"
; LESS-NEXT: "sm_80"
; LESS-NEXT: "one.cu"
; LESS-NEXT: "sm_80"
; LESS-NEXT: "two.cu"
; LESS-NEXT: "sm_80"
; LESS-NEXT: "one.cu"
; LESS-NEXT: "sm_90"
; LESS-NOT:  "sm

; A folder has a file for each.
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=%t/folder/
; RUN: %opt -passes=gridspan-advice -disable-output %t/two.ll -gridspan-advice=%t/folder
; RUN: %opt -passes=gridspan-advice -disable-output %t/two.ll -gridspan-advice=%t/folder
; RUN: ls %t/folder | FileCheck %s --check-prefix=FOLDER
; FOLDER: {{^}}one.cu-{{[0-9a-f]+}}.sm_90.json{{$}}
; FOLDER-NEXT: {{^}}two.cu-{{[0-9a-f]+}}.sm_80.json{{$}}
; FOLDER-NOT: json
; RUN: gridspan-advice %t/folder | FileCheck %s --check-prefix=LIST
; RUN: gridspan-advice %t/all.json %t/folder | FileCheck %s --check-prefix=BOTH
; LIST: columns (sm_{{[89]}}0) [uncoalesced-access]
; LIST: 2 accesses, 0 not known, 2 to improve
; BOTH: 3 accesses, 0 not known, 3 to improve

; Jobs that write at once.
; RUN: bash -c 'for Job in 1 2 3 4 5 6; do \
; RUN:     sed "s/one.cu/job$Job.cu/" %s > %t/job$Job.ll; \
; RUN:     %opt -passes=gridspan-advice -disable-output %t/job$Job.ll \
; RUN:       -gridspan-advice=%t/jobs.json & \
; RUN:   done; wait'
; RUN: gridspan-advice %t/jobs.json | grep -c "[0-9][.] .*columns" | FileCheck %s --check-prefix=JOBS
; JOBS: 6

; What is no advice is not lost.
; RUN: cp %s %t/source.cu
; RUN: not %opt -passes=gridspan-advice -disable-output %s \
; RUN:   -gridspan-advice=%t/source.cu 2>&1 | FileCheck %s --check-prefix=OTHER
; RUN: cmp %s %t/source.cu
; OTHER: error: cannot write {{.*}}source.cu: it is there already and is not advice of version 1
; A pipe is written to.
; RUN: %opt -passes=gridspan-advice -disable-output %s -gridspan-advice=/dev/stdout | grep -q '"version": 1'

source_filename = "one.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @columns(ptr %x, i32 %n) #0 {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, %n
  %wide = sext i32 %row to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p, align 4
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
