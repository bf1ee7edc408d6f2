// Kernels that use memory in all the ways that differ in what is known of the
// bytes that they write.

#ifndef MANAGED_KERNELS_H
#define MANAGED_KERNELS_H

#include <cuda_runtime.h>

#ifndef FACTOR
#define FACTOR 1
#endif
constexpr int Width = 300, Height = 270 * FACTOR, N = Width * Height + 13;
constexpr int Block = 128, Fields = 5, RunLength = 8;

__host__ __device__ static unsigned mixed(unsigned v) { return 3 * v + 1; }
/// A place in [0, n), each once for odd steps where n is a power of two.
__host__ __device__ static int place(int i, int n) {
  return (i * 5 + 3) & (n - 1);
}

struct Cell {
  unsigned f[Fields];
};
struct Window {
  int x0, x1, y0, y1;
};

//===--- Kernels: all that is written is surely written -----------------===//

__global__ void update(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[lo + i] = mixed(p[lo + i]);
}
__global__ void transform(const unsigned *in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + i] = mixed(in[lo + i]);
}
__global__ void interior(const unsigned *in, unsigned *out, Window w) {
  int x = w.x0 + blockIdx.x * blockDim.x + threadIdx.x;
  int y = w.y0 + blockIdx.y;
  if (x < w.x1 && y < w.y1)
    out[y * Width + x] = in[y * Width + x - 1] + in[y * Width + x + 1] +
                         mixed(in[y * Width + x]);
}
__global__ void strided(unsigned *out, int lo, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + i * s] = mixed(i + s);
}
__global__ void reversed(const unsigned *in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + n - 1 - i] = mixed(in[lo + i]);
}
__global__ void gridStride(const unsigned *in, unsigned *out, int lo, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x)
    out[lo + i] = mixed(in[lo + i]);
}
__global__ void bothOf(unsigned *p, unsigned *q, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned v = p[lo + i];
    p[lo + i] = q[lo + i];
    q[lo + i] = mixed(v);
  }
}
__global__ void fields(Cell *cells, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    cells[lo + i].f[1] = mixed(i);
    cells[lo + i].f[3] = mixed(cells[lo + i].f[2]);
  }
}
__global__ void bytes(unsigned char *p, int lo, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[lo + i * s] = i * 7 + s;
}
__global__ void halves(unsigned short *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[lo + 2 * i] = p[lo + 2 * i] * 3 + 1;
}
__global__ void sums(const unsigned *in, unsigned *out, int lo, int n) {
  __shared__ unsigned part[Block];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[lo + i] : 0;
  __syncthreads();
  for (int half = Block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}
__global__ void counted(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&p[lo + i / 3], 2 * i + 1);
}

//===--- Kernels: which bytes are written depends on data ---------------===//

__global__ void chosen(const unsigned *in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[lo + i] & 64))
    out[lo + i] = in[lo + i] + 5;
}
__global__ void oddOnes(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (p[lo + i] & 1))
    p[lo + i] += 5;
}
__global__ void chosenAtomics(const unsigned *in, unsigned *out, int lo,
                              int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[lo + i] & 32))
    atomicAdd(&out[lo + i / 2], in[lo + i]);
}
__global__ void chosenField(const unsigned *in, Cell *cells, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[lo + i] & 4))
    cells[lo + i].f[4] = mixed(i);
}
__global__ void prefixes(const unsigned *in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < int(in[lo + i] % RunLength); ++j)
      out[lo + i * RunLength + j] = mixed(i + j);
}
__global__ void scatter(const int *where, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + where[i]] = mixed(i);
}
__global__ void scatterComputed(unsigned *out, int lo, int n, int part) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < part)
    out[lo + place(i, n)] = mixed(i);
}

//===--- Kernels that cannot be split -----------------------------------===//

__device__ unsigned launchesSoFar;
__global__ void unsplit(const unsigned *in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[lo + i] = mixed(in[lo + i]);
    if (i == 0)
      ++launchesSoFar;
  }
}
__global__ void tells(volatile unsigned *flag, unsigned value) {
  __threadfence_system();
  *flag = value;
}
__global__ void fetched(cudaTextureObject_t in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + i] = mixed(tex1Dfetch<unsigned>(in, lo + i));
}

#endif
