// The warp reductions get value and mask in the right order, which clang 19's
// header confuses; also through cooperative groups.
//
// RUN: %gridspan++ -ptx -arch=sm_90 %s -o - | FileCheck %s

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// CHECK-LABEL: .entry reductions(
// CHECK: mov.b32 [[MASK:%r[0-9]+]], 255;
// CHECK: redux.sync.add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[MASK]];
// CHECK: redux.sync.min.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[MASK]];
// CHECK: redux.sync.max.u32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[MASK]];
// CHECK: redux.sync.xor.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[MASK]];
extern "C" __global__ void reductions(int *p) {
  p[0] = __reduce_add_sync(255, p[4]);
  p[1] = __reduce_min_sync(255, p[4]);
  p[2] = __reduce_max_sync(255, unsigned(p[4]));
  p[3] = ::__reduce_xor_sync(255, p[4]);
}

// CHECK-LABEL: .entry tile(
// CHECK: mov.b32 [[MASK:%r[0-9]+]], -1;
// CHECK: redux.sync.add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[MASK]];
extern "C" __global__ void tile(int *p) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  p[threadIdx.x] = cg::reduce(warp, p[threadIdx.x], cg::plus<int>());
}
