// A launch of a function that is no kernel fails, and is said once.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck --check-prefix=ERROR %s < %t.err
// CHECK: PASS
// ERROR: gridspan: the launch of {{.*}} failed: no module of this process has
// ERROR-SAME: registered it as a kernel
// ERROR-NOT: gridspan

#include "../Inputs/check.h"

static void notAKernel(int *) {}

__global__ void set(int *Out) { *Out = 7; }

int main() {
  int *Out;
  CHECK(cudaMalloc(&Out, sizeof(int)));
  void *Args[] = {&Out};
  const void *Function = reinterpret_cast<const void *>(&notAKernel);
  for (int Round = 0; Round < 2; ++Round) {
    EXPECT(cudaLaunchKernel(Function, dim3(1), dim3(1), Args, 0, nullptr) ==
           cudaErrorInvalidDeviceFunction);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    EXPECT(cudaGetLastError() == cudaSuccess);
  }
  EXPECT(cudaLaunchCooperativeKernel(Function, dim3(1), dim3(1), Args, 0,
                                     nullptr) ==
         cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
  // Nothing else is harmed.
  set<<<1, 1>>>(Out);
  int Got = 0;
  CHECK(cudaMemcpy(&Got, Out, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(Got == 7);
  return finish();
}
