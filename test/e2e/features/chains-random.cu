// Random chains of launches of many kinds, larger than memory, between random
// other calls, some of which wait among them: fills and copies of bytes, rows
// and boxes. The same contents on devices with plenty of memory, on small ones
// with chains, and without. With the smallest, some arguments stay on the host. A chain is a seed: %t FIRST COUNT. With
// -DFACTOR=16 the buffers are large enough for GPUs.
//
// RUN: %gridspan++ -O2 %s -o %t 2>&1 | count 0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 1 60 > %t.plain
// RUN: FileCheck %s < %t.plain
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB %t 1 60 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 1 60 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=192KiB GRIDSPAN_SCHEDULE=static %t 1 60 | diff %t.plain -
// RUN: env GRIDSPAN_COPY_THREADS=4 GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 1 60 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=128KiB %t 1 60 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=128KiB GRIDSPAN_SCHEDULE=static %t 1 60 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_CHAIN=0 %t 1 60 | diff %t.plain -
//
// CHECK: 1: {{[0-9a-f]+}}
// CHECK: 60: {{[0-9a-f]+}}

#include "../Inputs/check.h"
#include <cstdint>
#include <random>
#include <vector>

#ifndef FACTOR
#define FACTOR 1
#endif
constexpr int Width = 200 * FACTOR, Height = 173 * FACTOR;
constexpr int N = Width * Height + 7;
constexpr int Buffers = 6;

__global__ void scale(int *out, const int *in, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = by * in[i] + 1;
}
__global__ void add(int *out, const int *a, const int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}
__global__ void shift(int *out, const int *in, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] ^ in[i + by < n ? i + by : n - 1];
}
__global__ void smooth(int *out, const int *in, int reach, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= reach && i < n - reach)
    out[i] = in[i - reach] + 2 * in[i] + in[i + reach];
}
__global__ void stencil(int *out, const int *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    int i = y * width + x;
    out[i] = in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
  }
}
__global__ void transpose(int *out, const int *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[x * height + y] = in[y * width + x];
}
__global__ void reverse(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}
__global__ void every(int *out, const int *in, int step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * step < n)
    out[i * step] = in[i] + i;
}
__global__ void gather(int *out, const int *in, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[(unsigned)at[i] % (unsigned)n];
}
__global__ void count(int *bins, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[(unsigned)in[i] % 64], 1);
}
__global__ void walk(int *out, const int *in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    out[i] = in[i] - out[i];
}

/// Adds to places that nothing is known of.
__global__ void spread(int *out, const int *in, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&out[(unsigned)at[i] % (unsigned)n], in[i]);
}
/// Does more with the pointer than load from it.
__global__ void aligned(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 3 * in[i] + (int)((uintptr_t)in & 3);
}

/// These touch little memory, which devices have room for.
__global__ void bump(int *small) { small[threadIdx.x] += threadIdx.x; }
__global__ void shiftBy(int *out, const int *in, const int *small, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + small[i % 32];
}

/// Counts in what devices have room for.
__global__ void tally(int *small, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&small[(unsigned)in[i] % 32], 1);
}

struct Chain {
  std::mt19937 random;
  std::vector<int *> at;
  int *small = nullptr;
  cudaStream_t stream = nullptr;

  explicit Chain(unsigned seed) : random(seed), at(Buffers) {
    if (below(3) == 0)
      CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&small, 32 * sizeof(int)));
    CHECK(cudaMemset(small, 1, 32 * sizeof(int)));
    std::vector<int> values(N);
    for (int b = 0; b < Buffers; ++b) {
      for (int i = 0; i < N; ++i)
        values[i] = (int)random() >> 8;
      // The last ones are managed.
      if (b < Buffers - 2)
        CHECK(cudaMalloc(&at[b], N * sizeof(int)));
      else
        CHECK(cudaMallocManaged(&at[b], N * sizeof(int)));
      CHECK(
          cudaMemcpy(at[b], values.data(), N * sizeof(int), cudaMemcpyDefault));
    }
  }
  ~Chain() {
    CHECK(cudaFree(small));
    for (int *buffer : at)
      CHECK(cudaFree(buffer));
    if (stream)
      CHECK(cudaStreamDestroy(stream));
  }

  unsigned below(unsigned n) { return random() % n; }
  int *any() { return at[below(Buffers)]; }
  /// Another buffer.
  int *other(const int *than) {
    for (;;)
      if (int *buffer = any(); buffer != than)
        return buffer;
  }

  void step() {
    const int blocks = (N + 255) / 256;
    const dim3 grid((Width + 15) / 16, (Height + 7) / 8), block(16, 8);
    int *in = any(), *out = other(in);
    // All, or a part from somewhere on.
    const int from = below(3) ? 0 : (int)below(N / 2);
    const int n = below(3) ? N - from : (int)below(N - from) + 1;
    switch (below(24)) {
    case 0:
      scale<<<blocks, 256, 0, stream>>>(in + from, in + from, 3, n);
      break;
    case 1:
      scale<<<blocks, 256, 0, stream>>>(out + from, in, 5, n);
      break;
    case 2:
      add<<<blocks, 256, 0, stream>>>(out + from, out + from, in + from, n);
      break;
    case 3:
      add<<<blocks, 256, 0, stream>>>(out, in, any() == in ? in : out, n);
      break;
    case 4:
      shift<<<blocks, 256, 0, stream>>>(out, in + from, (int)below(3000), n);
      break;
    case 5:
      smooth<<<blocks, 256, 0, stream>>>(out, in, 1 + (int)below(500), n);
      break;
    case 6:
      stencil<<<grid, block, 0, stream>>>(out, in, Width, Height);
      break;
    case 7:
      transpose<<<grid, block, 0, stream>>>(out, in, Width, Height);
      break;
    case 8:
      reverse<<<blocks, 256, 0, stream>>>(out, in, n);
      break;
    case 9:
      every<<<blocks, 256, 0, stream>>>(out, in, 1 + (int)below(9), n);
      break;
    case 10:
      gather<<<blocks, 256, 0, stream>>>(out, in, other(out), n);
      break;
    case 11:
      count<<<blocks, 256, 0, stream>>>(out, in, n);
      break;
    case 12:
      walk<<<1 + below(40), 128, 0, stream>>>(out, in, n);
      break;
    case 13:
      CHECK(cudaMemsetAsync(out + from, (int)below(256), n * sizeof(int),
                            stream));
      break;
    case 14:
      CHECK(cudaMemcpyAsync(out + below(N - n + 1), in + from, n * sizeof(int),
                            cudaMemcpyDeviceToDevice, stream));
      break;
    case 15:
      if (below(2))
        CHECK(cudaMemsetAsync(small, (int)below(256), 8, stream));
      bump<<<1, 32, 0, stream>>>(small);
      break;
    case 16:
      shiftBy<<<blocks, 256, 0, stream>>>(out, in, small, n);
      break;
    case 17:
      spread<<<blocks, 256, 0, stream>>>(out, in, other(out), n);
      break;
    case 18:
      aligned<<<blocks, 256, 0, stream>>>(out, in, n);
      break;
    case 19:
      tally<<<blocks, 256, 0, stream>>>(small, in, n);
      break;
    case 20:
      fillRows(out);
      break;
    case 21:
      copyRows(out, in);
      break;
    case 22:
      copyColumns(out);
      break;
    case 23:
      copyBox(out, in);
      break;
    }
    CHECK(cudaGetLastError());
    if (below(12) == 0)
      interrupt();
  }

  /// Rows of a buffer: Count rows, Pitch bytes apart.
  struct Rows {
    size_t pitch, width, count, from;
  };
  /// Random ones within a buffer; one that is taken over is not 0.
  Rows rows(size_t width = 0, size_t count = 0) {
    const size_t all = N * sizeof(int);
    Rows r;
    r.width = width ? width : 1 + below(below(2) ? 300 : 20000);
    r.pitch = r.width + (below(3) ? below(600) : 0);
    const size_t most = (all - r.width) / r.pitch + 1;
    r.count = count ? count : 1 + below((unsigned)most);
    if (r.count > most) {
      r.pitch = r.width;
      r.count = count;
    }
    r.from = below((unsigned)(all - ((r.count - 1) * r.pitch + r.width)) + 1);
    return r;
  }
  static char *bytes(int *buffer, const Rows &r) {
    return (char *)buffer + r.from;
  }
  void fillRows(int *out) {
    const Rows r = rows();
    const int byte = (int)below(256);
    if (below(2))
      CHECK(cudaMemset2DAsync(bytes(out, r), r.pitch, byte, r.width, r.count,
                              stream));
    else if (!stream)
      CHECK(cudaMemset2D(bytes(out, r), r.pitch, byte, r.width, r.count));
  }
  void copyRows(int *out, int *in) {
    const Rows from = rows(), to = rows(from.width, from.count);
    if (below(2))
      CHECK(cudaMemcpy2DAsync(bytes(out, to), to.pitch, bytes(in, from),
                              from.pitch, from.width, from.count,
                              cudaMemcpyDefault, stream));
    else if (!stream)
      CHECK(cudaMemcpy2D(bytes(out, to), to.pitch, bytes(in, from), from.pitch,
                         from.width, from.count, cudaMemcpyDefault));
  }
  /// One half of the columns to the other one, or to columns that overlap none.
  void copyColumns(int *out) {
    const size_t pitch = Width * sizeof(int), width = 1 + below(Width * 2);
    const size_t gap = below((unsigned)(pitch - 2 * width) + 1);
    char *left = (char *)out, *right = left + width + gap;
    if (below(2))
      std::swap(left, right);
    CHECK(cudaMemcpy2DAsync(left, pitch, right, pitch, width, Height,
                            cudaMemcpyDefault, stream));
  }
  /// A box of both buffers taken for Width by 20 by some planes.
  void copyBox(int *out, int *in) {
    const size_t pitch = Width * sizeof(int), planes = Height / 20;
    cudaMemcpy3DParms p = {};
    p.extent = make_cudaExtent(1 + below(pitch), 1 + below(20),
                               1 + below((unsigned)planes));
    const auto at = [&] {
      return make_cudaPos(below((unsigned)(pitch - p.extent.width) + 1),
                          below((unsigned)(20 - p.extent.height) + 1),
                          below((unsigned)(planes - p.extent.depth) + 1));
    };
    p.srcPtr = make_cudaPitchedPtr(in, pitch, pitch, 20);
    p.dstPtr = make_cudaPitchedPtr(out, pitch, pitch, 20);
    p.srcPos = at();
    p.dstPos = at();
    p.kind = cudaMemcpyDefault;
    if (below(2))
      CHECK(cudaMemcpy3DAsync(&p, stream));
    else if (!stream)
      CHECK(cudaMemcpy3D(&p));
    if (below(2)) {
      cudaExtent e = p.extent;
      cudaPitchedPtr corner = make_cudaPitchedPtr(in, pitch, pitch, 20);
      CHECK(cudaMemset3DAsync(corner, (int)below(256), e, stream));
    }
  }

  /// Something else than a launch.
  void interrupt() {
    int *in = any(), *out = other(in);
    const size_t bytes = (1 + below(N)) * sizeof(int);
    switch (below(5)) {
    case 0:
      CHECK(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDefault, stream));
      break;
    case 1:
      CHECK(cudaMemsetAsync(out, (int)below(256), bytes, stream));
      break;
    case 2:
      CHECK(cudaStreamSynchronize(stream));
      at[Buffers - 1][below(N)] += 1;
      break;
    case 3: {
      int *more;
      CHECK(cudaMalloc(&more, bytes));
      CHECK(cudaMemcpyAsync(more, in, bytes, cudaMemcpyDefault, stream));
      CHECK(cudaMemcpyAsync(out, more, bytes, cudaMemcpyDefault, stream));
      CHECK(cudaFree(more));
      break;
    }
    case 4: {
      cudaEvent_t event;
      CHECK(cudaEventCreate(&event));
      CHECK(cudaEventRecord(event, stream));
      CHECK(cudaEventSynchronize(event));
      CHECK(cudaEventDestroy(event));
      break;
    }
    }
  }

  /// FNV-1a over all contents.
  uint64_t hash() {
    uint64_t h = 14695981039346656037u;
    std::vector<int> values(N);
    CHECK(cudaStreamSynchronize(stream));
    for (int *buffer : at) {
      CHECK(cudaMemcpy(values.data(), buffer, N * sizeof(int),
                       cudaMemcpyDefault));
      for (int v : values)
        h = (h ^ (unsigned)v) * 1099511628211u;
    }
    return h;
  }
};

int main(int argc, char **argv) {
  const unsigned first = argc > 1 ? atoi(argv[1]) : 1;
  const unsigned many = argc > 2 ? atoi(argv[2]) : 1;
  for (unsigned seed = first; seed < first + many; ++seed) {
    Chain chain(seed);
    for (unsigned steps = 2 + chain.below(30); steps > 0; --steps)
      chain.step();
    printf("%u: %llx\n", seed, (unsigned long long)chain.hash());
  }
}
