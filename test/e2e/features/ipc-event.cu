// Processes share events: streams of a child wait for what the parent has
// recorded, and the host for what the child has. An event that is not made for
// that, and a handle of the process itself, are errors.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static constexpr int Count = 1 << 16, Rounds = 20;

/// Takes its time, so that nobody finds it done by chance.
__global__ void step(unsigned *Data, unsigned Turns) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Value = Data[I];
  for (unsigned T = 0; T < Turns; ++T)
    Value = Value * 1664525u + 1013904223u;
  Data[I] = Value;
}

static unsigned expected(unsigned Value, unsigned Turns) {
  for (unsigned T = 0; T < Turns; ++T)
    Value = Value * 1664525u + 1013904223u;
  return Value;
}

static constexpr unsigned Mine = 3000, Yours = 700;

struct Handles {
  cudaIpcMemHandle_t Memory;
  cudaIpcEventHandle_t Down, Up;
};

static int child(int From, int To) {
  Handles H;
  if (read(From, &H, sizeof(H)) != sizeof(H))
    return 1;
  unsigned *Data;
  CHECK(cudaIpcOpenMemHandle((void **)&Data, H.Memory,
                             cudaIpcMemLazyEnablePeerAccess));
  cudaEvent_t Down, Up;
  CHECK(cudaIpcOpenEventHandle(&Down, H.Down));
  CHECK(cudaIpcOpenEventHandle(&Up, H.Up));
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  for (int Round = 0; Round < Rounds; ++Round) {
    char Go;
    if (read(From, &Go, 1) != 1)
      return 2;
    CHECK(cudaStreamWaitEvent(Stream, Down, 0));
    step<<<Count / 256, 256, 0, Stream>>>(Data, Yours);
    CHECK(cudaEventRecord(Up, Stream));
    if (write(To, &Go, 1) != 1)
      return 3;
  }
  CHECK(cudaStreamSynchronize(Stream));
  CHECK(cudaEventDestroy(Up));
  CHECK(cudaEventDestroy(Down));
  CHECK(cudaIpcCloseMemHandle(Data));
  return Failures != 0;
}

int main() {
  int Down[2], Up[2];
  if (pipe(Down) || pipe(Up))
    return 1;
  const pid_t Child = fork();
  if (Child == 0)
    return child(Down[0], Up[1]);

  std::vector<unsigned> Host(Count);
  for (int I = 0; I < Count; ++I)
    Host[I] = I;
  unsigned *Data;
  CHECK(cudaMalloc(&Data, Count * sizeof(unsigned)));
  CHECK(cudaMemcpy(Data, Host.data(), Count * sizeof(unsigned),
                   cudaMemcpyHostToDevice));
  cudaEvent_t Ready, Back, Plain;
  const unsigned Shared = cudaEventInterprocess | cudaEventDisableTiming;
  CHECK(cudaEventCreateWithFlags(&Ready, Shared));
  CHECK(cudaEventCreateWithFlags(&Back, Shared));
  CHECK(cudaEventCreateWithFlags(&Plain, cudaEventDisableTiming));
  EXPECT(cudaEventQuery(Ready) == cudaSuccess); // nothing recorded
  Handles H;
  CHECK(cudaIpcGetMemHandle(&H.Memory, Data));
  CHECK(cudaIpcGetEventHandle(&H.Down, Ready));
  CHECK(cudaIpcGetEventHandle(&H.Up, Back));
  EXPECT(cudaIpcGetEventHandle(&H.Up, Plain) == cudaErrorInvalidResourceHandle);
  CHECK(cudaIpcGetEventHandle(&H.Up, Back));
  cudaEvent_t Own;
  EXPECT(cudaIpcOpenEventHandle(&Own, H.Up) == cudaErrorDeviceUninitialized);
  cudaIpcEventHandle_t None = {};
  EXPECT(cudaIpcOpenEventHandle(&Own, None) != cudaSuccess);
  float Ms;
  EXPECT(cudaEventElapsedTime(&Ms, Ready, Back) ==
         cudaErrorInvalidResourceHandle);
  cudaGetLastError();

  if (write(Down[1], &H, sizeof(H)) != sizeof(H))
    return 1;
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  for (int Round = 0; Round < Rounds; ++Round) {
    // Waits for nothing the first time.
    CHECK(cudaStreamWaitEvent(Stream, Back, 0));
    step<<<Count / 256, 256, 0, Stream>>>(Data, Mine);
    CHECK(cudaEventRecord(Ready, Stream));
    // Only that it has been recorded goes through the pipes.
    char Go = 1;
    if (write(Down[1], &Go, 1) != 1 || read(Up[0], &Go, 1) != 1)
      return 1;
  }
  CHECK(cudaEventSynchronize(Back));
  EXPECT(cudaEventQuery(Back) == cudaSuccess);
  CHECK(cudaMemcpy(Host.data(), Data, Count * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
  for (int I = 0; I < Count; I += 97)
    EXPECT(Host[I] == expected(I, Rounds * (Mine + Yours)));
  int Status = 1;
  waitpid(Child, &Status, 0);
  EXPECT(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
  CHECK(cudaEventDestroy(Ready));
  CHECK(cudaEventDestroy(Back));
  CHECK(cudaFree(Data));
  return finish();
}
