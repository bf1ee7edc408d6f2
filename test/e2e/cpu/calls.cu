// Recursion, pointers to functions in device variables, virtual functions.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

using Function = int (*)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ Function Table[2] = {twice, thrice};

struct Shape {
  __device__ virtual int area() const { return 0; }
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};
struct Bar : Shape {
  int length;
  __device__ Bar(int length) : length(length) {}
  __device__ int area() const override { return 2 * length; }
};

__global__ void calls(int *out) {
  int t = threadIdx.x;
  Square square(t);
  Bar bar(t);
  const Shape &shape = t % 3 ? (const Shape &)square : (const Shape &)bar;
  out[t] = Table[t % 2](t) + fibonacci(t % 10) + shape.area();
}

int main() {
  const int expected[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  int out[32], *device = toDevice(out, 32);
  calls<<<1, 32>>>(device);
  toHost(out, device, 32);
  for (int t = 0; t < 32; ++t)
    EXPECT(out[t] ==
           (t % 2 ? 3 : 2) * t + expected[t % 10] + (t % 3 ? t * t : 2 * t));
  return finish();
}
