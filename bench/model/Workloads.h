//===- Workloads.h - Kernels with different limits --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that users would recognise, bound by memory, by one of the pipes, by
// latency, by atomics or by occupancy. All take (a, b, n, m), as in Patterns.h.
// Those with indices in memory read them m words into a.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_MODEL_WORKLOADS_H
#define GRIDSPAN_BENCH_MODEL_WORKLOADS_H

#include "bench/model/Patterns.h"

// Memory ---------------------------------------------------------------------

KERNEL daxpy(const float *a, float *b, int n, int m) {
  const double *x = (const double *)a;
  double *y = (double *)b;
  int i = GX;
  if (i < n)
    y[i] = 2.0 * x[i] + y[i];
}
KERNEL triad(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i] = a[i] + 3.f * a[i + m];
}
KERNEL fill(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i] = 1.f;
}
KERNEL gray(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    uchar4 p = ((const uchar4 *)a)[i];
    ((unsigned char *)b)[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
  }
}
KERNEL advance(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  const float4 *v = (const float4 *)a;
  float4 *p = (float4 *)b;
  p[i] = make_float4(p[i].x + .1f * v[i].x, p[i].y + .1f * v[i].y,
                     p[i].z + .1f * v[i].z, p[i].w);
}
KERNEL particles(const float *a, float *b, int n, int m) {
  struct Particle {
    float x, y, z, vx, vy, vz, mass;
  };
  int i = GX;
  if (i >= n)
    return;
  const Particle &p = ((const Particle *)a)[i];
  b[i] = .5f * p.mass * (p.vx * p.vx + p.vy * p.vy + p.vz * p.vz);
}
KERNEL lattice(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  float f[9], rho = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k)
    rho += f[k] = a[k * m + i];
#pragma unroll
  for (int k = 0; k < 9; ++k)
    b[k * m + i] = f[k] - .6f * (f[k] - rho * (1.f / 9));
}
KERNEL laplace3d(const float *__restrict__ a, float *__restrict__ b, int n,
                 int m) {
  int x = GX, y = GY;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
    return;
  for (int z = 1; z < m - 1; ++z) {
    int i = (z * n + y) * n + x;
    b[i] = a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] +
           a[i + n * n] - 6.f * a[i];
  }
}
KERNEL blur5(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2)
    return;
  float s = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i)
      s += a[(y + j) * m + x + i] * (1.f / (1 + i * i + j * j));
  b[y * m + x] = s;
}
KERNEL columnmeans(const float *a, float *b, int n, int m) {
  int x = GX;
  if (x >= n)
    return;
  double s = 0;
  for (int y = 0; y < m; ++y)
    s += ((const double *)a)[size_t(y) * n + x];
  ((double *)b)[x] = s / m;
}
KERNEL rowsums(const float *a, float *b, int n, int m) {
  int y = GX;
  if (y >= n)
    return;
  double s = 0;
  for (int x = 0; x < m; ++x)
    s += ((const double *)a)[size_t(y) * m + x];
  ((double *)b)[y] = s;
}
KERNEL butterfly(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n / 2)
    return;
  int j = i / m * 2 * m + i % m;
  float2 u = ((const float2 *)a)[j], v = ((const float2 *)a)[j + m];
  ((float2 *)b)[j] = make_float2(u.x + v.x, u.y + v.y);
  ((float2 *)b)[j + m] = make_float2(u.x - v.x, u.y - v.y);
}
KERNEL bitonic(const float *a, float *b, int n, int m) {
  int i = GX, j = i ^ m;
  if (j <= i || j >= n)
    return;
  float u = b[i], v = b[j];
  if (u > v) {
    b[i] = v;
    b[j] = u;
  }
}
KERNEL transposeN(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x < n && y < n)
    b[size_t(x) * n + y] = a[size_t(y) * n + x];
}

// Indices in memory, data-dependent loops
// --------------------------------------

KERNEL gather(const float *a, float *b, int n, int m) {
  const int *index = (const int *)a + m;
  int i = GX;
  if (i < n)
    b[i] = a[index[i]];
}
KERNEL scatter(const float *a, float *b, int n, int m) {
  const int *index = (const int *)a + m;
  int i = GX;
  if (i < n)
    b[index[i]] = 1.f;
}
KERNEL ellrows(const float *a, float *b, int n, int m) {
  const int *column = (const int *)a + m;
  int r = GX;
  if (r >= n)
    return;
  float s = 0;
  for (int k = 0; k < 16; ++k)
    s += a[k * n + r] * a[column[k * n + r]];
  b[r] = s;
}
KERNEL histogramS(const float *a, float *b, int n, int m) {
  __shared__ unsigned local[256];
  unsigned *counts = (unsigned *)b;
  const unsigned *index = (const unsigned *)a + m;
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = GX; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[index[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
KERNEL escape(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x >= n || y >= n)
    return;
  float cx = -2.f + 3.f * x / n, cy = -1.5f + 3.f * y / n, u = 0, v = 0;
  int k = 0;
  for (; k < m && u * u + v * v < 4.f; ++k) {
    float t = u * u - v * v + cx;
    v = 2 * u * v + cy;
    u = t;
  }
  ((int *)b)[y * n + x] = k;
}

// Pipes
// ------------------------------------------------------------------------

KERNEL chain(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  float x = a[i];
  for (int k = 0; k < m; ++k)
    x = x * x + .3f;
  b[i] = x;
}
KERNEL chains4(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  float x = a[i], y = x + 1, z = x + 2, w = x + 3;
  for (int k = 0; k < m; ++k) {
    x = x * .5f + .3f;
    y = y * .5f + .3f;
    z = z * .5f + .3f;
    w = w * .5f + .3f;
  }
  b[i] = x + y + z + w;
}
KERNEL dchain(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  double x = a[i];
  for (int k = 0; k < m; ++k)
    x = x * x + .3;
  b[i] = x;
}
KERNEL dhorner(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  double x = ((const double *)a)[i], s = 0, t = 1, u = 2, v = 3;
  for (int k = 0; k < m; ++k) {
    s = s * x + .1;
    t = t * x + .2;
    u = u * x + .3;
    v = v * x + .4;
  }
  ((double *)b)[i] = s + t + u + v;
}
KERNEL hashes(const float *a, float *b, int n, int m) {
  unsigned i = GX;
  if (i >= n)
    return;
  unsigned h = i;
  for (int k = 0; k < m; ++k) {
    h ^= h << 13;
    h ^= h >> 17;
    h ^= h << 5;
  }
  ((unsigned *)b)[i] = h;
}
KERNEL congruence(const float *a, float *b, int n, int m) {
  unsigned i = GX;
  if (i >= n)
    return;
  unsigned long long h = i;
  for (int k = 0; k < m; ++k)
    h = h * 6364136223846793005ull + 1442695040888963407ull;
  ((unsigned *)b)[i] = h >> 32;
}
KERNEL modulos(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  int h = i, s = 0;
  for (int k = 1; k < 16; ++k)
    s += h % (m + k) + h / (m - k);
  ((int *)b)[i] = s;
}
KERNEL options(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  float s = 5 + 25 * a[i], x = 1 + 99 * a[i + n], t = .25f + 9 * a[i + 2 * n];
  float root = sqrtf(t);
  float d1 = (__logf(s / x) + (.02f + .5f * .3f * .3f) * t) / (.3f * root);
  float d2 = d1 - .3f * root;
  float e = __expf(-.02f * t);
  float n1 = normcdff(d1), n2 = normcdff(d2);
  b[i] = s * n1 - x * e * n2;
  b[i + n] = x * e * (1 - n2) - s * (1 - n1);
}
KERNEL waves(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  float x = a[i], s = 0;
  for (int k = 1; k <= m; ++k)
    s += __sinf(k * x);
  b[i] = s;
}
KERNEL roots(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  double x = ((const double *)a)[i];
  ((double *)b)[i] = sqrt(x) / (1 + x);
}
KERNEL quotients(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  float x = a[i];
  for (int k = 0; k < m; ++k)
    x = 1.f / (x + k) + x;
  b[i] = x;
}
KERNEL nbody(const float *a, float *b, int n, int m) {
  const float4 *body = (const float4 *)a;
  int i = GX;
  if (i >= n)
    return;
  float4 p = body[i];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < m; ++j) {
    float4 q = body[j];
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + .01f), s = q.w * r * r * r;
    x += s * dx;
    y += s * dy;
    z += s * dz;
  }
  ((float4 *)b)[i] = make_float4(x, y, z, 0);
}
KERNEL nbodyT(const float *a, float *b, int n, int m) {
  __shared__ float4 tile[256];
  const float4 *body = (const float4 *)a;
  float4 p = body[GX];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < m; j += 256) {
    tile[threadIdx.x] = body[j + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 256; ++k) {
      float4 q = tile[k];
      float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + .01f), s = q.w * r * r * r;
      x += s * dx;
      y += s * dy;
      z += s * dz;
    }
    __syncthreads();
  }
  ((float4 *)b)[GX] = make_float4(x, y, z, 0);
}
KERNEL weighting(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  float px = a[i], py = a[i + n], num = 0, den = 0;
  for (int j = 0; j < m; ++j) {
    float dx = a[3 * j] - px, dy = a[3 * j + 1] - py;
    float w = 1.f / (dx * dx + dy * dy + .001f);
    num += w * a[3 * j + 2];
    den += w;
  }
  b[i] = num / den;
}

// Matrices
// -----------------------------------------------------------------------

KERNEL matmul2d(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x >= n || y >= n)
    return;
  float s = 0;
  for (int k = 0; k < n; ++k)
    s += a[y * n + k] * a[k * n + x];
  b[y * n + x] = s;
}
KERNEL dmatmul(const float *a, float *b, int n, int m) {
  const double *p = (const double *)a;
  int x = GX, y = GY;
  if (x >= n || y >= n)
    return;
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += p[y * n + k] * p[k * n + x];
  ((double *)b)[y * n + x] = s;
}
KERNEL syrk(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x >= n || y >= n)
    return;
  float s = b[y * n + x] * .5f;
  for (int k = 0; k < m; ++k)
    s += a[y * m + k] * a[x * m + k];
  b[y * n + x] = s;
}
KERNEL tiled32(const float *a, float *b, int n, int m) {
  __shared__ float A[32][32], B[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k += 32) {
    A[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    B[threadIdx.y][threadIdx.x] = a[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < 32; ++j)
      s += A[threadIdx.y][j] * B[j][threadIdx.x];
    __syncthreads();
  }
  b[y * n + x] = s;
}
KERNEL tiled4(const float *a, float *b, int n, int m) {
  // 64x64 outputs a block of 16x16 threads, 4x4 a thread.
  __shared__ float A[16][64], B[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  float s[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int e = t; e < 1024; e += 256) {
      A[e % 16][e / 16] = a[(blockIdx.y * 64 + e / 16) * n + k + e % 16];
      B[e / 64][e % 64] = a[(k + e / 64) * n + blockIdx.x * 64 + e % 64];
    }
    __syncthreads();
    for (int j = 0; j < 16; ++j)
#pragma unroll
      for (int p = 0; p < 4; ++p)
#pragma unroll
        for (int q = 0; q < 4; ++q)
          s[p][q] += A[j][ty * 4 + p] * B[j][tx * 4 + q];
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < 4; ++p)
#pragma unroll
    for (int q = 0; q < 4; ++q)
      b[(blockIdx.y * 64 + ty * 4 + p) * n + blockIdx.x * 64 + tx * 4 + q] =
          s[p][q];
}

// Blocks that work together
// --------------------------------------------------------

KERNEL dotshuffle(const float *a, float *b, int n, int m) {
  float s = 0;
  for (int i = GX; i < n; i += gridDim.x * blockDim.x)
    s += a[i] * a[i];
  for (int o = 16; o > 0; o >>= 1)
    s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0)
    atomicAdd(b, s);
}
KERNEL softmax(const float *a, float *b, int n, int m) {
  __shared__ float s[256];
  int t = threadIdx.x;
  const float *row = a + size_t(blockIdx.x) * m;
  float sum = 0;
  for (int x = t; x < m; x += 256)
    sum += __expf(row[x]);
  s[t] = sum;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (t < o)
      s[t] += s[t + o];
    __syncthreads();
  }
  float inverse = 1.f / s[0];
  for (int x = t; x < m; x += 256)
    b[size_t(blockIdx.x) * m + x] = __expf(row[x]) * inverse;
}
KERNEL scanblock(const float *a, float *b, int n, int m) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = a[GX];
  __syncthreads();
  for (int o = 1; o < 512; o *= 2) {
    float v = t >= o ? s[t - o] : 0.f;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  b[GX] = s[t];
}
KERNEL average16(const float *a, float *b, int n, int m) {
  __shared__ float s[272];
  int t = threadIdx.x;
  s[t] = a[GX];
  if (t < 16)
    s[256 + t] = a[GX + 256];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += s[t + k];
  b[GX] = sum / 16;
}
KERNEL lowoccupancy(const float *a, float *b, int n, int m) {
  __shared__ float s[12288 - 16];
  int t = threadIdx.x;
  for (int k = t; k < 12288 - 16; k += blockDim.x)
    s[k] = a[blockIdx.x * 12288 + k];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < m; ++k)
    sum += s[(t + k * 33) % 8192];
  b[GX] = sum;
}
KERNEL countall(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n && a[i] >= 0)
    atomicAdd((unsigned *)b, 1u);
}

#endif // GRIDSPAN_BENCH_MODEL_WORKLOADS_H
