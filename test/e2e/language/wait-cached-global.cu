// A block that waits for another one by __ldcg reads memory each time; a launch
// whose blocks wait for each other is not divided.
//
// RUN: %gridspan++ -O2 -arch=sm_90 %s -o %t
// RUN: %compare --devices 1,3 --refused relay=waits-on-other-block %t \
// RUN:   | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

__global__ void relay(int *Flag, int *Data, int *Out) {
  if (blockIdx.x == 0) {
    Data[0] = 42;
    __threadfence();
    __stcg(Flag, 1);
  } else {
    while (__ldcg(Flag) == 0) {
    }
    __threadfence();
    Out[0] = __ldcg(Data);
  }
}

// What is read through another type may be what was written before.
__global__ void through(float *Data, int *Out, int N) {
  int Sum = 0;
  for (int I = 0; I < N; ++I) {
    Sum += __ldcs(reinterpret_cast<const int *>(Data));
    Data[0] = I;
  }
  Out[0] = Sum;
}

int main() {
  int Zeros[3] = {}, Out = 0, *Memory;
  Memory = toDevice(Zeros, 3);
  relay<<<2, 1>>>(Memory, Memory + 1, Memory + 2);
  CHECK(cudaMemcpy(&Out, Memory + 2, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(Out == 42);
  CHECK(cudaMemset(Memory, 0, 3 * sizeof(int)));
  through<<<1, 1>>>(reinterpret_cast<float *>(Memory), Memory + 1, 3);
  CHECK(cudaMemcpy(&Out, Memory + 1, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(Out == 0x3f800000); // 0, 0, 1
  return finish();
}
