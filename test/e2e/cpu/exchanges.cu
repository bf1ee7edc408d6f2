// Kernels whose lanes exchange values at barriers of the block, beside the same
// code as fibers: shuffles of all kinds, votes, matches and reductions, under
// conditions, in loops, behind threads that end early, and in blocks with warps
// that are not full.
//
// RUN: %gridspan++ -O2 --cuda-gpu-arch=sm_80 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_CPU_THREADS=3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: %gridspan++ -O1 --cuda-gpu-arch=sm_80 %s -o %t.O1
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O1 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

enum Mode { Exchanges, Fibers };
template <int M> __device__ void mayBeFibers() {
  if (M == Fibers)
    __syncwarp(__activemask());
}

__device__ int linearThread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ int numThreads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ int blockBase() { return blockIdx.x * numThreads(); }
/// Returns the lanes of the warp that there are.
__device__ unsigned lanesOf(int t) {
  int rest = numThreads() - t / 32 * 32;
  return rest < 32 ? (1u << rest) - 1 : ~0u;
}

/// The sum over a block in two steps, as many programs have it.
template <int M> __global__ void sums(double *out, const int *in, int n) {
  __shared__ double s[32];
  mayBeFibers<M>();
  int t = linearThread(), lane = t & 31, warp = t >> 5;
  int warps = (numThreads() + 31) / 32;
  double v = in[blockBase() + t] * 0.25 + n;
  for (int d = 16; d; d /= 2)
    v += __shfl_xor_sync(lanesOf(t), v, d);
  if (lane == 0)
    s[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < warps ? s[lane] : 0;
    for (int d = 16; d; d /= 2) {
      double other = __shfl_down_sync(lanesOf(t), v, d);
      if (lane + d < warps)
        v += other;
    }
    if (lane == 0)
      s[0] = v;
  }
  __syncthreads();
  out[blockBase() + t] = s[0] + warp;
}

/// Some return early, and in some blocks a whole warp.
template <int M> __global__ void early(double *out, const int *in, int n) {
  mayBeFibers<M>();
  int t = linearThread();
  if (t >= numThreads() - 16 * n)
    return;
  int rest = numThreads() - 16 * n - t / 32 * 32;
  unsigned mask = rest < 32 ? (1u << rest) - 1 : ~0u;
  int v = in[blockBase() + t];
  unsigned odd = __ballot_sync(mask, v & 1);
  int big = __any_sync(mask, v > 900) + 2 * __all_sync(mask, v < 990);
  __syncthreads();
  int low = __reduce_min_sync(mask, v), sum = __reduce_add_sync(mask, v);
  unsigned bits = __reduce_xor_sync(mask, unsigned(v)) |
                  __reduce_max_sync(mask, unsigned(v)) << 10;
  out[blockBase() + t] = double(odd) + big + low * 0.5 + sum + bits;
}

/// Shuffles within segments; each half of a warp has its own mask.
template <int M> __global__ void segments(double *out, const int *in, int n) {
  mayBeFibers<M>();
  int t = linearThread(), lane = t & 31;
  unsigned all = lanesOf(t);
  int v = in[blockBase() + t], sum = 0;
  for (int i = 0; i < n; ++i) {
    int up = __shfl_up_sync(all, v, i + 1, 8);
    int at = __shfl_sync(all, v, i * 3, 16);
    bool isThere = (all >> (lane / 16 * 16 + (i * 3 & 15))) & 1;
    sum = sum * 3 + (lane % 8 > i ? up : 1) + (isThere ? at : 2);
    v = v * 5 + 1;
  }
  if (lane < 16) {
    int other = __shfl_xor_sync(all & 0xffff, v, 3);
    if ((all >> (lane ^ 3)) & 1)
      sum += other;
    other = __shfl_xor_sync(all & 0xffff, v + 1, 5);
    if ((all >> (lane ^ 5)) & 1)
      sum += other;
  } else {
    sum += __reduce_max_sync(all & 0xffff0000, v & 0xffff);
  }
  out[blockBase() + t] = sum;
}

/// Lanes see what others have stored, and conditions within conditions.
template <int M> __global__ void nested(double *out, const int *in, int n) {
  extern __shared__ int s[];
  mayBeFibers<M>();
  int t = linearThread(), lane = t & 31, size = numThreads();
  int v = in[blockBase() + t];
  s[t] = v;
  __syncwarp();
  int peer = (t ^ 1) < size ? t ^ 1 : t, other = s[peer];
  __syncwarp();
  if (t / 32 != n) {
    s[t] = other * 2;
    int sum = v + __reduce_add_sync(lanesOf(t), other);
    if (lane < 24) {
      v = sum * 3;
      v += __popc(__ballot_sync(lanesOf(t) & 0xffffff, v & 4));
      if (v & 2)
        other += v;
    }
  }
  __syncthreads();
  out[blockBase() + t] = v * 1000.0 + other + s[(t + 7) % size];
}

/// What a condition's threads have in common is kept, whatever others have.
template <int M> __global__ void common(double *out, const int *in, int n) {
  __shared__ int s[2];
  mayBeFibers<M>();
  int t = linearThread(), v = in[blockBase() + t];
  if (t == 0)
    s[n & 1] = v + 5;
  __syncthreads();
  if (t / 32 == n) {
    int first = s[n & 1];
    v += __reduce_add_sync(lanesOf(t), v);
    v += first * 3;
    v += __reduce_max_sync(lanesOf(t), v) * first;
  }
  out[blockBase() + t] = v;
}

/// Votes and reductions of whole warps, in loops and under conditions.
template <int M> __global__ void whole(double *out, const int *in, int n) {
  mayBeFibers<M>();
  int t = linearThread(), v = in[blockBase() + t];
  for (int i = 0; i <= n; ++i) {
    v ^= __shfl_xor_sync(lanesOf(t), v, 1) & 1;
    v = v * 3 + __reduce_add_sync(~0u, v) + __reduce_min_sync(~0u, v + i);
    if (__any_sync(~0u, v % 7 == 0))
      v += __popc(__ballot_sync(~0u, v & 1));
  }
  if (t / 32 == n)
    v += __reduce_max_sync(~0u, v & 0xffff) + __all_sync(~0u, v > 5);
  out[blockBase() + t] = v;
}

/// Lanes with the same value, and whether all have it.
template <int M> __global__ void matches(double *out, const int *in, int n) {
  mayBeFibers<M>();
  int t = linearThread(), lane = t & 31;
  unsigned all = lanesOf(t);
  unsigned v = in[blockBase() + t] % (n + 2);
  unsigned long long sum = 0, wide = 0;
  for (int i = 0; i <= n; ++i) {
    int same = 0;
    wide = (static_cast<unsigned long long>(v) << 33) | (i & lane & 1);
    sum = sum * 3 + __match_any_sync(all, v) + __match_any_sync(all, wide);
    sum += __match_all_sync(all, v / (n + 2), &same) + same;
    sum += __match_all_sync(all, wide, &same) + same;
    sum += __uni_sync(all, v == 0) * 5 + __uni_sync(all, v < 99) * 7;
    v = (v * 5 + 3) % 4;
  }
  if (t / 32 == n) {
    int same = 0;
    sum += __match_any_sync(all, v & 1);
    if (lane < 20) {
      sum += __match_all_sync(all & 0xfffff, wide >> 40, &same);
      sum += __match_any_sync(all & 0xfffff, v) + same * 11;
      sum += __uni_sync(all & 0xfffff, v & 2) * 13;
    }
  }
  out[blockBase() + t] = static_cast<double>(sum & 0xffffffffffff);
}

struct Extreme {
  double value;
  int at, count;
};
__device__ Extreme shuffled(unsigned mask, const Extreme &e, int d) {
  return {__shfl_down_sync(mask, e.value, d), __shfl_down_sync(mask, e.at, d),
          __shfl_xor_sync(mask, e.count, d)};
}

/// Structures are handed on word by word, in loops and under conditions; some of
/// these shuffles get what others have given.
template <int M> __global__ void words(double *out, const int *in, int n) {
  mayBeFibers<M>();
  int t = linearThread(), lane = t & 31;
  unsigned all = lanesOf(t);
  Extreme e{in[blockBase() + t] * 0.5, t, 1};
  for (int i = 0; i <= n; ++i)
    for (int d = 16; d; d /= 2) {
      Extreme other = shuffled(all, e, d);
      if (lane + d < 32 && ((all >> (lane + d)) & 1) && other.value > e.value)
        e = {other.value, other.at, other.count + e.count};
    }
  if (t / 32 == n) {
    Extreme other = shuffled(all, e, 2);
    int from = __shfl_sync(all, e.at & 7, 0);
    if ((all >> from) & 1)
      e.count += __shfl_sync(all, e.count, from) * 3;
    if (lane + 2 < 32 && ((all >> (lane + 2)) & 1))
      e.value += other.value + other.at;
  }
  out[blockBase() + t] = e.value * 1000 + e.at + e.count * 0.25;
}

typedef void Kernel(double *, const int *, int);

static std::vector<double> run(Kernel *kernel, dim3 block, int n) {
  constexpr int Blocks = 5;
  const int threads = block.x * block.y * block.z, all = Blocks * threads;
  std::vector<int> in(all);
  std::vector<double> out(all, 7);
  for (int i = 0; i < all; ++i)
    in[i] = i * 7919 % 1000;
  int *deviceIn = toDevice(in.data(), all);
  double *deviceOut = toDevice(out.data(), all);
  kernel<<<Blocks, block, threads * sizeof(int)>>>(deviceOut, deviceIn, n);
  EXPECT(cudaGetLastError() == cudaSuccess);
  toHost(out.data(), deviceOut, all);
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return out;
}

static void compare(const char *name, Kernel *exchanges, Kernel *fibers) {
  for (dim3 block : {dim3(16), dim3(32), dim3(77), dim3(256), dim3(8, 5, 3)})
    for (int n : {0, 1, 3})
      if (run(exchanges, block, n) != run(fibers, block, n)) {
        printf("%s differs: %u x %u x %u, n %d\n", name, block.x, block.y,
               block.z, n);
        EXPECT(false);
      }
}

int main() {
  compare("sums", sums<Exchanges>, sums<Fibers>);
  compare("early", early<Exchanges>, early<Fibers>);
  compare("segments", segments<Exchanges>, segments<Fibers>);
  compare("nested", nested<Exchanges>, nested<Fibers>);
  compare("common", common<Exchanges>, common<Fibers>);
  compare("whole", whole<Exchanges>, whole<Fibers>);
  compare("matches", matches<Exchanges>, matches<Fibers>);
  compare("words", words<Exchanges>, words<Fibers>);
  return finish();
}
