// What is only read is loaded through the read-only path, also behind pointers
// in a struct.
// RUN: %gridspan++ -O2 --cuda-device-only -S -mllvm -gridspan-noalias=false %s -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: %gridspan++ -O2 --cuda-device-only -S %s -o - \
// RUN:   | FileCheck %s

struct View {
  const float *in;
  float *out;
};

// PLAIN-NOT: ld.global.nc
// PLAIN-NOT: __noalias
// CHECK: .visible .entry _Z6smooth4Viewi__noalias(
// CHECK: ld.global.nc.f32
// CHECK: .visible .entry _Z6smooth4Viewi__gridspan__noalias(
// CHECK: ld.global.nc.f32
__global__ void smooth(View v, int n) {
  for (int i = 1; i < n - 1; ++i)
    v.out[i] = v.in[i - 1] + v.in[i] + v.in[i + 1];
}
