// Cooperative groups: tiles within and beyond a warp, coalesced threads, scans,
// barriers of the grid.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <vector>

namespace cg = cooperative_groups;

__global__ void tiles(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int t = threadIdx.x, active = 0;
  int sum = cg::reduce(tile, t, cg::plus<int>());
  int scan = cg::inclusive_scan(tile, t);
  block.sync();
  if (t % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    active = group.size() * 100 + group.thread_rank();
  }
  out[t * 3] = sum;
  out[t * 3 + 1] = scan;
  out[t * 3 + 2] = active;
}

__global__ void twoWarps(int *out) {
  __shared__ cg::block_tile_memory<128> memory;
  cg::thread_block block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
  out[threadIdx.x] = sum + tile.shfl(threadIdx.x, 5);
}

__global__ void rotate(int *data, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int step = 0; step < 5; ++step) {
    int v = data[(i + 1) % n];
    grid.sync();
    data[i] = v + 1;
    grid.sync();
  }
}

static void checkTiles() {
  int out[64 * 3], *device = toDevice(out, 64 * 3);
  tiles<<<1, 64>>>(device);
  toHost(out, device, 64 * 3);
  for (int t = 0; t < 64; ++t) {
    int sum = 0, scan = 0, count = 0, rank = 0;
    for (int u = t / 8 * 8; u < t / 8 * 8 + 8; ++u) {
      sum += u;
      scan += u <= t ? u : 0;
    }
    for (int u = t / 32 * 32; u < t / 32 * 32 + 32; ++u) {
      count += u % 3 == 0;
      rank += u % 3 == 0 && u < t;
    }
    EXPECT(out[t * 3] == sum);
    EXPECT(out[t * 3 + 1] == scan);
    EXPECT(out[t * 3 + 2] == (t % 3 == 0 ? count * 100 + rank : 0));
  }
}

static void checkTwoWarps() {
  int out[128], *device = toDevice(out, 128);
  twoWarps<<<1, 128>>>(device);
  toHost(out, device, 128);
  for (int t = 0; t < 128; ++t)
    EXPECT(out[t] == (t < 64 ? 2016 + 5 : 6112 + 69));
}

static void checkGrid() {
  int n = 8 * 64;
  std::vector<int> data(n);
  for (int i = 0; i < n; ++i)
    data[i] = i;
  int *device = toDevice(data.data(), n);
  void *args[] = {&device, &n};
  CHECK(cudaLaunchCooperativeKernel((void *)rotate, dim3(8), dim3(64), args, 0,
                                    nullptr));
  toHost(data.data(), device, n);
  for (int i = 0; i < n; ++i)
    EXPECT(data[i] == (i + 5) % n + 5);
}

int main() {
  checkTiles();
  checkTwoWarps();
  checkGrid();
  return finish();
}
