// A child of fork() cannot use the devices of its parent: calls fail, as CUDA's
// do, and neither they nor exit() wait for threads that the child lacks. It may
// run another program.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_REPORT=%t.json timeout 60 %t \
// RUN:   | FileCheck %s
// RUN: FileCheck --check-prefix=REPORT --input-file=%t.json %s
// CHECK: PASS
// The parent's report, which no child has written over.
// REPORT: "launches": 101

#include "../Inputs/check.h"
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *Out) { atomicAdd(Out, 1); }

static int statusOf(pid_t Child) {
  int Status = 0;
  EXPECT(waitpid(Child, &Status, 0) == Child);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
}

/// Returns what is not as it should be in a child.
static int useDevicesInChild(int *Out) {
  int Host = 0, *Other = nullptr;
  if (cudaMemcpy(&Host, Out, 4, cudaMemcpyDeviceToHost) !=
      cudaErrorInitializationError)
    return 1;
  if (cudaMalloc(&Other, 4) != cudaErrorInitializationError)
    return 2;
  cudaGetLastError();
  add<<<1, 1>>>(Out);
  if (cudaGetLastError() != cudaErrorInitializationError)
    return 3;
  if (cudaDeviceSynchronize() != cudaErrorInitializationError)
    return 4;
  if (strcmp(cudaGetErrorName(cudaErrorInitializationError),
             "cudaErrorInitializationError"))
    return 5;
  return 0;
}

int main(int Argc, char **Argv) {
  if (Argc > 1) { // the program that a child runs
    int *Out, Got = 0;
    CHECK(cudaMalloc(&Out, sizeof(int)));
    CHECK(cudaMemset(Out, 0, sizeof(int)));
    add<<<1, 5>>>(Out);
    CHECK(cudaMemcpy(&Got, Out, sizeof(int), cudaMemcpyDeviceToHost));
    return Got;
  }
  int *Out;
  CHECK(cudaMalloc(&Out, sizeof(int)));
  CHECK(cudaMemset(Out, 0, sizeof(int)));
  for (int I = 0; I < 100; ++I)
    add<<<1, 1>>>(Out);
  fflush(stdout);
  // While work is under way.
  pid_t Child = fork();
  if (Child == 0)
    exit(useDevicesInChild(Out));
  EXPECT(statusOf(Child) == 0);
  Child = fork();
  if (Child == 0) {
    unsetenv("GRIDSPAN_REPORT");
    execl("/proc/self/exe", Argv[0], "again", nullptr);
    _exit(99);
  }
  EXPECT(statusOf(Child) == 5);
  // The parent goes on.
  add<<<1, 1>>>(Out);
  int Got = 0;
  CHECK(cudaMemcpy(&Got, Out, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(Got == 101);
  CHECK(cudaFree(Out));
  return finish();
}
