// Split launches that follow each other directly, or with something else in
// between, in one stream and across streams that wait for each other.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split smooth %t | FileCheck %s
// CHECK: checksum {{[0-9a-f]+}}
// CHECK-NEXT: PASS

#include "../Inputs/check.h"
#include <cstdint>
#include <utility>

__global__ void smooth(unsigned *out, const unsigned *in, int width,
                       int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int at = y * width + x;
  unsigned sum = 3 * in[at] + 1;
  if (y > 0)
    sum += in[at - width];
  if (y + 1 < height)
    sum ^= in[at + width];
  out[at] = sum;
}

/// Any element from any other: parts of several devices meet.
__global__ void reverse(unsigned *out, const unsigned *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i] + i;
}

struct Field {
  unsigned *in, *out;
};

static constexpr int Width = 96, Height = 331, N = Width * Height;

static void step(Field &f, cudaStream_t s) {
  smooth<<<dim3((Width + 31) / 32, (Height + 3) / 4), dim3(32, 4), 0, s>>>(
      f.out, f.in, Width, Height);
  std::swap(f.in, f.out);
}

static void turn(Field &f, cudaStream_t s) {
  reverse<<<(N + 127) / 128, 128, 0, s>>>(f.out, f.in, N);
  std::swap(f.in, f.out);
}

int main() {
  uint64_t checksum = 0;
  uint32_t random = 1;
  cudaStream_t streams[3] = {nullptr};
  CHECK(cudaStreamCreate(&streams[1]));
  CHECK(cudaStreamCreateWithFlags(&streams[2], cudaStreamNonBlocking));
  cudaEvent_t event;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  Field f;
  CHECK(cudaMalloc(&f.in, N * sizeof(unsigned)));
  CHECK(cudaMalloc(&f.out, N * sizeof(unsigned)));
  CHECK(cudaMemset(f.in, 1, N * sizeof(unsigned)));
  int now = 0;
  for (int i = 0; i < 400; ++i) {
    random = random * 1664525 + 1013904223;
    cudaStream_t s = streams[now];
    switch (random >> 28) {
    case 0: // another stream goes on, by an event
    case 1:
      CHECK(cudaEventRecord(event, s));
      now = (random >> 20) % 3;
      CHECK(cudaStreamWaitEvent(streams[now], event, 0));
      break;
    case 2: // or without one, as these two wait for each other
      if (now != 2)
        now = 1 - now;
      break;
    case 3:
      CHECK(cudaMemsetAsync(f.in + (random >> 8) % (N / 2), 7, N, s));
      break;
    case 4:
      CHECK(cudaMemcpyAsync(f.out, f.in, N * sizeof(unsigned),
                            cudaMemcpyDeviceToDevice, s));
      std::swap(f.in, f.out);
      break;
    case 5:
      CHECK(cudaStreamSynchronize(s));
      break;
    case 6:
    case 7:
    case 8:
      turn(f, s);
      break;
    default:
      step(f, s);
    }
  }
  CHECK(cudaDeviceSynchronize());
  static unsigned host[N];
  toHost(host, f.in, N);
  for (int i = 0; i < N; ++i)
    checksum = checksum * 1099511628211u + host[i];
  printf("checksum %016llx\n", static_cast<unsigned long long>(checksum));
  CHECK(cudaFree(f.in));
  CHECK(cudaFree(f.out));
  printf("PASS\n");
}
