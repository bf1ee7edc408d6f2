// Steps that are waited for, on data of 1.05 to 1.5 times the devices' memory:
// what has room there stays from one step to the next, so that only the rest
// crosses the bus. Events around the steps, which are made and destroyed each
// time, change nothing about steps that nobody waits for; a few passes do for
// these, as a thread may begin with some of them while the host is slow.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=4MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 4400000 20 1 | FileCheck %s
// RUN: %python %S/Inputs/fits.py %t.json 4400000 4194304 20
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=4MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 6300000 20 1 | FileCheck %s
// RUN: %python %S/Inputs/fits.py %t.json 6300000 4194304 20
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=4MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 10500000 20 1 | FileCheck %s
// RUN: %python %S/Inputs/fits.py %t.json 10500000 8388608 20
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=4MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 6300000 20 20 | FileCheck %s
// RUN: %python %S/Inputs/fits.py %t.json 6300000 4194304 5
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=4MiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 10500000 20 20 managed | FileCheck %s
// RUN: %python %S/Inputs/fits.py %t.json 10500000 8388608 5
//
// CHECK: sum {{[0-9]+}}
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

__global__ void step(unsigned *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = 3 * p[i] + 1;
}

int main(int argc, char **argv) {
  const int n = std::atoi(argv[1]) / 4, steps = std::atoi(argv[2]);
  const int together = std::atoi(argv[3]);
  unsigned *p;
  if (argc > 4)
    CHECK(cudaMallocManaged(&p, n * sizeof(unsigned)));
  else
    CHECK(cudaMalloc(&p, n * sizeof(unsigned)));
  CHECK(cudaMemset(p, 0, n * sizeof(unsigned)));
  std::vector<cudaEvent_t> ends(steps);
  unsigned value = 0;
  for (int s = 0; s < steps; ++s) {
    cudaEvent_t begin;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&ends[s]));
    CHECK(cudaEventRecord(begin));
    step<<<(n + 127) / 128, 128>>>(p, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(ends[s]));
    if ((s + 1) % together == 0) {
      float ms = -1;
      CHECK(cudaEventSynchronize(ends[s]));
      CHECK(cudaEventElapsedTime(&ms, begin, ends[s]));
      EXPECT(ms >= 0);
    }
    CHECK(cudaEventDestroy(begin));
    value = 3 * value + 1;
  }
  std::vector<unsigned> all(n);
  toHost(all.data(), p, n);
  unsigned long long sum = 0;
  for (unsigned v : all) {
    EXPECT(v == value);
    sum += v;
  }
  std::printf("sum %llu\n", sum);
  for (cudaEvent_t end : ends)
    CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(p));
  return finish();
}
