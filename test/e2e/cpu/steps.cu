// Loops that threads of a block take together: sums of columns, a walk through
// planes behind a guard, a product of matrices with barriers around, and loops in
// steps of a block. Each is computed on the host as well.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static GRIDSPAN_CPU_THREADS=2 %t | FileCheck %s
// RUN: env GRIDSPAN_CHECK=1 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

__global__ void columns(const int *in, int *out, int n, int rows) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n)
    return;
  int sum = 0;
  for (int i = 0; i < rows; ++i)
    sum = sum * 3 + in[i * n + j];
  out[j] = sum;
}

__global__ void planes(const int *in, int *out, int nx, int ny, int nz) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int j = threadIdx.y + blockIdx.y * blockDim.y;
  int at = i + j * nx;
  if (i < nx && j < ny)
    for (int k = 0; k < nz; ++k) {
      int r;
      if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 ||
          k == nz - 1)
        r = in[at];
      else
        r = in[at - 1] + in[at + 1] - in[at - nx] + in[at + nx] -
            in[at - nx * ny] + in[at + nx * ny];
      out[at] = r;
      at += nx * ny;
    }
}

__global__ void product(const int *a, const int *b, int *c, int n) {
  __shared__ int turn;
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (threadIdx.x == 0 && threadIdx.y == 0)
    turn = blockIdx.x;
  __syncthreads();
  int sum = turn;
  for (int k = 0; k < n; ++k)
    sum += a[r * n + k] * b[k * n + q];
  __syncthreads();
  if (threadIdx.x == 1 && threadIdx.y == 0)
    turn = sum;
  __syncthreads();
  c[r * n + q] = sum + turn;
}

/// Threads take different numbers of turns; indices may wrap around at their
/// beginning, for some threads. Nobody reads the scale where there is no turn.
__global__ void strided(const int *in, const int *scale, int *out, unsigned n,
                        unsigned base) {
  int sum = 7, last = -1;
  for (unsigned i = threadIdx.x + base; i < n; i += blockDim.x) {
    sum = sum * 3 + in[i] * *scale;
    if (in[i] % 2)
      last = i;
  }
  int *mine = out + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  mine[0] = sum;
  mine[1] = last;
}

/// Puts the rows' sums beside their elements, with exchanges between lanes.
__global__ void rowSums(const int *in, int *out, int rows, int width) {
  __shared__ int parts[2];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    int sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x)
      sum += in[row * width + i];
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync(~0U, sum, step);
    if (threadIdx.x % 32 == 0)
      parts[threadIdx.x / 32] = sum;
    __syncthreads();
    const int all = parts[0] + parts[1];
    for (int i = threadIdx.x; i < width; i += blockDim.x)
      out[row * width + i] = in[row * width + i] + all;
    __syncthreads();
  }
}

/// The first index is not threadIdx.x with something added to it bit by bit.
__global__ void orStart(const int *in, int *out, int n, int a,
                        const int *more) {
  int from = (a * 3 + (int)blockIdx.x) | (a + *more);
  int sum = 0;
  for (int i = threadIdx.x + from; i < n; i += blockDim.x)
    sum = sum * 3 + in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// The first threads have left, and nobody has a turn.
__global__ void early(const int *in, const int *scale, int *out, int n, int m) {
  int t = threadIdx.x;
  if (t < m)
    return;
  __syncthreads();
  int sum = 1;
  for (int i = t; i < n; i += blockDim.x)
    sum += in[i] * *scale;
  out[t] = sum;
}

/// Threads are far from each other, sum up in shared memory, and only those that
/// have had a turn say so.
__global__ void columnOfBlock(const int *in, int *out, int rows, int pitch) {
  __shared__ int parts[64];
  const int t = threadIdx.x;
  parts[t] = 3;
  for (int r = t; r < rows; r += blockDim.x)
    parts[t] = parts[t] * 5 + in[r * pitch + blockIdx.x];
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      parts[t] += parts[t + d];
  }
  if (t == 0)
    out[blockIdx.x] = parts[0];
}

/// The block decides whether there is a loop, whose scale is loaded once.
__global__ void oddBlocks(const int *in, const int *scale, int *out, int n) {
  int sum = 1;
  if (blockIdx.x % 2)
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      sum += in[i] * *scale;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Some threads have no value, and do not use it.
__global__ void someLoad(const int *in, int *out, int lo, int hi) {
  int t = threadIdx.x, v;
  if (t >= lo && t < hi)
    v = *in;
  __syncthreads();
  if (t >= lo && t < hi)
    out[t] = v;
}

static void partly(const int *dIn, const std::vector<int> &in, int *dOut) {
  int out[4 * 64], two = 2;
  int *more = toDevice(&two, 1);
  for (int a : {0, 3, 6})
    for (int n : {0, 1, 8, 100, 300}) {
      orStart<<<4, 64>>>(dIn, dOut, n, a, more);
      toHost(out, dOut, 4 * 64);
      int wrong = 0;
      for (int t = 0; t < 4 * 64; ++t) {
        int sum = 0;
        for (int i = t % 64 + ((a * 3 + t / 64) | (a + 2)); i < n; i += 64)
          sum = sum * 3 + in[i];
        wrong += out[t] != sum;
      }
      EXPECT(wrong == 0);
    }
  early<<<1, 64>>>(dIn, nullptr, dOut, 10, 20);
  toHost(out, dOut, 64);
  for (int t = 20; t < 64; ++t)
    EXPECT(out[t] == 1);
  for (int lo : {0, 1, 40})
    for (int hi : {64, 50}) {
      CHECK(cudaMemset(dOut, 0xff, sizeof(int) * 64));
      someLoad<<<1, 64>>>(dIn + 1, dOut, lo, hi);
      toHost(out, dOut, 64);
      for (int t = 0; t < 64; ++t)
        EXPECT(out[t] == (t >= lo && t < hi ? in[1] : -1));
    }
}

static void ofBlocks(const int *dIn, const std::vector<int> &in, int *dOut) {
  int out[3 * 64];
  for (int rows : {0, 1, 63, 64, 200}) {
    columnOfBlock<<<3, 64>>>(dIn, dOut, rows, 50);
    toHost(out, dOut, 3);
    for (int block = 0; block < 3; ++block) {
      int all = 0;
      for (int t = 0; t < 64; ++t) {
        int sum = 3;
        for (int r = t; r < rows; r += 64)
          sum = sum * 5 + in[r * 50 + block];
        all += sum;
      }
      EXPECT(out[block] == all);
    }
    oddBlocks<<<3, 64>>>(dIn, rows ? dIn + 1 : nullptr, dOut, rows);
    toHost(out, dOut, 3 * 64);
    for (int t = 0; t < 3 * 64; ++t) {
      int sum = 1;
      for (int i = t % 64; t / 64 == 1 && i < rows; i += 64)
        sum += in[i] * in[1];
      EXPECT(out[t] == sum);
    }
  }
}

struct Limits {
  int *out;
  const int *in, *limits;
  int n, m;
};

/// The optimizer chooses between addresses of the parameter and of memory.
__global__ void chosenLimit(Limits a) {
  int sum = 0;
  if (a.n % 2 == 0)
    for (int i = threadIdx.x; i < (a.m > 3 ? a.limits[blockIdx.x] : a.n);
         i += blockDim.x)
      sum = sum * 3 + a.in[i];
  a.out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void chosenTurns(Limits a) {
  __shared__ int stage[32];
  int value = threadIdx.x;
  const int turns = *(a.m > 3 ? a.limits + blockIdx.x : &a.n);
  for (int i = 0; i < turns; ++i) {
    stage[threadIdx.x] = value;
    __syncthreads();
    value += stage[threadIdx.x ^ 1] * 3;
    __syncthreads();
  }
  a.out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/// Each thread changes its parameter.
__global__ void ownTurns(Limits a) {
  __shared__ int stage[32];
  int value = threadIdx.x;
  int *const left = a.m > 3 ? &a.n : &a.m;
  a.n += threadIdx.x - threadIdx.x % 32;
  while (*left > 0) {
    stage[threadIdx.x] = value;
    __syncthreads();
    value += stage[threadIdx.x ^ 1] * 3;
    __syncthreads();
    *left -= 2;
  }
  stage[threadIdx.x] = a.n;
  __syncthreads();
  a.out[blockIdx.x * blockDim.x + threadIdx.x] = value + stage[31] - a.n;
}

static void chosen(const int *a, const std::vector<int> &in, int *c) {
  int limits[2] = {70, 9}, out[64];
  int *device = toDevice(limits, 2);
  const auto afterTurns = [](int turns, int thread) {
    int here = thread, there = thread ^ 1;
    for (int i = 0; i < turns; ++i) {
      const int old = here;
      here += there * 3;
      there += old * 3;
    }
    return here;
  };
  for (int n : {4, 7, 40})
    for (int m : {3, 4}) {
      const int turns = m > 3 ? n : m;
      chosenLimit<<<2, 32>>>({c, a, device, n, m});
      toHost(out, c, 64);
      for (int t = 0; t < 64; ++t) {
        int sum = 0;
        for (int i = t % 32; n % 2 == 0 && i < (m > 3 ? limits[t / 32] : n);
             i += 32)
          sum = sum * 3 + in[i];
        EXPECT(out[t] == sum);
      }
      chosenTurns<<<2, 32>>>({c, a, device, n, m});
      toHost(out, c, 64);
      for (int t = 0; t < 64; ++t)
        EXPECT(out[t] == afterTurns(m > 3 ? limits[t / 32] : n, t % 32));
      ownTurns<<<2, 32>>>({c, a, device, n, m});
      toHost(out, c, 64);
      for (int t = 0; t < 64; ++t)
        EXPECT(out[t] == afterTurns((turns + 1) / 2, t % 32));
    }
  CHECK(cudaFree(device));
}

int main() {
  constexpr int N = 96, Rows = 37, Nz = 5;
  std::vector<int> in(N * N * Nz), other(N * N), out(N * N * Nz);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = i * 7919 % 1000;
  for (size_t i = 0; i < other.size(); ++i)
    other[i] = i * 104729 % 77;
  int *a = toDevice(in.data(), in.size());
  int *b = toDevice(other.data(), other.size());
  int *c = toDevice(out.data(), out.size());

  for (int n : {1, 50, 96}) {
    columns<<<3, 32>>>(a, c, n, Rows);
    toHost(out.data(), c, n);
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int i = 0; i < Rows; ++i)
        sum = sum * 3 + in[i * n + j];
      EXPECT(out[j] == sum);
    }
  }

  for (int ny : {1, 30, N}) {
    planes<<<dim3(4, 13), dim3(32, 8)>>>(a, c, N, ny, Nz);
    toHost(out.data(), c, N * ny * Nz);
    for (int k = 0, at = 0; k < Nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < N; ++i, ++at) {
          bool edge = i == 0 || i == N - 1 || j == 0 || j == ny - 1 || k == 0 ||
                      k == Nz - 1;
          EXPECT(out[at] ==
                 (edge ? in[at]
                       : in[at - 1] + in[at + 1] - in[at - N] + in[at + N] -
                             in[at - N * ny] + in[at + N * ny]));
        }
  }

  partly(a, in, c);
  ofBlocks(a, in, c);
  chosen(a, in, c);

  product<<<dim3(3, 12), dim3(32, 8)>>>(a, b, c, N);
  toHost(out.data(), c, N * N);
  auto dot = [&](int r, int q) {
    int sum = q / 32;
    for (int k = 0; k < N; ++k)
      sum += in[r * N + k] * other[k * N + q];
    return sum;
  };
  for (int r = 0; r < N; ++r)
    for (int q = 0; q < N; ++q)
      EXPECT(out[r * N + q] == dot(r, q) + dot(r / 8 * 8, q / 32 * 32 + 1));

  for (unsigned n : {0U, 5U, 64U, 65U, 1000U})
    for (unsigned base : {0U, 3U, 200U, ~0U - 9}) {
      strided<<<2, 64>>>(a, n ? b + 1 : nullptr, c, n, base);
      toHost(out.data(), c, 2 * 128);
      for (unsigned t = 0; t < 128; ++t) {
        int sum = 7, last = -1;
        for (unsigned i = t % 64 + base; i < n; i += 64) {
          sum = sum * 3 + in[i] * other[1];
          if (in[i] % 2)
            last = i;
        }
        EXPECT(out[2 * t] == sum && out[2 * t + 1] == last);
      }
    }

  for (int width : {1, 40, 64, 300}) {
    constexpr int NumRows = 7;
    rowSums<<<3, 64>>>(a, c, NumRows, width);
    toHost(out.data(), c, NumRows * width);
    for (int row = 0; row < NumRows; ++row) {
      int sum = 0;
      for (int i = 0; i < width; ++i)
        sum += in[row * width + i];
      for (int i = 0; i < width; ++i)
        EXPECT(out[row * width + i] == in[row * width + i] + sum);
    }
  }
  return finish();
}
