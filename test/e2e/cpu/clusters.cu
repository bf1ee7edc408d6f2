// On the CPU device each block is a cluster of its own. So a launch in larger
// ones is an error, with a message once for each kernel, where the kernel may
// ask for its cluster. Kernels that do not know of clusters run.
//
// RUN: %gridspan++ -O2 -arch=sm_90 -std=c++17 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 2> %t.err | FileCheck %s
// RUN: FileCheck --check-prefix=ERR --match-full-lines %s < %t.err
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t 2> /dev/null \
// RUN:   | FileCheck %s
// CHECK: PASS
// ERR: gridspan: exchange(int*) cannot run on the CPU device in clusters of several blocks
// ERR: {{.*}}waitAlone{{.*}}: threads wait for each other forever; {{.*}}
// ERR-NOT: gridspan:{{.*}}

#include "../Inputs/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/// Each block stores the index of another one of its cluster.
__global__ void exchange(int *Data) {
  __shared__ int Mine;
  const auto Cluster = cg::this_cluster();
  Mine = blockIdx.x;
  Cluster.sync();
  const unsigned Other = (Cluster.block_rank() + 1) % Cluster.num_blocks();
  Data[blockIdx.x] = *Cluster.map_shared_rank(&Mine, Other);
  Cluster.sync();
}

__global__ void fill(int *Data) {
  if (threadIdx.x == 0)
    Data[blockIdx.x] = blockIdx.x;
}

/// Thread 0 waits for the cluster while the others wait for the block.
__global__ void waitAlone(int *Data) {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  if (threadIdx.x == 0)
    asm volatile("barrier.cluster.wait;" ::: "memory");
  __syncthreads();
  Data[blockIdx.x] = -1;
}

template <typename Kernel>
static cudaError_t launch(Kernel *K, unsigned ClusterSize, int *Data) {
  cudaLaunchAttribute Cluster = {};
  Cluster.id = cudaLaunchAttributeClusterDimension;
  Cluster.val.clusterDim = {ClusterSize, 1, 1};
  cudaLaunchConfig_t Config = {};
  Config.gridDim = 8;
  Config.blockDim = 32;
  Config.attrs = &Cluster;
  Config.numAttrs = 1;
  return cudaLaunchKernelEx(&Config, K, Data);
}

static bool isFilled(const int *Data) {
  for (int I = 0; I < 8; ++I)
    if (Data[I] != I)
      return false;
  return true;
}

int main() {
  int *Data;
  CHECK(cudaMallocManaged(&Data, 8 * sizeof(int)));
  for (int Time = 0; Time != 2; ++Time) {
    EXPECT(launch(exchange, 2, Data) == cudaErrorNotSupported);
    EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  }
  CHECK(launch(exchange, 1, Data));
  CHECK(cudaDeviceSynchronize());
  EXPECT(isFilled(Data));
  CHECK(cudaMemset(Data, 0, 8 * sizeof(int)));
  CHECK(launch(fill, 2, Data));
  CHECK(cudaDeviceSynchronize());
  EXPECT(isFilled(Data));
  // It fails, so that no wait takes the other for its own.
  CHECK(launch(waitAlone, 1, Data));
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  return finish();
}
