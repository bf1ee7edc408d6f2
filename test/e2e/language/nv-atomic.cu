// The __nv_atomic functions and the atomics of two bytes, of all scopes.
//
// RUN: %gridspan++ -O2 -arch=sm_90 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// CHECK: sums 2048 2048 2048 2048 2048 2048
// CHECK: bits 0 -1 0 min -5 max 2047
// CHECK: bytes 64 shorts 64
// CHECK: swapped 1 expected 7 value 9
// CHECK: not swapped 1 expected 9 value 9
// CHECK: message 42 of 32

#include "../Inputs/check.h"

struct Sums {
  int ofInt;
  unsigned ofUnsigned;
  long long ofLong;
  unsigned long long ofUnsignedLong;
  float ofFloat;
  double ofDouble;
  int ands, ors, xors, lowest, highest;
  unsigned char bytes[64];
  unsigned short shorts[64];
};

__global__ void add(Sums *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_atomic_fetch_add(&s->ofInt, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(&s->ofUnsigned, 1u, __NV_ATOMIC_SEQ_CST,
                        __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_sub(&s->ofLong, -1ll, __NV_ATOMIC_ACQ_REL);
  __nv_atomic_add(&s->ofUnsignedLong, 1ull, __NV_ATOMIC_RELEASE);
  __nv_atomic_fetch_add(&s->ofFloat, 1.f, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(&s->ofDouble, 1., __NV_ATOMIC_ACQUIRE);
  __nv_atomic_fetch_and(&s->ands, i, __NV_ATOMIC_RELAXED);
  __nv_atomic_or(&s->ors, ~i, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_xor(&s->xors, i, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_min(&s->lowest, i - 5, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(&s->highest, i, __NV_ATOMIC_RELAXED);
  // Neighbours in a word must not disturb each other.
  unsigned char old =
      __nv_atomic_load_n(&s->bytes[i % 64], __NV_ATOMIC_RELAXED);
  if (i < 64) {
    unsigned char was =
        __nv_atomic_exchange_n(&s->bytes[i], i, __NV_ATOMIC_RELAXED);
    atomicCAS(&s->shorts[i], (unsigned short)0, (unsigned short)(i + was));
  }
  (void)old;
}

__global__ void swap(int *value, int *out) {
  int expected = 7;
  out[0] = __nv_atomic_compare_exchange_n(
      value, &expected, 9, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE);
  out[1] = expected;
  out[2] = __nv_atomic_load_n(value, __NV_ATOMIC_ACQUIRE);
  int desired = 11;
  expected = 7;
  out[3] =
      __nv_atomic_compare_exchange(value, &expected, &desired, true,
                                   __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
  out[4] = expected;
  __nv_atomic_load(value, &out[5], __NV_ATOMIC_RELAXED);
}

// One thread writes, the others of the block wait for the flag.
__global__ void message(int *flag, int *text, int *heard) {
  if (threadIdx.x == 0) {
    *text = 42;
    int one = 1;
    __nv_atomic_store(flag, &one, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  }
  while (
      !__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK)) {
  }
  if (*text == 42)
    __nv_atomic_fetch_add(heard, 1, __NV_ATOMIC_RELAXED);
}

int main() {
  Sums *device, host = {};
  host.ands = -1;
  host.lowest = 100;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpy(device, &host, sizeof host, cudaMemcpyDefault));
  add<<<16, 128>>>(device);
  CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDefault));
  printf("sums %d %u %lld %llu %g %g\n", host.ofInt, host.ofUnsigned,
         host.ofLong, host.ofUnsignedLong, host.ofFloat, host.ofDouble);
  printf("bits %d %d %d min %d max %d\n", host.ands, host.ors, host.xors,
         host.lowest, host.highest);
  int bytes = 0, shorts = 0;
  for (int i = 0; i < 64; ++i) {
    bytes += host.bytes[i] == i;
    shorts += host.shorts[i] == i;
  }
  printf("bytes %d shorts %d\n", bytes, shorts);

  int *values, out[8] = {7};
  CHECK(cudaMalloc(&values, sizeof out));
  CHECK(cudaMemcpy(values, out, sizeof out, cudaMemcpyDefault));
  swap<<<1, 1>>>(values, values + 1);
  CHECK(cudaMemcpy(out, values, sizeof out, cudaMemcpyDefault));
  printf("swapped %d expected %d value %d\n", out[1], out[2], out[3]);
  printf("not swapped %d expected %d value %d\n", !out[4], out[5], out[6]);

  CHECK(cudaMemset(values, 0, sizeof out));
  message<<<1, 32>>>(values, values + 1, values + 2);
  CHECK(cudaMemcpy(out, values, sizeof out, cudaMemcpyDefault));
  printf("message %d of %d\n", out[1], out[2]);
}
