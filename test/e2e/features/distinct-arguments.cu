// Clones for arguments that do not overlap: results are those of the program as
// it was written, whatever the arguments, and the clone runs where they are
// known to be distinct.
//
// RUN: %gridspan++ -O2 -mllvm -gridspan-cpu-noalias %s -o %t
// RUN: %compare --split addFirst --split addView --split addLoaded %t \
// RUN:   | FileCheck %s
// CHECK: PASS
// With what was decided before, which needs no report.
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 %t | FileCheck %s
// Where the CPU device has no code for the clones.
// RUN: %gridspan++ -O2 %s -o %t.ordinary
// RUN: %compare --split addFirst --split addView --split addLoaded \
// RUN:   %t.ordinary | FileCheck %s
//
// Three launches of eight of the first, and one of two of the second.
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_REPORT=%t.json %t
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=REPORT
// REPORT: "name": "addFirst(
// REPORT: "launches": 40
// REPORT: "noalias_launches": 15
// REPORT: "why_may_alias": "foreign-memory"
// REPORT: "name": "addView(
// REPORT: "launches": 10
// REPORT: "noalias_launches": 5
// REPORT: "why_may_alias": "overlapping-arguments"
// REPORT: "name": "addLoaded(
// REPORT: "noalias_launches": 0
// REPORT: "why_may_alias": null

#include "../Inputs/check.h"
#include <vector>

constexpr int Blocks = 12, Size = 40, N = Blocks * Size;

struct View {
  const int *first;
  int *out;
};

/// Where first and out are the same, what is added changes on the way.
__host__ __device__ void add(const int *first, int *out) {
  for (int i = 0; i < Size; ++i)
    out[i] += *first;
}
__global__ void addFirst(const int *first, int *out) {
  add(first + blockIdx.x * Size, out + blockIdx.x * Size);
}
__global__ void addView(View v) {
  add(v.first + blockIdx.x * Size, v.out + blockIdx.x * Size);
}
__global__ void addLoaded(int **out, const int *first) {
  add(first + blockIdx.x * Size, out[blockIdx.x]);
}

static std::vector<int> start() {
  std::vector<int> v(3 * N);
  for (int i = 0; i < 3 * N; ++i)
    v[i] = i * 7 % 23 + 1;
  return v;
}

/// Launches on device memory whose contents the host follows.
template <class Fn>
static void check(int *memory, std::ptrdiff_t first, std::ptrdiff_t out,
                  Fn launch) {
  std::vector<int> host = start(), device(3 * N);
  CHECK(cudaMemcpy(memory, host.data(), 3 * N * sizeof(int),
                   cudaMemcpyHostToDevice));
  launch(memory + first, memory + out);
  for (int b = 0; b < Blocks; ++b)
    add(&host[first + b * Size], &host[out + b * Size]);
  toHost(device.data(), memory, 3 * N);
  EXPECT(host == device);
}

int main() {
  const std::vector<int> initial = start();
  int *memory = toDevice(initial.data(), 3 * N);
  int *other = toDevice(initial.data(), N);
  int *pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, N * sizeof(int)));
  std::vector<int *> rows;
  for (int b = 0; b < Blocks; ++b)
    rows.push_back(memory + b * Size);
  int **table = toDevice(rows.data(), Blocks);

  auto plain = [](const int *first, int *out) {
    addFirst<<<Blocks, 1>>>(first, out);
  };
  auto viewed = [](const int *first, int *out) {
    addView<<<Blocks, 1>>>({first, out});
  };
  for (int round = 0; round < 5; ++round) {
    check(memory, 0, 0, plain);     // the same
    check(memory, 5, 0, plain);     // in the middle of what is written
    check(memory, N, 0, plain);     // beside it
    check(memory, 0, 2 * N, plain); // and the other way round
    check(memory, N + 3, N, plain);
    // In allocations of their own.
    check(memory, 0, 0, [&](const int *, int *out) {
      CHECK(cudaMemcpy(other, initial.data(), N * sizeof(int),
                       cudaMemcpyHostToDevice));
      addFirst<<<Blocks, 1>>>(other, out);
      // As if first had been the same: that launch adds twice the first.
      std::vector<int> host = initial, device(N);
      for (int i = 0; i < N; ++i)
        host[i] += initial[i / Size * Size];
      toHost(device.data(), memory, N);
      host.resize(N);
      EXPECT(host == device);
      CHECK(cudaMemcpy(memory, initial.data(), N * sizeof(int),
                       cudaMemcpyHostToDevice));
      plain(out, out);
    });
    // Of the host's memory nobody knows what else leads there.
    for (int i = 0; i < N; ++i)
      pinned[i] = initial[i];
    addFirst<<<Blocks, 1>>>(pinned, pinned);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> host = initial;
    for (int b = 0; b < Blocks; ++b)
      add(&host[b * Size], &host[b * Size]);
    EXPECT(std::equal(pinned, pinned + N, host.begin()));

    check(memory, 3, 0, viewed);
    check(memory, 0, N, viewed);
    check(memory, 0, 0, [&](const int *first, int *) {
      addLoaded<<<Blocks, 1>>>(table, first);
    });
  }
  CHECK(cudaFree(memory));
  CHECK(cudaFree(other));
  CHECK(cudaFreeHost(pinned));
  return finish();
}
