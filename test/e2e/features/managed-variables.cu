// __managed__ variables: initial values, arrays, structures, pointers, static
// members, templates, variables of the same name in two files, host code before
// and after launches, host initializers and static constructors, copies by
// symbol, a reset. On one device, on several, without peer access, and paged.
//
// RUN: %gridspan++ -O2 %s %S/Inputs/managed-variables-2.cu -o %t 2>&1 | count 0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck --check-prefix SPLIT %s < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: %gridspan++ -O0 %s %S/Inputs/managed-variables-2.cu -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t.O0 | FileCheck %s
//
// SPLIT: "name": "scale(
// SPLIT: "split_launches": 1
// CHECK: PASS

#include "../Inputs/check.h"

constexpr int N = 100000;

struct Mixed {
  char tag;
  double values[3];
  short count;
};

__device__ __managed__ int counter = 7;
__managed__ __device__ float table[5] = {1, 2, 4, 8};
__managed__ float large[N];
static __managed__ Mixed mixed = {'m', {0.5, -1, 2}, -3};
__managed__ float *pointer = nullptr;
namespace inner {
__managed__ bool flag = true;
}
struct Holder {
  static __managed__ long long member;
};
__managed__ long long Holder::member = -1;
template <typename T> __managed__ T kept = T(3);
// The other file has one of its own.
static __managed__ int same = 1;
static __managed__ int onlyOfDevices = 40;

// Initializers with addresses, and constructors before main.
int *const atCounter = &counter;
struct {
  int number;
  float *at[2];
} places = {5, {table, &table[2]}};
static int seenEarly = counter + mixed.count;
static struct Early {
  Early() { table[4] = 16; }
} early;

int incremented();

__global__ void scale(float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    large[i] = factor * i + table[i % 5];
}

__global__ void change() {
  counter += 100;
  mixed.values[1] *= 2;
  mixed.count++;
  pointer[0] = table[1];
  inner::flag = !inner::flag;
  Holder::member *= 5;
  kept<int> += same + onlyOfDevices;
}

__global__ void count() { atomicAdd(&counter, 1); }

static int choose(bool first) { return *(first ? &counter : &kept<int>); }

int main() {
  EXPECT(seenEarly == 4);
  EXPECT(table[4] == 16 && table[2] == 4);
  EXPECT(atCounter == &counter && *atCounter == 7);
  EXPECT(places.number == 5 && *places.at[1] == 4);
  EXPECT(sizeof(mixed) == sizeof(Mixed) && mixed.tag == 'm');
  EXPECT(mixed.values[0] == 0.5 && mixed.values[2] == 2);
  counter = 1;
  CHECK(cudaMallocManaged(&pointer, sizeof(float)));
  scale<<<(N + 127) / 128, 128>>>(2);
  change<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < N; ++i)
    wrong += large[i] != 2.0f * i + table[i % 5];
  EXPECT(wrong == 0);
  EXPECT(counter == 101 && choose(true) == 101);
  EXPECT(mixed.values[1] == -2 && mixed.count == -2);
  EXPECT(*pointer == 2 && !inner::flag && Holder::member == -5);
  EXPECT(kept<int> == 44 && choose(false) == 44);
  EXPECT(incremented() == 12 && same == 1);
  counter = 0;
  count<<<20, 64>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(counter == 20 * 64);

  // By symbol.
  float copied[5] = {};
  CHECK(cudaMemcpyFromSymbol(copied, table, sizeof(table)));
  EXPECT(copied[3] == 8 && copied[4] == 16);
  float nine = 9;
  CHECK(cudaMemcpyToSymbol(table, &nine, sizeof(nine), 2 * sizeof(float)));
  EXPECT(table[2] == 9);
  void *address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  EXPECT(address == table && bytes == sizeof(table));
  EXPECT(cudaMemcpyFromSymbol(copied, table, sizeof(table), 4) ==
         cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);

  // Memory like any managed memory, but for its end.
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, &table[1]));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  EXPECT(attributes.devicePointer == &table[1]);
  EXPECT(cudaFree(table) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(large, large + 10, sizeof(float), cudaMemcpyDefault));
  EXPECT(large[0] == large[10]);

  CHECK(cudaDeviceReset());
  EXPECT(counter == 7 && table[2] == 4 && large[10] == 0);
  count<<<2, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(counter == 9);
  return finish();
}
