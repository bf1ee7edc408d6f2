// A grid barrier: every block is in flight at once, and nothing is split.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --refused rounds=grid-barrier --refused turns=waits-on-other-block %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each round adds the left neighbour's value of the round before.
__global__ void rounds(int *a, int *b, int count) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank(), n = grid.size();
  for (int r = 0; r < count; ++r) {
    b[i] = a[i] + a[(i + n - 1) % n];
    grid.sync();
    int *swap = a;
    a = b;
    b = swap;
  }
}

// Blocks take turns by a flag in memory.
__global__ void turns(volatile int *turn, int *order) {
  int me = gridDim.x - 1 - blockIdx.x;
  if (threadIdx.x == 0) {
    while (*turn != me)
      ;
    order[me] = blockIdx.x;
    __threadfence();
    *turn = me + 1;
  }
}

int main() {
  const int blocks = 6, threads = 16, n = blocks * threads, count = 5;
  int a[n], expected[n], next[n];
  for (int i = 0; i < n; ++i)
    a[i] = expected[i] = i;
  int *dA = toDevice(a, n), *dB = toDevice(a, n);
  int rounded = count;
  void *args[] = {&dA, &dB, &rounded};
  CHECK(
      cudaLaunchCooperativeKernel((void *)rounds, blocks, threads, args, 0, 0));
  toHost(a, dB, n);
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < n; ++i)
      next[i] = expected[i] + expected[(i + n - 1) % n];
    for (int i = 0; i < n; ++i)
      expected[i] = next[i];
  }
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += a[i] != expected[i];
  EXPECT(wrong == 0);

  int order[blocks] = {}, turn = 0;
  int *dTurn = toDevice(&turn, 1), *dOrder = toDevice(order, blocks);
  void *turnArgs[] = {&dTurn, &dOrder};
  CHECK(cudaLaunchCooperativeKernel((void *)turns, blocks, 4, turnArgs, 0, 0));
  toHost(order, dOrder, blocks);
  for (int b = 0; b < blocks; ++b)
    EXPECT(order[b] == blocks - 1 - b);
  return finish();
}
