// Advice is for the launches of the run where the report says what they were,
// with the names of the source. Nothing is compiled again.
//
// RUN: rm -f %t.json
// RUN: %gridspan++ -O2 -lineinfo -arch=sm_90 -mllvm -gridspan-advice=%t.json \
// RUN:   -mllvm -gridspan-param=unused:0=3 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu GRIDSPAN_REPORT=%t.run.json %t
// RUN: gridspan-advice %t.json | FileCheck %s --check-prefix=COMPILED
// RUN: gridspan-advice %t.json --report %t.run.json --all 2>&1 | FileCheck %s
// RUN: gridspan-advice %t.json --report %t.run.json --as-compiled 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEPT
//
// COMPILED: store of 4 bytes to d_columns takes
// COMPILED: kernel scatter(float*, View, int) {{.*}} n = {{[0-9]+}}{{.*}}(assumed: grid, block
//
// CHECK-NOT: warning
// CHECK: store of 4 bytes to d_columns takes 31.6 sectors of 32 bytes a warp
// CHECK-NOT: see below
// CHECK: kernel scatter(float*, View, int) {{.*}}: 40 blocks of 64 threads, {{.*}}n = 2500{{$}}
// CHECK-NEXT: 2 of 3 launches of the run were like this
// CHECK-NEXT: predicted {{[0-9.]+}} us, limited by
// Overloads have options of their own.
// CHECK-DAG: kernel fill(float*, int) {{.*}}: 3 blocks of 32 threads, n = 70
// CHECK-DAG: kernel fill(int*, int) {{.*}}: 5 blocks of 128 threads, n = 600
//
// A grid that is as assumed stays where the block is not.
// CHECK-DAG: kernel flip(float*, bool) {{.*}}: 4096 blocks of 64 threads{{$}}
//
// KEPT: computed for {{.*}}, not for what ran: see below
// KEPT: the run had 40 blocks of 64 threads, {{.*}}n = 2500{{.*}} in 2 of 3 launches; compile for that:
//
// Without the code, or with code that is damaged, the compiler's numbers stay.
//
// RUN: rm -f %t.bare.json
// RUN: %gridspan++ -O2 -arch=sm_90 -mllvm -gridspan-advice=%t.bare.json \
// RUN:   -mllvm -gridspan-advice-code=false -c %s -o %t.o
// RUN: gridspan-advice %t.bare.json --report %t.run.json | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/"code": "..../"code": "AAAA/' %t.json > %t.damaged.json
// RUN: gridspan-advice %t.damaged.json --report %t.run.json > %t.kept 2> %t.warning
// RUN: FileCheck %s --check-prefix=KEPT < %t.kept
// RUN: FileCheck %s --check-prefix=DAMAGED < %t.warning
// DAMAGED: damaged.json: the launches of the run cannot be looked at: {{.*}}advice-launches.cu: no device code

struct View {
  const float *rows;
  int pitch;
};

__global__ void scatter(float *d_columns, View view, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    d_columns[i * view.pitch] = view.rows[i];
}

__global__ void fill(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 1;
}

__global__ void fill(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 1;
}

__global__ void flip(float *x, bool up) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = up ? 1 : -1;
}

int main() {
  float *to, *from;
  cudaMalloc(&to, 2500 * 33 * sizeof(float));
  cudaMalloc(&from, 2500 * sizeof(float));
  fill<<<3, 32>>>(from, 70);
  fill<<<5, 128>>>(reinterpret_cast<int *>(from), 600);
  for (int step = 0; step < 2; ++step)
    scatter<<<40, 64>>>(to, {from, 33}, 2500);
  scatter<<<1, 32>>>(to, {from, 33}, 20);
  float *all;
  cudaMalloc(&all, 4096 * 64 * sizeof(float));
  flip<<<4096, 64>>>(all, true);
  return cudaDeviceSynchronize();
}
