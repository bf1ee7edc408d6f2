// A rank that has no room is left out of launches which need some there, and is
// named; the results are right.
//
// REQUIRES: mpi
// RUN: %gridspan++ -O2 %untraced %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json \
// RUN:   gridspan-run -n 2 %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

#include "../e2e/Inputs/check.h"
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <vector>

// CHECK-DAG: gridspan: rank 1 on {{.*}}: {{[0-9]+}} bytes of addresses cannot be had here
// CHECK-DAG: small right
// CHECK-DAG: large right
// REPORT-DAG: "split_launches": 1,
// REPORT-DAG: "why_whole": "no-room-for-copies"

// Before ranks begin to serve. MPI takes less.
__attribute__((constructor(101))) static void limitRankOne() {
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char *rank = getenv(name); rank && !strcmp(rank, "1")) {
      const rlimit limit = {rlim_t(2) << 30, rlim_t(2) << 30};
      setrlimit(RLIMIT_AS, &limit);
    }
}

__global__ void add(int *data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void run(const char *name, size_t bytes) {
  constexpr int n = 1 << 20;
  int *data;
  CHECK(cudaMalloc(&data, bytes));
  CHECK(cudaMemset(data, 0, n * sizeof(int)));
  add<<<n / 256, 256>>>(data);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> host(n);
  CHECK(cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
  int right = 0;
  for (int got : host)
    right += got == 1;
  printf("%s %s\n", name, right == n ? "right" : "wrong");
}

int main() {
  run("small", size_t(4) << 20);
  run("large", size_t(3) << 30);
}
