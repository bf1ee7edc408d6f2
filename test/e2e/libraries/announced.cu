// A library that works on device memory without the runtime's knowledge. Pages
// come to device 0 when it has been called often enough, and split kernels go on
// with them. The library is the host's code here, which can touch the CPU
// device's memory as a kernel on device 0 could.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %clangxx -shared -fPIC -DLIBRARY -x c++ %s -o %t/libsum.so
// RUN: %gridspan++ -O2 %s -L%t -lsum -Wl,-rpath,%t -o %t/program
// RUN: %compare --devices 1,3 --split fill %t/program | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static \
// RUN:   GRIDSPAN_REPORT=%t/r.json %t/program | FileCheck %s
// RUN: %python -c "import json; m = json.load(open('%t/r.json'))['copies']['move']; assert m['bytes'] > 0, m"
// CHECK: sums agree

#ifdef LIBRARY
extern "C" double cublasTestSum(const float *Data, long Count) {
  double Sum = 0;
  for (long I = 0; I < Count; ++I)
    Sum += Data[I];
  return Sum;
}
#else
#include <cstdio>

extern "C" double cublasTestSum(const float *Data, long Count);

__global__ void fill(float *Data, int Count, int Round) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] = I % 7 + Round;
}

int main() {
  const int Count = 1 << 20;
  float *Data;
  if (cudaMalloc(&Data, Count * sizeof(float)))
    return 1;
  bool Agree = true;
  for (int Round = 0; Round < 3; ++Round) {
    fill<<<Count / 256, 256>>>(Data, Count, Round);
    if (cudaDeviceSynchronize())
      return 1;
    double Expected = double(Round) * Count;
    for (int I = 0; I < Count; ++I)
      Expected += I % 7;
    for (int Call = 0; Call < 100; ++Call)
      Agree &= cublasTestSum(Data, Count) == Expected;
  }
  std::printf("sums %s\n", Agree ? "agree" : "DIFFER");
}
#endif
