// Kernels with barriers as loops over threads, beside the same code with a warp
// operation in it, which runs as fibers: what lives across barriers, loops of
// all kinds, threads that end early, reductions, and blocks of three axes.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_CPU_THREADS=3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: %gridspan++ -O1 %s -o %t.O1
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O1 | FileCheck %s
// RUN: env GRIDSPAN_CHECK=1 %t.O1 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

struct Pack {
  int values[6];
  float scale;
};

enum Mode { Loops, Fibers };
template <int M> __device__ void mayBeFibers() {
  if (M == Fibers)
    __syncwarp(__activemask());
}

__device__ int linearThread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ int numThreads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ int blockBase() { return blockIdx.x * numThreads(); }

/// Values of many kinds live across barriers in a loop.
template <int M>
__global__ void values(int *out, const int *in, int n, Pack pack) {
  extern __shared__ int s[];
  mayBeFibers<M>();
  int t = linearThread(), size = numThreads();
  int sum = in[blockBase() + t];
  double weight = 1.5 * t;
  bool odd = t & 1;
  long product = 1;
  for (int i = 0; i < n; ++i) {
    s[t] = sum + i;
    __syncthreads();
    int other = s[(t + i + 1) % size];
    if (odd)
      product = product * 3 + other;
    else
      sum += other & 15;
    __syncthreads();
    weight = weight * 0.5 + other;
    odd = other & 2;
  }
  out[blockBase() + t] = sum + (int)weight + (int)product * pack.values[n % 6];
}

/// Private arrays, and a parameter that each thread changes.
template <int M>
__global__ void arrays(int *out, const int *in, int n, Pack pack) {
  extern __shared__ int s[];
  mayBeFibers<M>();
  int t = linearThread(), size = numThreads();
  int mine[7];
  for (int i = 0; i < 7; ++i)
    mine[i] = in[blockBase() + t] + i;
  pack.values[t % 6] += t;
  for (int i = 0; i < n; ++i) {
    s[t] = mine[(t + i) % 7];
    __syncthreads();
    mine[(i * 3) % 7] += s[size - 1 - t];
    pack.values[i % 6] ^= s[(t * 5 + i) % size];
    __syncthreads();
  }
  int sum = 0;
  for (int i = 0; i < 7; ++i)
    sum = sum * 5 + mine[i] + pack.values[i % 6];
  out[blockBase() + t] = sum;
}

/// Threads end before a barrier, at different times.
template <int M>
__global__ void early(int *out, const int *in, int n, Pack pack) {
  extern __shared__ int s[];
  mayBeFibers<M>();
  int t = linearThread(), size = numThreads();
  s[t] = in[blockBase() + t];
  out[blockBase() + t] = -1;
  if (t % 3 == 1)
    return;
  int turns = 1 + t % 5, sum = 0;
  for (int i = 0; i < turns; ++i) {
    __syncthreads();
    int x = s[(t + 1 + i) % size];
    sum += x * (i + 1);
    int all = __syncthreads_count(x & 1);
    s[t] += all + i;
    out[blockBase() + t] = sum + all;
  }
}

/// Loops without a barrier before one, nested loops, and a loop that ends by
/// what is in shared memory.
template <int M>
__global__ void loops(int *out, const int *in, int n, Pack pack) {
  extern __shared__ int s[];
  mayBeFibers<M>();
  int t = linearThread(), size = numThreads();
  int steps = 0, i = 0;
  for (; i < t % 11; ++i)
    steps += in[(blockBase() + i) % size];
  s[t] = steps;
  __syncthreads();
  int late = s[(t + 1) % size] + i;
  for (int a = 0; a < n; ++a) {
    __syncthreads();
    for (int b = 0; b < a; ++b) {
      s[t] = late + b;
      __syncthreads();
      late += s[(t + b) % size] & 7;
      __syncthreads();
    }
  }
  __shared__ int left;
  if (t == 0)
    left = n;
  while (true) {
    __syncthreads();
    int now = left;
    __syncthreads();
    if (now == 0)
      break;
    late += now;
    if (t == 0)
      left = now - 1;
  }
  out[blockBase() + t] = late + i;
}

template <int M>
__global__ void reductions(int *out, const int *in, int n, Pack pack) {
  mayBeFibers<M>();
  int t = linearThread();
  int x = in[blockBase() + t];
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += __syncthreads_count((x + i) % 3 == 0);
    sum = sum * 2 + __syncthreads_or(t == i);
    sum = sum * 2 + __syncthreads_and(x + i >= 0);
    sum = sum * 2 + __syncthreads_and(t != i);
    sum %= 100003;
  }
  out[blockBase() + t] = sum;
}

/// Barriers of which all threads of a block pass the same ones, by a value in
/// memory.
template <int M>
__global__ void choices(int *out, const int *in, int n, Pack pack) {
  extern __shared__ int s[];
  mayBeFibers<M>();
  int t = linearThread(), size = numThreads();
  s[t] = t;
  int x = t;
  if (in[blockIdx.x] % 2) {
    __syncthreads();
    x += s[(t + 1) % size];
  } else {
    __syncthreads();
    x -= s[(t + 2) % size];
    __syncthreads();
    s[t] = x;
    __syncthreads();
    x += s[(t + 3) % size];
  }
  switch (n % 3) {
  case 0:
    __syncthreads();
    s[t] = x;
    break;
  case 1:
    return;
  default:
    break;
  }
  __syncthreads();
  out[blockBase() + t] = x + s[(t + 5) % size];
}

typedef void Kernel(int *, const int *, int, Pack);

static std::vector<int> run(Kernel *kernel, dim3 block, int n) {
  constexpr int Blocks = 5;
  const int threads = block.x * block.y * block.z, all = Blocks * threads;
  std::vector<int> in(all), out(all, 7);
  for (int i = 0; i < all; ++i)
    in[i] = i * 7919 % 1000;
  int *deviceIn = toDevice(in.data(), all),
      *deviceOut = toDevice(out.data(), all);
  Pack pack = {{1, 2, 3, 4, 5, 6}, 0.5f};
  kernel<<<Blocks, block, threads * sizeof(int)>>>(deviceOut, deviceIn, n,
                                                   pack);
  EXPECT(cudaGetLastError() == cudaSuccess);
  toHost(out.data(), deviceOut, all);
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return out;
}

static void compare(const char *name, Kernel *loops, Kernel *fibers) {
  for (dim3 block : {dim3(1), dim3(33), dim3(64), dim3(8, 5, 3)})
    for (int n : {0, 1, 5})
      if (run(loops, block, n) != run(fibers, block, n)) {
        printf("%s differs: %u x %u x %u, n %d\n", name, block.x, block.y,
               block.z, n);
        EXPECT(false);
      }
}

int main() {
  compare("values", values<Loops>, values<Fibers>);
  compare("arrays", arrays<Loops>, arrays<Fibers>);
  compare("early", early<Loops>, early<Fibers>);
  compare("loops", loops<Loops>, loops<Fibers>);
  compare("reductions", reductions<Loops>, reductions<Fibers>);
  compare("choices", choices<Loops>, choices<Fibers>);
  return finish();
}
