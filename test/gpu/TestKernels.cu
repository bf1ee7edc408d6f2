//===- TestKernels.cu - Kernels that the GPU tests launch -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/TestKernels.h"

__device__ int TestVariable = 7;
__constant__ int TestConstant = 11;

const void *testVariable() { return &TestVariable; }
const void *testConstant() { return &TestConstant; }

static __device__ void addBody(unsigned *P, size_t N, unsigned V,
                               unsigned Block) {
  size_t I = size_t(Block) * blockDim.x + threadIdx.x;
  if (I < N)
    P[I] += V + unsigned(I);
}
__global__ void add(unsigned *P, size_t N, unsigned V) {
  addBody(P, N, V, blockIdx.x);
}
__global__ void addTiled(unsigned *P, size_t N, unsigned V, GridspanTile T) {
  addBody(P, N, V, blockIdx.x + T.Origin[0]);
}

static __device__ void blockBody(unsigned *Out, uint3 B, uint3 G) {
  Out[(B.z * G.y + B.y) * G.x + B.x] =
      (B.z * G.y + B.y) * G.x + B.x + 1000 * G.x * G.y * G.z;
}
__global__ void block(unsigned *Out) {
  blockBody(Out, make_uint3(blockIdx.x, blockIdx.y, blockIdx.z),
            make_uint3(gridDim.x, gridDim.y, gridDim.z));
}
__global__ void blockTiled(unsigned *Out, GridspanTile T) {
  blockBody(Out,
            make_uint3(blockIdx.x + T.Origin[0], blockIdx.y + T.Origin[1],
                       blockIdx.z + T.Origin[2]),
            make_uint3(T.Grid[0], T.Grid[1], T.Grid[2]));
}

__global__ void count(unsigned *Counter) { atomicAdd_system(Counter, 1u); }

__global__ void waitForHost(volatile int *Flag) {
  while (!*Flag) {
  }
}

__global__ void slowStore(long long Cycles, unsigned *P, unsigned V) {
  long long Begin = clock64();
  while (clock64() - Begin < Cycles) {
  }
  P[0] = V;
}

static __device__ void sharedBody(unsigned *Out, unsigned Words,
                                  unsigned Block) {
  extern __shared__ unsigned Memory[];
  for (unsigned I = threadIdx.x; I < Words; I += blockDim.x)
    Memory[I] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned Sum = 0;
    for (unsigned I = 0; I < Words; ++I)
      Sum += Memory[I];
    Out[Block] = Sum;
  }
}
__global__ void shared(unsigned *Out, unsigned Words) {
  sharedBody(Out, Words, blockIdx.x);
}
__global__ void sharedTiled(unsigned *Out, unsigned Words, GridspanTile T) {
  sharedBody(Out, Words, blockIdx.x + T.Origin[0]);
}

__global__ void symbol(int *Out) {
  Out[0] = TestVariable++;
  Out[1] = TestConstant;
}

__global__ void empty() {}
__global__ void emptyTiled(GridspanTile T) {}

__global__ void cooperative(unsigned *Out) {
  atomicAdd(Out, 1u);
  while (*static_cast<volatile unsigned *>(Out) < gridDim.x) {
  }
}

__global__ void lookUp(cudaTextureObject_t T, float *Out, unsigned Kind,
                       unsigned W, unsigned H) {
  const unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= W * H)
    return;
  const float X = I % W + 0.5f, Y = I / W + 0.5f;
  Out[I] = Kind == 0   ? tex2D<float>(T, X, Y)
           : Kind == 1 ? tex2DLayered<float>(T, X, Y, I % 2)
           : Kind == 2 ? tex2DLod<float>(T, X / W, Y / H, I % 2)
                       : tex1Dfetch<float>(T, I);
}

#define DESCRIBE(Kernel, Stub, Clone, Parameters, Count)                       \
  const GridspanKernel Kernel = {                                              \
      .HostStub = reinterpret_cast<const void *>(Stub),                        \
      .TiledStub = reinterpret_cast<const void *>(Clone),                      \
      .Name = #Stub,                                                           \
      .Params = Parameters,                                                    \
      .NumParams = Count}

static const GridspanParam AddParams[] = {{0, 8}, {8, 8}, {16, 4}};
static const GridspanParam PointerParam[] = {{0, 8}};
static const GridspanParam SlowParams[] = {{0, 8}, {8, 8}, {16, 4}};
static const GridspanParam SharedParams[] = {{0, 8}, {8, 4}};
static const GridspanParam LookUpParams[] = {
    {0, 8}, {8, 8}, {16, 4}, {20, 4}, {24, 4}};
static void *const None = nullptr;

DESCRIBE(AddKernel, add, addTiled, AddParams, 3);
DESCRIBE(BlockKernel, block, blockTiled, PointerParam, 1);
DESCRIBE(CountKernel, count, None, PointerParam, 1);
DESCRIBE(WaitKernel, waitForHost, None, PointerParam, 1);
DESCRIBE(SlowStoreKernel, slowStore, None, SlowParams, 3);
DESCRIBE(SharedKernel, shared, sharedTiled, SharedParams, 2);
DESCRIBE(SymbolKernel, symbol, None, PointerParam, 1);
DESCRIBE(EmptyKernel, empty, emptyTiled, nullptr, 0);
DESCRIBE(CooperativeKernel, cooperative, None, PointerParam, 1);
DESCRIBE(LookUpKernel, lookUp, None, LookUpParams, 5);
