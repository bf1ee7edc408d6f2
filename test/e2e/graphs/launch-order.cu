// Launches of one executable graph follow each other, also in streams that
// nothing else orders.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,3 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"

// Reads long before it writes.
__global__ void increment(int *Data, int Rounds) {
  int Value = *Data;
  for (int I = 0; I < Rounds; ++I) {
    asm volatile("" ::: "memory");
    Value += I & 1 ? 1 : -1;
  }
  *Data = Value + 1;
}

int main() {
  const int Launches = 6;
  int *Data, Zero = 0;
  CHECK(cudaMalloc(&Data, sizeof(int)));
  CHECK(cudaMemcpy(Data, &Zero, sizeof(int), cudaMemcpyHostToDevice));
  cudaStream_t Streams[2];
  for (cudaStream_t &S : Streams)
    CHECK(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking));
  cudaGraph_t Graph;
  CHECK(cudaStreamBeginCapture(Streams[0], cudaStreamCaptureModeGlobal));
  increment<<<1, 1, 0, Streams[0]>>>(Data, 2000000);
  increment<<<1, 1, 0, Streams[0]>>>(Data, 2000000);
  CHECK(cudaStreamEndCapture(Streams[0], &Graph));
  cudaGraphExec_t Exec;
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  for (int I = 0; I < Launches; ++I)
    CHECK(cudaGraphLaunch(Exec, Streams[I % 2]));
  CHECK(cudaDeviceSynchronize());
  int Sum = 0;
  CHECK(cudaMemcpy(&Sum, Data, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(Sum == 2 * Launches);
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
  return finish();
}
