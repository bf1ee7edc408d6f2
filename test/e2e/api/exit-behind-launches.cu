// A program that ends behind launches larger than memory, which wait or run at
// that time: by returning, by exit(), in a child of fork(). Nothing hangs.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t return
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t exit
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t idle
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB %t fork | FileCheck %s
//
// CHECK: child: 0
// CHECK: PASS

#include "../Inputs/check.h"
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

constexpr int N = 1 << 19;

__global__ void add(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += 1;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "return";
  alarm(120); // rather than hang
  float *p = nullptr;
  CHECK(cudaMalloc(&p, N * sizeof(float)));
  CHECK(cudaMemset(p, 0, N * sizeof(float)));
  for (int k = 0; k < 8; ++k)
    add<<<N / 256, 256>>>(p, N);
  CHECK(cudaGetLastError());
  if (!strcmp(way, "idle"))
    usleep(10000 + 1000);
  if (!strcmp(way, "exit"))
    exit(0);
  if (!strcmp(way, "fork")) {
    usleep(10000);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
      exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    float last = 0;
    CHECK(cudaMemcpy(&last, p + N - 1, sizeof last, cudaMemcpyDeviceToHost));
    EXPECT(last == 8);
    return finish();
  }
  return 0;
}
