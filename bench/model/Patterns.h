//===- Patterns.h - Kernels of many access patterns -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small kernels, each with one way to address memory. All take (a, b, n, m):
// two arrays, a count, a pitch or stride.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_MODEL_PATTERNS_H
#define GRIDSPAN_BENCH_MODEL_PATTERNS_H

struct S3 {
  float x, y, z;
};
struct S5 {
  float a, b, c, d, e;
};
struct __align__(16) S4 {
  float x, y, z, w;
};
struct __align__(8) S2 {
  float x, y;
};
struct RGB {
  unsigned char r, g, b;
};
struct Args {
  const float *in;
  float *out;
  int n, pitch;
};
#define GX (blockIdx.x * blockDim.x + threadIdx.x)
#define GY (blockIdx.y * blockDim.y + threadIdx.y)
#define KERNEL extern "C" __global__ void
KERNEL saxpy(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i] = 2.f * a[i] + b[i];
}
KERNEL gridstride(const float *a, float *b, int n, int m) {
  for (int i = GX; i < n; i += gridDim.x * blockDim.x)
    b[i] = a[i];
}
KERNEL shifted(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i] = a[i + 1] + a[i + 7];
}
KERNEL strided2(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i] = a[2 * i];
}
KERNEL stridedm(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i] = a[i * m];
}
KERNEL reverse_(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[n - 1 - i] = a[i];
}
KERNEL doubles(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    ((double *)b)[i] = ((const double *)a)[i];
}
KERNEL bytes(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    ((char *)b)[i] = ((const char *)a)[i];
}
KERNEL shorts(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    ((short *)b)[i] = ((const short *)a)[i + 3];
}
KERNEL vec4(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    ((float4 *)b)[i] = ((const float4 *)a)[i];
}
KERNEL vec2(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    ((float2 *)b)[i] = ((const float2 *)a)[i];
}
KERNEL aos3(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    S3 s = ((const S3 *)a)[i];
    b[i] = s.x + s.y + s.z;
  }
}
KERNEL aos5(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    const S5 *s = (const S5 *)a;
    b[i] = s[i].a * s[i].c;
  }
}
KERNEL aos4(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    S4 s = ((const S4 *)a)[i];
    b[i] = s.x + s.y + s.z + s.w;
  }
}
KERNEL aos4part(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    const S4 *s = (const S4 *)a;
    b[i] = s[i].x + s[i].y;
  }
}
KERNEL aos2(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    const S2 *s = (const S2 *)a;
    b[i] = s[i].x + s[i].y;
  }
}
KERNEL rgb(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    const RGB *s = (const RGB *)a;
    b[i] = s[i].r + s[i].g + s[i].b;
  }
}
KERNEL copy2d(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x < n && y < n)
    b[y * m + x] = a[y * m + x];
}
KERNEL column2d(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x < n && y < n)
    b[x * m + y] = a[y * m + x];
}
KERNEL smooth(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x >= n || y >= n)
    return;
  int i = y * m + x;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    b[i] = .5f * a[i] + .125f * (a[i - 1] + a[i + 1] + a[i - m] + a[i + m]);
  else
    b[i] = a[i];
}
KERNEL border(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (x >= n || y >= n)
    return;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
    b[y * m + x] = 0;
}
KERNEL matmul(const float *a, float *b, int n, int m) {
  int id = GX;
  int y = id / n, x = id % n;
  if (y >= n)
    return;
  float s = 0;
  for (int k = 0; k < n; ++k)
    s += a[y * n + k] * a[k * n + x];
  b[y * n + x] = s;
}
KERNEL matvec(const float *a, float *b, int n, int m) {
  int r = GX;
  if (r >= n)
    return;
  float s = 0;
  for (int k = 0; k < m; ++k)
    s += a[r * m + k];
  b[r] = s;
}
KERNEL matvect(const float *a, float *b, int n, int m) {
  int r = GX;
  if (r >= n)
    return;
  float s = 0;
  for (int k = 0; k < m; ++k)
    s += a[k * n + r];
  b[r] = s;
}
KERNEL triangle(const float *a, float *b, int n, int m) {
  int r = GX;
  if (r >= n)
    return;
  float s = 0;
  for (int k = 0; k <= r; ++k)
    s += a[k * n + r];
  b[r] = s;
}
KERNEL lower(const float *a, float *b, int n, int m) {
  int x = GX, y = GY;
  if (y < n && x <= y)
    b[y * m + x] = 1;
}
KERNEL movavg(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i + 8 > n)
    return;
  float s = 0;
  for (int k = 0; k < 8; ++k)
    s += a[i + k];
  b[i] = s;
}
KERNEL movavgm(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i + m > n)
    return;
  float s = 0;
  for (int k = 0; k < m; ++k)
    s += a[i + k];
  b[i] = s;
}
KERNEL leader(const float *a, float *b, int n, int m) {
  float v = a[blockIdx.x];
  if (threadIdx.x == 0)
    b[blockIdx.x] = v;
}
KERNEL evens(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n && i % 2 == 0)
    b[i] = a[i];
}
KERNEL everythird(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n && i % 3 != 1)
    b[i / 3] = a[i];
}
KERNEL quotient(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i] = a[i / m * 3 + i % m];
}
KERNEL swizzle(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    b[i ^ 5] = a[(i * 7) & 1023];
}
KERNEL atomics1(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    atomicAdd(&b[i / 4], 1.f);
}
KERNEL atomicsall(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n)
    atomicAdd((unsigned *)b + i, 1u);
}
KERNEL atomicsone(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i < n) {
    int o = atomicMax((int *)b, i);
    if (o < -5)
      b[i] = 1;
  }
}
KERNEL structargs(Args p) {
  int x = GX, y = GY;
  if (x < p.n && y < p.n)
    p.out[y * p.pitch + x] = p.in[x];
}
KERNEL stencil3(const float *a, float *b, int n, int m) {
  int x = GX, y = GY, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
    return;
  int i = (z * n + y) * n + x;
  b[i] =
      a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n];
}
KERNEL longidx(const float *a, float *b, int n, int m) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (size_t)n)
    b[i * 3 + 1] = a[i];
}
KERNEL coarse4(const float *a, float *b, int n, int m) {
  int i0 = GX * 4;
  for (int k = 0; k < 4; ++k)
    if (i0 + k < n)
      b[i0 + k] = a[i0 + k];
}
KERNEL blockcyc(const float *a, float *b, int n, int m) {
  int base = blockIdx.x * blockDim.x * 4 + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    int i = base + k * blockDim.x;
    if (i < n)
      b[i] = a[i];
  }
}
KERNEL switchy(const float *a, float *b, int n, int m) {
  int i = GX;
  if (i >= n)
    return;
  switch (i & 3) {
  case 0:
    b[i] = a[i];
    break;
  case 1:
    b[i] = a[i + m];
    break;
  case 2:
    b[2 * i] = 1;
    break;
  default:
    break;
  }
}
KERNEL transposeS(const float *a, float *b, int n, int m) {
  __shared__ float t[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    t[threadIdx.y + j][threadIdx.x] = a[(y + j) * m + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    b[(y + j) * m + x] = t[threadIdx.x][threadIdx.y + j];
}
KERNEL transposeP(const float *a, float *b, int n, int m) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    t[threadIdx.y + j][threadIdx.x] = a[(y + j) * m + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    b[(y + j) * m + x] = t[threadIdx.x][threadIdx.y + j];
}
KERNEL tiledmm(const float *a, float *b, int n, int m) {
  __shared__ float A[16][16], B[16][16];
  int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  for (int t = 0; t < n; t += 16) {
    A[threadIdx.y][threadIdx.x] = a[r * m + t + threadIdx.x];
    B[threadIdx.y][threadIdx.x] = a[(t + threadIdx.y) * m + c];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      s += A[threadIdx.y][k] * B[k][threadIdx.x];
    __syncthreads();
  }
  b[r * m + c] = s;
}
KERNEL reducetree(const float *a, float *b, int n, int m) {
  __shared__ float s[256];
  int t = threadIdx.x, i = GX;
  s[t] = i < n ? a[i] : 0.f;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (t < o)
      s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0)
    b[blockIdx.x] = s[0];
}
KERNEL reducebad(const float *a, float *b, int n, int m) {
  __shared__ float s[256];
  int t = threadIdx.x, i = GX;
  s[t] = i < n ? a[i] : 0.f;
  __syncthreads();
  for (int o = 1; o < 256; o *= 2) {
    if (t % (2 * o) == 0)
      s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0)
    b[blockIdx.x] = s[0];
}
KERNEL sharedstride(const float *a, float *b, int n, int m) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    s[t * 4 + k] = a[t + k * 256];
  __syncthreads();
  b[GX] = s[(t * 4 + 3) & 1023];
}
KERNEL sharedvec(const float *a, float *b, int n, int m) {
  __shared__ float4 s[256];
  int t = threadIdx.x;
  s[t] = ((const float4 *)a)[t];
  __syncthreads();
  float4 v = s[255 - t];
  b[GX] = v.x + v.y + v.z + v.w;
}

#endif // GRIDSPAN_BENCH_MODEL_PATTERNS_H
