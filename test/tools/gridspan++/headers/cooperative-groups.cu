// RUN: %gridspan++ -fno-gridspan -fsyntax-only %s

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void kernel(int *p) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  int sum = cg::reduce(tile, p[block.thread_rank()], cg::plus<int>());
  block.sync();
  if (tile.thread_rank() == 0)
    p[0] = sum;
  cg::this_grid().sync();
  p[1] = cg::coalesced_threads().size();
}
