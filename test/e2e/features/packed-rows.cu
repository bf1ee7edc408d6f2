// Matrices larger than the memory of all devices, read down their columns: pieces
// of rows are packed for each chunk, with the same results.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.expected
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_REPORT=1 %t 2> %t.report > %t.out
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.report
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=128KiB %t | diff %t.expected - %}
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=64KiB %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_PEER=0 %t | diff %t.expected -
//
// CHECK-DAG: product{{.*}}: rows of parameter 2 are packed for each chunk
// CHECK-DAG: tiled{{.*}}: rows of parameter 2 are packed for each chunk
// Two windows of one matrix: not packed.
// CHECK-DAG: symmetric{{.*}}: parameter 1 is read and written on the host: block-needs-too-much
// CHECK-DAG: columnSums{{.*}}: rows of parameter 1 are packed for each chunk
// CHECK-DAG: mixed{{.*}}: rows of parameter 1 are packed for each chunk
// CHECK-DAG: everyOther{{.*}}: rows of parameter 1 are packed for each chunk

#include "../Inputs/check.h"
#include <cstring>
#include <vector>

constexpr int N = 331,
              Tile = 16; // rows of 1324 bytes: no page holds whole ones

__global__ void product(const float *a, const float *b, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

// Through shared memory, with neighbouring columns and vector loads of A.
__global__ void tiled(const float *__restrict__ a, const float *__restrict__ b,
                      float *__restrict__ c, int n) {
  __shared__ float rows[Tile][Tile], columns[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += Tile) {
    int row = k + threadIdx.y, column = k + threadIdx.x;
    rows[threadIdx.y][threadIdx.x] =
        y < n && column < n ? a[y * n + column] : 0;
    columns[threadIdx.y][threadIdx.x] = x < n && row < n ? b[row * n + x] : 0;
    __syncthreads();
    for (int j = 0; j < Tile; ++j)
      sum += rows[threadIdx.y][j] * columns[j][threadIdx.x];
    __syncthreads();
  }
  if (x < n && y < n)
    c[y * n + x] = sum;
}

// C = B^T B: both operands are columns of one matrix.
__global__ void symmetric(const float *b, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += b[k * n + x] * b[k * n + y];
  c[y * n + x] = sum;
}

__global__ void columnSums(const float *b, float *sums, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += b[size_t(k) * n + x];
  sums[x] = sum;
}

// Besides whole columns, neighbours in one row: not all loads step by rows. Both
// loops go backwards, the first one also from rows that are not there.
__global__ void mixed(const float *b, float *sums, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  float sum = 0;
  for (int k = n + 7; k >= 0; --k)
    if (k < n)
      sum += b[k * n + x];
  for (int j = 8; j >= 0; --j)
    if (x + j < n)
      sum += b[5 * n + x + j] * j;
  sums[x] = sum;
}

// Every other row: each step is two rows of the matrix.
__global__ void everyOther(const float *b, float *sums, unsigned n) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n)
    return;
  float sum = 0;
  for (unsigned k = 0; k < n; k += 2)
    sum += b[size_t(k) * n + x];
  sums[x] = sum;
}

static void show(const char *name, const float *device, int count) {
  CHECK(cudaDeviceSynchronize());
  std::vector<float> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(float),
                   cudaMemcpyDeviceToHost));
  unsigned long long hash = 1469598103934665603ull;
  for (float f : host) {
    unsigned bits;
    std::memcpy(&bits, &f, sizeof(bits));
    hash = (hash ^ bits) * 1099511628211ull;
  }
  printf("%s %016llx\n", name, hash);
}

int main() {
  const size_t bytes = size_t(N) * N * sizeof(float);
  std::vector<float> host(N * N);
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  for (int i = 0; i < N * N; ++i)
    host[i] = float(i * 2654435761u >> 20 & 255) / 16;
  CHECK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  for (float &f : host)
    f = 8 - f;
  CHECK(cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice));

  dim3 block(Tile, Tile), grid((N + Tile - 1) / Tile, (N + Tile - 1) / Tile);
  for (int round = 0; round < 2; ++round) {
    product<<<grid, block>>>(a, b, c, N);
    show("product", c, N * N);
    tiled<<<grid, block>>>(a, b, c, N);
    show("tiled", c, N * N);
    // The second round reads what this one has left on devices.
    symmetric<<<grid, block>>>(b, c, N);
    show("symmetric", c, N * N);
    columnSums<<<(N + 31) / 32, 32>>>(c, a, N);
    show("sums", a, N);
    mixed<<<(N + 31) / 32, 32>>>(c, a, N);
    show("mixed", a, N);
    everyOther<<<(N + 31) / 32, 32>>>(c, a, N);
    show("every other", a, N);
    std::swap(b, c);
  }
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  return finish();
}
