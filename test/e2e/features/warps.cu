// Warp operations, also in the last, partial warp of a block.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split shuffles --split votes --split matches %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

constexpr unsigned Full = 0xffffffffu;

__global__ void shuffles(int *out) {
  int t = threadIdx.x, v = t * 10, *o = out + (blockIdx.x * 64 + t) * 8;
  o[0] = __shfl_sync(Full, v, 5);
  o[1] = __shfl_sync(Full, v, t + 3, 8);
  o[2] = __shfl_up_sync(Full, v, 2);
  o[3] = __shfl_down_sync(Full, v, 3, 16);
  o[4] = __shfl_xor_sync(Full, v, 7);
  o[5] = (int)__shfl_xor_sync(Full, (double)v, 1);
  o[6] = (int)(__shfl_sync(Full, (long long)v << 33, 31) >> 33);
  o[7] = (int)__shfl_down_sync(Full, (float)v, 16);
}

__global__ void votes(unsigned *out) {
  int t = threadIdx.x;
  unsigned *o = out + (blockIdx.x * 45 + t) * 8;
  unsigned members = t < 32 ? Full : (1u << 13) - 1;
  o[0] = __ballot_sync(members, t % 2);
  o[1] = __any_sync(members, t == 40) != 0;
  o[2] = __all_sync(members, t < 45) != 0;
  o[3] = __popc(__activemask());
  __syncwarp(members);
  o[5] = __reduce_add_sync(members, t);
  o[6] = __reduce_max_sync(members, t);
  o[7] = __reduce_xor_sync(members, t);
  // By some threads of the warp only.
  o[4] = 0;
  if (t % 2) {
    unsigned odd = members & 0xaaaaaaaau;
    o[4] = __ballot_sync(odd, t % 3 == 0);
  }
}

__global__ void matches(unsigned *out) {
  int t = threadIdx.x, all;
  unsigned *o = out + (blockIdx.x * 32 + t) * 4;
  o[0] = __match_any_sync(Full, t / 5);
  o[1] = __match_any_sync(Full, (unsigned long long)(t % 2) << 40);
  o[2] = __match_all_sync(Full, 17, &all) + all;
  o[3] = __match_all_sync(Full, t, &all) + all;
}

// Sums a row with a warp, the usual pattern.
__global__ void rowSums(const float *in, float *out, int columns) {
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32)
    sum += in[blockIdx.x * columns + c];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(Full, sum, offset);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

static int shuffled(int t, int which) {
  int lane = t % 32, first = t - lane;
  auto v = [&](int l) { return (first + l) * 10; };
  switch (which) {
  case 0:
    return v(5);
  case 1:
    return v(lane / 8 * 8 + (t + 3) % 8);
  case 2:
    return v(lane < 2 ? lane : lane - 2);
  case 3:
    return v(lane % 16 + 3 < 16 ? lane + 3 : lane);
  case 4:
    return v(lane ^ 7);
  case 5:
    return v(lane ^ 1);
  case 6:
    return v(31);
  default:
    return v(lane + 16 < 32 ? lane + 16 : lane);
  }
}

int main() {
  const int blocks = 9;
  static int out[blocks * 64 * 8];
  int *device = toDevice(out, blocks * 64 * 8);

  shuffles<<<blocks, 64>>>(device);
  toHost(out, device, blocks * 64 * 8);
  for (int which = 0; which < 8; ++which) {
    int wrong = 0;
    for (int b = 0; b < blocks; ++b)
      for (int t = 0; t < 64; ++t)
        wrong += out[(b * 64 + t) * 8 + which] != shuffled(t, which);
    printf("shuffle %d: wrong %d\n", which, wrong);
    EXPECT(wrong == 0);
  }

  votes<<<blocks, 45>>>((unsigned *)device);
  toHost(out, device, blocks * 45 * 8);
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < 45; ++t) {
      const unsigned *o = (const unsigned *)out + (b * 45 + t) * 8;
      unsigned members = t < 32 ? Full : (1u << 13) - 1;
      unsigned threes = 0, sum = 0, parity = 0;
      int first = t / 32 * 32, last = t < 32 ? 32 : 45;
      for (int u = first; u < last; ++u) {
        threes |= (u % 2 && u % 3 == 0) ? 1u << (u - first) : 0;
        sum += u;
        parity ^= u;
      }
      EXPECT(o[0] == (members & 0xaaaaaaaau));
      EXPECT(o[1] == (t >= 32));
      EXPECT(o[2] == 1);
      EXPECT(o[3] == (t < 32 ? 32u : 13u));
      EXPECT(o[4] == (t % 2 ? threes : 0));
      EXPECT(o[5] == sum);
      EXPECT(o[6] == unsigned(last - 1));
      EXPECT(o[7] == parity);
    }

  matches<<<blocks, 32>>>((unsigned *)device);
  toHost(out, device, blocks * 32 * 4);
  for (int t = 0; t < 32; ++t) {
    const unsigned *o = (const unsigned *)out + (3 * 32 + t) * 4;
    unsigned fives = 0;
    for (int u = 0; u < 32; ++u)
      fives |= (u / 5 == t / 5) ? 1u << u : 0;
    EXPECT(o[0] == fives);
    EXPECT(o[1] == (t % 2 ? 0xaaaaaaaau : 0x55555555u));
    EXPECT(o[2] == Full + 1);
    EXPECT(o[3] == 0);
  }

  const int columns = 77;
  static float rows[blocks * columns], sums[blocks];
  for (int i = 0; i < blocks * columns; ++i)
    rows[i] = i % 13;
  float *dRows = toDevice(rows, blocks * columns),
        *dSums = toDevice(sums, blocks);
  rowSums<<<blocks, 32>>>(dRows, dSums, columns);
  toHost(sums, dSums, blocks);
  for (int b = 0; b < blocks; ++b) {
    float sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += rows[b * columns + c];
    EXPECT(sums[b] == sum);
  }
  CHECK(cudaGetLastError());
  return finish();
}
