// Processes share memory of cudaMalloc, large and small: a child reads what the
// parent has written, and the parent what kernels of the child have, split or
// not. The memory keeps its address and contents in the parent. What cannot be
// shared is refused by name.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t 2>&1 | \
// RUN:   FileCheck --check-prefixes=CHECK,WHY %s
// WHY: gridspan: processes cannot share the memory: it is managed memory
// CHECK: PASS

#include "../Inputs/check.h"
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

__global__ void add(int *Data, int Count, int Value) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Data[I] += Value;
}

static constexpr int Many = 3 << 20, Few = 1000;

struct Handles {
  cudaIpcMemHandle_t Large, Small;
};

/// What the child process does. Returns its exit status.
static int child(int From, int To) {
  Handles H;
  if (read(From, &H, sizeof(H)) != sizeof(H))
    return 1;
  int *Large, *Again, *Small;
  CHECK(cudaIpcOpenMemHandle((void **)&Large, H.Large,
                             cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenMemHandle((void **)&Again, H.Large,
                             cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenMemHandle((void **)&Small, H.Small,
                             cudaIpcMemLazyEnablePeerAccess));
  EXPECT(Large == Again);
  // It is the other process's to share.
  cudaIpcMemHandle_t Handle;
  EXPECT(cudaIpcGetMemHandle(&Handle, Large) == cudaErrorInvalidValue);
  cudaGetLastError();
  std::vector<int> Got(Many);
  for (int Round = 0; Round < 3; ++Round) {
    char Go;
    if (read(From, &Go, 1) != 1)
      return 2;
    CHECK(cudaMemcpy(Got.data(), Large, Many * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int I = 0; I < Many; ++I)
      EXPECT(Got[I] == I + 11 * Round + 1);
    add<<<(Many + 255) / 256, 256>>>(Large, Many, 10);
    add<<<(Few + 255) / 256, 256>>>(Small, Few, 5);
    CHECK(cudaDeviceSynchronize());
    if (write(To, &Go, 1) != 1)
      return 3;
  }
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaIpcCloseMemHandle(Large));
  CHECK(cudaIpcCloseMemHandle(Large));
  EXPECT(cudaIpcCloseMemHandle(Large) == cudaErrorInvalidValue);
  CHECK(cudaIpcCloseMemHandle(Small));
  // What a reset has freed can be opened again.
  CHECK(cudaIpcOpenMemHandle((void **)&Small, H.Small,
                             cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaDeviceReset());
  CHECK(cudaIpcOpenMemHandle((void **)&Small, H.Small,
                             cudaIpcMemLazyEnablePeerAccess));
  toHost(Got.data(), Small, Few);
  for (int I = 0; I < Few; ++I)
    EXPECT(Got[I] == I + 15);
  return Failures != 0;
}

int main() {
  int Down[2], Up[2];
  if (pipe(Down) || pipe(Up))
    return 1;
  // Before CUDA is used, as it must be.
  const pid_t Child = fork();
  if (Child == 0)
    return child(Down[0], Up[1]);

  int *Large, *Small, *Other, *Managed;
  CHECK(cudaMalloc(&Large, Many * sizeof(int)));
  CHECK(cudaMalloc(&Other, Few * sizeof(int)));
  CHECK(cudaMalloc(&Small, Few * sizeof(int)));
  CHECK(cudaMallocManaged(&Managed, Many * sizeof(int)));
  std::vector<int> Host(Many);
  for (int I = 0; I < Many; ++I)
    Host[I] = I;
  CHECK(cudaMemcpy(Large, Host.data(), Many * sizeof(int),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(Small, Host.data(), Few * sizeof(int),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(Other, Host.data(), Few * sizeof(int),
                   cudaMemcpyHostToDevice));
  add<<<(Many + 255) / 256, 256>>>(Large, Many, 0);
  Handles H;
  CHECK(cudaIpcGetMemHandle(&H.Large, Large));
  CHECK(cudaIpcGetMemHandle(&H.Small, Small));
  Handles Same;
  CHECK(cudaIpcGetMemHandle(&Same.Large, Large));
  EXPECT(std::memcmp(&Same.Large, &H.Large, sizeof(H.Large)) == 0);
  EXPECT(cudaIpcGetMemHandle(&Same.Large, Managed) != cudaSuccess);
  EXPECT(cudaIpcGetMemHandle(&Same.Large, Host.data()) != cudaSuccess);
  void *Own;
  EXPECT(cudaIpcOpenMemHandle(&Own, H.Large, cudaIpcMemLazyEnablePeerAccess) !=
         cudaSuccess);
  cudaGetLastError();

  if (write(Down[1], &H, sizeof(H)) != sizeof(H))
    return 1;
  for (int Round = 0; Round < 3; ++Round) {
    add<<<(Many + 255) / 256, 256>>>(Large, Many, 1);
    CHECK(cudaDeviceSynchronize());
    char Go = 1;
    if (write(Down[1], &Go, 1) != 1 || read(Up[0], &Go, 1) != 1)
      return 1;
    CHECK(cudaMemcpy(Host.data(), Large, Many * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int I = 0; I < Many; ++I)
      EXPECT(Host[I] == I + 11 * (Round + 1));
    CHECK(cudaMemcpy(Host.data(), Small, Few * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int I = 0; I < Few; ++I)
      EXPECT(Host[I] == I + 5 * (Round + 1));
  }
  CHECK(cudaMemcpy(Host.data(), Other, Few * sizeof(int),
                   cudaMemcpyDeviceToHost));
  for (int I = 0; I < Few; ++I)
    EXPECT(Host[I] == I);
  int Status = 1;
  waitpid(Child, &Status, 0);
  EXPECT(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
  CHECK(cudaFree(Large));
  CHECK(cudaFree(Small));
  CHECK(cudaFree(Other));
  CHECK(cudaFree(Managed));
  return finish();
}
