// __constant__ and __device__ variables and the calls that reach them, local
// arrays, vector types, structures by value, three-dimensional grids.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split constants --split shapes --split fields --split locals --refused counts=mutable-device-variable %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__constant__ float Coefficients[4] = {1, 2, 3, 4};
__constant__ int Offset;
__device__ const int Fixed[5] = {10, 20, 30, 40, 50};
__device__ int Table[5] = {10, 20, 30, 40, 50};
__device__ int *TablePointer = &Table[2];
__device__ unsigned Counter;

__global__ void constants(float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Coefficients[i % 4] * 10 + Offset + Fixed[i % 5];
}

__global__ void counts() { atomicAdd(&Counter, threadIdx.x); }

__global__ void sets(int value) { Table[0] = value; }

__global__ void pointers(int *out) { *out = TablePointer[1]; }

__global__ void shapes(float4 *out, int3 extent) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < extent.x && y < extent.y && z < extent.z)
    out[(z * extent.y + y) * extent.x + x] =
        make_float4(x, y, z, gridDim.x + 10 * gridDim.y + 100 * gridDim.z);
}

struct Field {
  short tag;
  double *data;
  struct {
    int n;
    double scale;
  } inner;
};
__global__ void fields(Field f, char c, Field g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < f.inner.n)
    f.data[i] = g.data[i] * f.inner.scale + c + g.tag;
}

__global__ void locals(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int history[16];
  for (int k = 0; k < 16; ++k)
    history[k] = (i + k) * k;
  if (i < n)
    out[i] = history[(i * 7) % 16] + history[i % 3];
}

int main() {
  const int n = 1000;
  static float floats[n];
  float *dFloats = toDevice(floats, n);
  float coefficients[4] = {5, 6, 7, 8};
  int offset = 3;
  CHECK(cudaMemcpyToSymbol(Coefficients, coefficients, sizeof(coefficients)));
  CHECK(cudaMemcpyToSymbol(Offset, &offset, sizeof(offset)));
  constants<<<n / 50, 50>>>(dFloats);
  toHost(floats, dFloats, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += floats[i] != coefficients[i % 4] * 10 + 3 + (i % 5 + 1) * 10;
  EXPECT(wrong == 0);

  unsigned counter = 5;
  CHECK(cudaMemcpyToSymbol(Counter, &counter, sizeof(counter)));
  counts<<<7, 10>>>();
  CHECK(cudaMemcpyFromSymbol(&counter, Counter, sizeof(counter)));
  EXPECT(counter == 5 + 7 * 45);

  const int3 extent = {13, 11, 9};
  const int cells = 13 * 11 * 9;
  static float4 shape[cells];
  float4 *dShape = toDevice(shape, cells);
  dim3 block(4, 3, 2), grid(4, 4, 5);
  shapes<<<grid, block>>>(dShape, extent);
  toHost(shape, dShape, cells);
  wrong = 0;
  for (int i = 0; i < cells; ++i)
    wrong += shape[i].x != i % 13 || shape[i].y != i / 13 % 11 ||
             shape[i].z != i / 143 || shape[i].w != 4 + 40 + 500;
  EXPECT(wrong == 0);

  static double doubles[n];
  for (int i = 0; i < n; ++i)
    doubles[i] = i;
  Field f = {1, toDevice(doubles, n), {n - 3, 0.5}};
  Field g = {2, toDevice(doubles, n), {0, 0}};
  fields<<<(n + 63) / 64, 64>>>(f, 'A', g);
  toHost(doubles, f.data, n);
  wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += doubles[i] != (i < n - 3 ? i * 0.5 + 'A' + 2 : i);
  EXPECT(wrong == 0);

  static int ints[n];
  int *dMany = toDevice(ints, n);
  locals<<<(n + 63) / 64, 64>>>(dMany, n);
  toHost(ints, dMany, n);
  wrong = 0;
  for (int i = 0; i < n; ++i) {
    int a = i * 7 % 16, b = i % 3;
    wrong += ints[i] != (i + a) * a + (i + b) * b;
  }
  EXPECT(wrong == 0);
  // Part of an array, by address.
  void *address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, Table));
  CHECK(cudaGetSymbolSize(&bytes, Table));
  EXPECT(bytes == 5 * sizeof(int));
  int table[5] = {1, 2, 3, 4, 5}, back[5] = {};
  CHECK(cudaMemcpy(address, table, sizeof(table), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyFromSymbol(back, Table, 2 * sizeof(int), sizeof(int)));
  EXPECT(back[0] == 2 && back[1] == 3);
  int *dInts = toDevice(back, 5);
  pointers<<<1, 1>>>(dInts);
  toHost(back, dInts, 1);
  EXPECT(back[0] == 4);
  // In the order of the stream, also where nobody waits at the copy.
  int *pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, sizeof(int)));
  sets<<<1, 1>>>(77);
  CHECK(cudaMemcpyFromSymbolAsync(pinned, Table, sizeof(int), 0,
                                  cudaMemcpyDeviceToHost, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*pinned == 77);
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaGetLastError());
  return finish();
}
