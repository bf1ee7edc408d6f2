// Advice on a data layout in a whole compilation: a remark, the record of
// optimizations of the device side, and a file that gridspan-advice ranks. Both
// sides of the compilation write a record, so that the device's gets a name.
// RUN: %gridspan++ -O2 -lineinfo -Rpass-analysis=gridspan \
// RUN:   -fsave-optimization-record \
// RUN:   -Xarch_device -foptimization-record-file=%t.device.yaml \
// RUN:   -mllvm -gridspan-grid=move:65536 -mllvm -gridspan-param=1=16777216 \
// RUN:   -mllvm -gridspan-advice=%t.json -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=RECORD --input-file=%t.device.yaml
// RUN: gridspan-advice %t.json --sarif %t.sarif --html %t.html \
// RUN:   --source-dir %src_root \
// RUN:   | FileCheck %s --check-prefix=RANKED
// RUN: %python %src_root/test/tools/gridspan-advice/Inputs/check_sarif.py %t.sarif
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void move(Particle *p, int n, float t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p[i].x += p[i].vx * t;
    p[i].y += p[i].vy * t;
    p[i].z += p[i].vz * t;
  }
}

// CHECK: layout-advice.cu:[[# @LINE - 6]]:{{[0-9]+}}: remark: kernel move(Particle*, int, float): p (struct.Particle) is an array of structs of 32 bytes; a launch of about {{.*}}: make it a struct of arrays: predicted {{[2-4]}}.{{.*}} times as fast
// RECORD: Name: data-layout
// RECORD: Line: [[# @LINE - 8]],
// RECORD: Advice:{{.*}}make it a struct of arrays
// RANKED: 1. {{.*}}layout-advice.cu:{{[0-9:]+}}: move(Particle*, int, float) [data-layout]
// RANKED-NEXT: saves about {{.*}} us a launch
// RANKED: [uncoalesced-access]
// PAGE: p[i].x += p[i].vx * t;
// PAGE-NEXT: is an array of structs of 32 bytes
