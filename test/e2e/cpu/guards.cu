// Guards at the edges of their types: indices that wrap around, lower bounds,
// limits that threads of a row share, several of them, 64-bit and unsigned
// ones.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include <climits>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

using Word = unsigned long long;

__global__ void below(int base, int n, unsigned *out) {
  int i = (int)((unsigned)base + threadIdx.x);
  if (i < n)
    out[threadIdx.x] = i;
}
__global__ void atMost(int base, int n, unsigned *out) {
  int i = (int)((unsigned)base + threadIdx.x);
  if (i > n)
    return;
  out[threadIdx.x] = i;
}
__global__ void between(int base, int n, unsigned *out) {
  int i = (int)((unsigned)base + threadIdx.x);
  if (i >= 3 && i < n && threadIdx.x != 5)
    out[threadIdx.x] = i;
}
__global__ void above(int base, int n, unsigned *out) {
  int i = (int)((unsigned)base + threadIdx.x);
  if (n >= i)
    return;
  out[threadIdx.x] = i;
}
__global__ void unsignedBelow(int base, int n, unsigned *out) {
  unsigned i = base + threadIdx.x;
  if (i < (unsigned)n)
    out[threadIdx.x] = i;
}
__global__ void longBelow(int base, int n, unsigned *out) {
  Word i = (Word)(long long)base + threadIdx.x;
  if (i < (Word)(long long)n)
    out[threadIdx.x] = (unsigned)i;
}
__global__ void shared(int base, int n, unsigned *out) {
  int i = (int)((unsigned)base + threadIdx.x);
  if (n == 7 || base > 100)
    return;
  if (i >= n)
    return;
  out[threadIdx.x] = i;
}

struct Case {
  const char *name;
  void (*kernel)(int, int, unsigned *);
  std::function<bool(int, int, int)> runs; // base, n, thread
};

static int at(int base, int t) { return (int)((unsigned)base + t); }

int main() {
  const Case cases[] = {
      {"below", below, [](int b, int n, int t) { return at(b, t) < n; }},
      {"atMost", atMost, [](int b, int n, int t) { return at(b, t) <= n; }},
      {"between", between,
       [](int b, int n, int t) {
         return at(b, t) >= 3 && at(b, t) < n && t != 5;
       }},
      {"above", above, [](int b, int n, int t) { return at(b, t) > n; }},
      {"unsignedBelow", unsignedBelow,
       [](int b, int n, int t) { return (unsigned)at(b, t) < (unsigned)n; }},
      {"longBelow", longBelow,
       [](int b, int n, int t) {
         return (Word)(long long)b + t < (Word)(long long)n;
       }},
      {"shared", shared,
       [](int b, int n, int t) { return n != 7 && b <= 100 && at(b, t) < n; }},
  };
  const int edges[] = {
      0,   1,   7,       10,          63,      64,          65,           -1,
      -10, -64, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 9, INT_MAX - 40, 101};
  const int threads = 64;
  unsigned *device;
  cudaMalloc(&device, threads * sizeof(unsigned));
  int wrong = 0;
  for (const Case &c : cases)
    for (int base : edges)
      for (int n : edges) {
        std::vector<unsigned> out(threads);
        cudaMemset(device, 0xee, threads * sizeof(unsigned));
        c.kernel<<<1, threads>>>(base, n, device);
        cudaMemcpy(out.data(), device, threads * sizeof(unsigned),
                   cudaMemcpyDeviceToHost);
        for (int t = 0; t < threads; ++t) {
          unsigned expected =
              c.runs(base, n, t) ? (unsigned)at(base, t) : 0xeeeeeeeeu;
          if (out[t] != expected && ++wrong < 10)
            printf("%s: base %d, n %d, thread %d: %x, not %x\n", c.name, base,
                   n, t, out[t], expected);
        }
      }
  if (cudaDeviceSynchronize() != cudaSuccess)
    ++wrong;
  puts(wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
