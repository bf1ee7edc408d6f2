// Classes with pure virtual functions, and device memory from operator new,
// also with extended lambdas.
// RUN: %gridspan++ -O2 -arch=sm_90 --extended-lambda %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// RUN: %gridspan++ -O2 -arch=sm_90 -rdc=true %s -o %t.rdc
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t.rdc | FileCheck %s
// CHECK: 0 wrong
#include <cstdio>
#include <functional>

// What constructors store stays in memory, so that its table does as well.
struct Shape {
  float Size;
  __device__ Shape(float Size) : Size(Size) { announce(); }
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ __noinline__ void announce() { Announced = Size; }
  float Announced;
};
struct Square : Shape {
  using Shape::Shape;
  __device__ float area() const override { return Size * Size; }
};
struct Line : Shape {
  using Shape::Shape;
  __device__ float area() const override { return 0; }
};

__global__ void areas(float *Out, int N) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Shape *S = I % 2 ? static_cast<Shape *>(new Square(I)) : new Line(I);
  Out[I] = S->area() + S->Announced;
  delete S;
}

int main() {
  constexpr int N = 500;
  float *Out;
  cudaMallocManaged(&Out, N * sizeof(float));
  areas<<<4, 128>>>(Out, N);
  int Wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int I = 0; I < N; ++I)
    Wrong += Out[I] != float(I % 2 ? I * I + I : I);
  printf("%d wrong\n", Wrong);
}
