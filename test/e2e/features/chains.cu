// Launches larger than memory that run together: pointwise chains, stencils
// with swapped buffers in one and two dimensions, several fields, reductions,
// fan-out and fan-in, parts of buffers, a launch that runs by itself between
// others. Against the host, with chains and without, on one device and several.
//
// RUN: %gridspan++ -O2 -ffp-contract=off %s -o %t 2>&1 | count 0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_CHAIN=0 GRIDSPAN_REPORT=%t.off.json %t | FileCheck %s
// RUN: FileCheck --check-prefix OFF --implicit-check-not '"chained_launches": 1' %s < %t.off.json
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB GRIDSPAN_REPORT=%t.on.json %t | FileCheck %s
// RUN: FileCheck --check-prefix ON %s < %t.on.json
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 %t | FileCheck %s
//
// OFF: "chained_launches": 0
// ON: "chained_launches": {{[1-9]}}
// CHECK: PASS

#include "../Inputs/check.h"
#include <utility>
#include <vector>

constexpr int N = 1 << 20;
constexpr int Width = 512, Height = 2048;

__global__ void scale(float *out, const float *in, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = by * in[i] + 1;
}

__global__ void add(float *out, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}

__global__ void smooth(float *out, const float *in, int n, int reach) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float left = in[i < reach ? 0 : i - reach];
    float right = in[i + reach < n ? i + reach : n - 1];
    out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
  }
}

__global__ void stencil(float *out, const float *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  int i = y * width + x;
  out[i] =
      0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void reverse(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}

__global__ void sum(int *result, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(result, (int)in[i]);
}

static std::vector<float> numbers(int seed) {
  std::vector<float> out(N);
  for (int i = 0; i < N; ++i)
    out[i] = (float)((i * 37 + seed) % 101);
  return out;
}

struct Buffer {
  float *at;
  explicit Buffer(int seed) {
    CHECK(cudaMalloc(&at, N * sizeof(float)));
    CHECK(cudaMemcpy(at, numbers(seed).data(), N * sizeof(float),
                     cudaMemcpyHostToDevice));
  }
  ~Buffer() { CHECK(cudaFree(at)); }
  std::vector<float> get() const {
    std::vector<float> out(N);
    CHECK(
        cudaMemcpy(out.data(), at, N * sizeof(float), cudaMemcpyDeviceToHost));
    return out;
  }
};

static void pointwise() {
  Buffer a(1), b(2);
  std::vector<float> x = numbers(1), y = numbers(2);
  for (int step = 0; step < 10; ++step) {
    scale<<<N / 256, 256>>>(b.at, a.at, 0.5f, N);
    add<<<N / 256, 256>>>(a.at, a.at, b.at, N);
    for (int i = 0; i < N; ++i) {
      y[i] = 0.5f * x[i] + 1;
      x[i] = x[i] + y[i];
    }
  }
  EXPECT(a.get() == x);
  EXPECT(b.get() == y);
}

static void smoothed(int reach, int steps) {
  Buffer a(3), b(4);
  std::vector<float> x = numbers(3), y(N);
  float *from = a.at, *to = b.at;
  for (int step = 0; step < steps; ++step) {
    smooth<<<N / 256, 256>>>(to, from, N, reach);
    std::swap(from, to);
    for (int i = 0; i < N; ++i)
      y[i] = 0.25f * x[i < reach ? 0 : i - reach] + 0.5f * x[i] +
             0.25f * x[i + reach < N ? i + reach : N - 1];
    std::swap(x, y);
  }
  EXPECT((from == a.at ? a : b).get() == x);
}

static void stencils() {
  Buffer a(5), b(5);
  std::vector<float> x = numbers(5), y = x;
  float *from = a.at, *to = b.at;
  for (int step = 0; step < 20; ++step) {
    stencil<<<dim3(Width / 32, Height / 8), dim3(32, 8)>>>(to, from, Width,
                                                           Height);
    std::swap(from, to);
    for (int r = 1; r < Height - 1; ++r)
      for (int c = 1; c < Width - 1; ++c) {
        int i = r * Width + c;
        y[i] =
            0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - Width] + x[i + Width]);
      }
    std::swap(x, y);
  }
  EXPECT((from == a.at ? a : b).get() == x);
}

/// c = f(a), d = g(a), e = h(c, d), and a sum of it, which the next step
/// changes again.
static void fans() {
  Buffer a(6), c(7), d(8), e(9);
  int *result;
  CHECK(cudaMalloc(&result, sizeof(int)));
  CHECK(cudaMemset(result, 0, sizeof(int)));
  std::vector<float> x = numbers(6);
  int expected = 0;
  for (int step = 0; step < 3; ++step) {
    scale<<<N / 256, 256>>>(c.at, a.at, 2, N);
    scale<<<N / 256, 256>>>(d.at, a.at, 3, N);
    add<<<N / 256, 256>>>(e.at, c.at, d.at, N);
    sum<<<N / 256, 256>>>(result, e.at, N);
    scale<<<N / 256, 256>>>(a.at, e.at, 0.125f, N);
    for (int i = 0; i < N; ++i) {
      float h = (2 * x[i] + 1) + (3 * x[i] + 1);
      expected += (int)h;
      x[i] = 0.125f * h + 1;
    }
  }
  int got = 0;
  CHECK(cudaMemcpy(&got, result, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got == expected);
  EXPECT(a.get() == x);
  CHECK(cudaFree(result));
}

/// Launches over halves, and one against the direction of memory.
static void parts() {
  Buffer a(10), b(11);
  std::vector<float> x = numbers(10), y = numbers(11);
  for (int step = 0; step < 4; ++step) {
    scale<<<N / 512, 256>>>(b.at, a.at, 2, N / 2);
    scale<<<N / 512, 256>>>(b.at + N / 2, a.at + N / 4, 3, N / 2);
    reverse<<<N / 256, 256>>>(a.at, b.at, N);
    smooth<<<N / 512, 256>>>(b.at + N / 4, a.at, N / 2, 5);
    for (int i = 0; i < N / 2; ++i)
      y[i] = 2 * x[i] + 1;
    for (int i = 0; i < N / 2; ++i)
      y[N / 2 + i] = 3 * x[N / 4 + i] + 1;
    for (int i = 0; i < N; ++i)
      x[i] = y[N - 1 - i];
    for (int i = 0; i < N / 2; ++i)
      y[N / 4 + i] = 0.25f * x[i < 5 ? 0 : i - 5] + 0.5f * x[i] +
                     0.25f * x[i + 5 < N / 2 ? i + 5 : N / 2 - 1];
  }
  EXPECT(a.get() == x);
  EXPECT(b.get() == y);
}

/// More launches than wait at once, on two streams in turn, which are ordered
/// by an event.
static void streams() {
  Buffer a(12), b(13);
  cudaStream_t first, second;
  cudaEvent_t done;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&done));
  std::vector<float> x = numbers(12), y = numbers(13);
  for (int step = 0; step < 70; ++step)
    scale<<<N / 256, 256, 0, first>>>(a.at, a.at, 0.5f, N);
  CHECK(cudaEventRecord(done, first));
  CHECK(cudaStreamWaitEvent(second, done, 0));
  add<<<N / 256, 256, 0, second>>>(b.at, a.at, b.at, N);
  add<<<N / 256, 256, 0, second>>>(b.at, a.at, b.at, N);
  CHECK(cudaStreamSynchronize(second));
  for (int i = 0; i < N; ++i) {
    for (int step = 0; step < 70; ++step)
      x[i] = 0.5f * x[i] + 1;
    y[i] = x[i] + (x[i] + y[i]);
  }
  EXPECT(a.get() == x);
  EXPECT(b.get() == y);
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
}

/// The host writes between launches, which may tell it that they are over.
static void managed() {
  float *a, *b;
  CHECK(cudaMallocManaged(&a, N * sizeof(float)));
  CHECK(cudaMallocManaged(&b, N * sizeof(float)));
  std::vector<float> x = numbers(14), y(N);
  for (int i = 0; i < N; ++i)
    a[i] = x[i];
  for (int step = 0; step < 3; ++step) {
    scale<<<N / 256, 256>>>(b, a, 0.5f, N);
    smooth<<<N / 256, 256>>>(a, b, N, 1);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; ++i)
      y[i] = 0.5f * x[i] + 1;
    for (int i = 0; i < N; ++i)
      x[i] = 0.25f * y[i < 1 ? 0 : i - 1] + 0.5f * y[i] +
             0.25f * y[i + 1 < N ? i + 1 : N - 1];
    a[step * 1000] += 7;
    x[step * 1000] += 7;
  }
  bool same = true;
  for (int i = 0; i < N; ++i)
    same = same && a[i] == x[i];
  EXPECT(same);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

int main() {
  pointwise();
  smoothed(1, 20);
  smoothed(40000, 5);
  stencils();
  fans();
  parts();
  streams();
  managed();
  return finish();
}
