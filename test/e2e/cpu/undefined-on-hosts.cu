// What devices define and hosts do not: minima and maxima that stop at zero,
// conversions to bytes that do not fit, votes of lanes that name others. And what
// C++ does not define and hosts do: an int that overflows wraps in host code.
// RUN: %gridspan++ -O2 -arch=sm_90 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu %t | FileCheck %s
// CHECK: relu: 0 wrong
// CHECK: bytes: 44 16 200
// CHECK: votes: 0 wrong
// CHECK: wraps: 1
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>

__global__ void relu(const unsigned *in, unsigned *out) {
  unsigned a = in[0], b = in[1], c = in[2];
  out[0] = __viaddmax_s16x2_relu(a, b, c);
  out[1] = __viaddmin_s16x2_relu(a, b, c);
  out[2] = __viaddmax_s32_relu(a, b, c);
  out[3] = __viaddmin_s32_relu(a, b, c);
  out[4] = __vimax3_s16x2_relu(a, b, c);
  out[5] = __vimin3_s32_relu(a, b, c);
  out[6] = __vimax_s32_relu(a, b);
  out[7] = __vimin_s16x2_relu(a, b);
}

template <class F>
static unsigned pairwise(F f, unsigned a, unsigned b, unsigned c) {
  auto half = [&](int shift) {
    return uint32_t(uint16_t(f(int16_t(a >> shift), int16_t(b >> shift),
                               int16_t(c >> shift))))
           << shift;
  };
  return half(0) | half(16);
}

__global__ void bytes(const float *in, unsigned char *out) {
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void votes(unsigned *out) {
  unsigned lane = threadIdx.x % 32, lower = (1u << lane) - 1;
  unsigned mine = __ballot_sync(lower, threadIdx.x % 3 == 1);
  __syncthreads();
  out[threadIdx.x] = mine;
}

__attribute__((noinline)) static bool wraps(int x) { return x + 1 < x; }

int main() {
  unsigned *memory;
  cudaMallocManaged(&memory, 4096);
  std::mt19937 random(1);
  int wrong = 0;
  for (int turn = 0; turn < 50; ++turn) {
    unsigned a = memory[0] = random(), b = memory[1] = random(),
             c = memory[2] = random();
    unsigned *out = memory + 3;
    relu<<<1, 1>>>(memory, out);
    cudaDeviceSynchronize();
    auto sum16 = [](int x, int y) { return int(int16_t(x + y)); };
    int sum = int(a + b), x = a, y = b, z = c;
    unsigned expected[] = {
        pairwise(
            [&](int p, int q, int r) { return std::max({sum16(p, q), r, 0}); },
            a, b, c),
        pairwise([&](int p, int q,
                     int r) { return std::max(std::min(sum16(p, q), r), 0); },
                 a, b, c),
        unsigned(std::max({sum, z, 0})),
        unsigned(std::max(std::min(sum, z), 0)),
        pairwise([](int p, int q, int r) { return std::max({p, q, r, 0}); }, a,
                 b, c),
        // The first minimum stops at zero, too.
        unsigned(std::max(std::min(std::max(std::min(x, y), 0), z), 0)),
        unsigned(std::max({x, y, 0})),
        pairwise([](int p, int q, int) { return std::max(std::min(p, q), 0); },
                 a, b, c)};
    wrong += !std::equal(expected, expected + 8, out);
  }
  std::printf("relu: %d wrong\n", wrong);

  auto *numbers = reinterpret_cast<float *>(memory);
  auto *small = reinterpret_cast<unsigned char *>(memory + 8);
  numbers[0] = 300;
  numbers[1] = 1040;
  numbers[2] = 200.9f;
  bytes<<<1, 3>>>(numbers, small);
  cudaDeviceSynchronize();
  std::printf("bytes: %d %d %d\n", small[0], small[1], small[2]);

  votes<<<1, 96>>>(memory);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int i = 0; i < 96; ++i) {
    unsigned expected = 0;
    for (int j = i / 32 * 32; j < i; ++j)
      expected |= unsigned(j % 3 == 1) << j % 32;
    wrong += memory[i] != expected;
  }
  std::printf("votes: %d wrong\n", wrong);
  std::printf("wraps: %d\n", wraps(INT32_MAX));
}
