//===- managed_memory.cu - Costs of the driver's managed memory -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Costs that decide if managed memory that devices have room for is left to the
// driver, which moves pages when somebody touches them:
//
//   first, again   a launch on pages that the host filled, by faults and after
//                  a prefetch; the same launch once more
//   prefetch       of pages that are there already
//   host           the host reads one element, or all
//   halves         two GPUs, each the preferred location of one half;
//                  one GPU on both halves, again and again
//
// Plain CUDA. Usage: managed_memory [MiB]
//
//===----------------------------------------------------------------------===//

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static void check(cudaError_t Error, int Line) {
  if (Error == cudaSuccess)
    return;
  std::fprintf(stderr, "line %d: %s\n", Line, cudaGetErrorString(Error));
  std::exit(1);
}
#define CHECK(Call) check((Call), __LINE__)

__global__ void scale(double *X, size_t N) {
  const size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    X[I] = 1.5 * X[I] + 1;
}

template <typename Fn> static double microseconds(Fn Run) {
  const auto Start = std::chrono::steady_clock::now();
  Run();
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - Start)
      .count();
}

static void show(const char *Name, double Us, double Bytes) {
  std::printf("%-34s %12.1f us %9.2f GB/s\n", Name, Us, Bytes / Us / 1e3);
}

static cudaMemLocation placeOf(int Device) {
  cudaMemLocation Out = {};
  Out.type = Device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  Out.id = Device < 0 ? 0 : Device;
  return Out;
}

static void run(double *X, size_t N, int Device) {
  CHECK(cudaSetDevice(Device));
  scale<<<static_cast<unsigned>((N + 255) / 256), 256>>>(X, N);
  CHECK(cudaGetLastError());
}

static void synchronize(int Devices) {
  for (int D = 0; D < Devices; ++D) {
    CHECK(cudaSetDevice(D));
    CHECK(cudaDeviceSynchronize());
  }
}

int main(int Argc, char **Argv) {
  const size_t Bytes = (Argc > 1 ? std::atol(Argv[1]) : 1024) * size_t(1 << 20);
  const size_t N = Bytes / sizeof(double);
  int Devices = 0;
  CHECK(cudaGetDeviceCount(&Devices));
  for (int D = 0; D < Devices; ++D) {
    CHECK(cudaSetDevice(D));
    CHECK(cudaFree(nullptr));
    for (int O = 0; O < Devices; ++O)
      if (O != D)
        CHECK(cudaDeviceEnablePeerAccess(O, 0));
  }
  CHECK(cudaSetDevice(0));
  int Concurrent = 0;
  CHECK(cudaDeviceGetAttribute(&Concurrent, cudaDevAttrConcurrentManagedAccess,
                               0));
  std::printf("concurrent access %d, %zu MiB, %d devices\n", Concurrent,
              Bytes >> 20, Devices);
  double *X = nullptr;
  show("allocate", microseconds([&] { CHECK(cudaMallocManaged(&X, Bytes)); }),
       Bytes);
  auto FillAll = [&] {
    for (size_t I = 0; I < N; ++I)
      X[I] = 1;
  };
  auto Launch = [&] {
    run(X, N, 0);
    synchronize(1);
  };
  auto Prefetch = [&](size_t From, size_t Count, int To) {
    CHECK(cudaSetDevice(To < 0 ? 0 : To));
    CHECK(cudaMemPrefetchAsync(X + From, Count * sizeof(double), placeOf(To), 0,
                               nullptr));
  };
  show("host fills", microseconds(FillAll), Bytes);
  show("launch by faults", microseconds(Launch), 2. * Bytes);
  show("launch again", microseconds(Launch), 2. * Bytes);
  show("prefetch what is there", microseconds([&] {
         Prefetch(0, N, 0);
         synchronize(1);
       }),
       Bytes);
  show("  call alone", microseconds([&] { Prefetch(0, N, 0); }), Bytes);
  synchronize(1);
  show("prefetch 2 MiB that are there", microseconds([&] {
         Prefetch(0, 262144, 0);
         synchronize(1);
       }),
       2 << 20);
  show("host reads one", microseconds([&] { (void)*(volatile double *)X; }), 8);
  show("launch after that", microseconds(Launch), 2. * Bytes);
  show("host reads one", microseconds([&] { (void)*(volatile double *)X; }), 8);
  show("prefetch after that", microseconds([&] {
         Prefetch(0, N, 0);
         synchronize(1);
       }),
       Bytes);
  double Sum = 0;
  show("host reads all", microseconds([&] {
         for (size_t I = 0; I < N; ++I)
           Sum += X[I];
       }),
       Bytes);
  show("host fills", microseconds(FillAll), Bytes);
  show("prefetch", microseconds([&] {
         Prefetch(0, N, 0);
         synchronize(1);
       }),
       Bytes);
  show("launch after prefetch", microseconds(Launch), 2. * Bytes);
  show("prefetch to host", microseconds([&] {
         Prefetch(0, N, -1);
         synchronize(1);
       }),
       Bytes);
  std::printf("sum %g\n", Sum);
  if (Devices < 2)
    return 0;

  const size_t Half = N / 2;
  FillAll();
  for (int D = 0; D < 2; ++D)
    show("advise half", microseconds([&] {
           CHECK(cudaMemAdvise(X + D * Half, Half * sizeof(double),
                               cudaMemAdviseSetPreferredLocation, placeOf(D)));
         }),
         Bytes / 2.);
  auto Both = [&] {
    run(X, Half, 0);
    run(X + Half, N - Half, 1);
    synchronize(2);
  };
  show("halves by faults", microseconds(Both), 2. * Bytes);
  for (int I = 0; I < 3; ++I)
    show("halves again", microseconds(Both), 2. * Bytes);
  show("prefetch halves, there", microseconds([&] {
         Prefetch(0, Half, 0);
         Prefetch(Half, N - Half, 1);
         synchronize(2);
       }),
       Bytes);
  for (int I = 0; I < 4; ++I)
    show("one GPU on both", microseconds(Launch), 2. * Bytes);
  show("halves again", microseconds(Both), 2. * Bytes);
  FillAll();
  show("prefetch halves", microseconds([&] {
         Prefetch(0, Half, 0);
         Prefetch(Half, N - Half, 1);
         synchronize(2);
       }),
       Bytes);
  for (int I = 0; I < 2; ++I)
    show("halves after prefetch", microseconds(Both), 2. * Bytes);
  // The elements that a neighbour reads of the other half.
  for (int I = 0; I < 3; ++I)
    show("GPU 1 on 2 MiB of GPU 0", microseconds([&] {
           run(X, 262144, 1);
           synchronize(2);
         }),
         4 << 20);
  show("halves again", microseconds(Both), 2. * Bytes);
  for (int D = 0; D < 2; ++D)
    CHECK(cudaMemAdvise(X + D * Half, Half * sizeof(double),
                        cudaMemAdviseSetPreferredLocation, placeOf(1 - D)));
  show("prefetch halves crosswise", microseconds([&] {
         Prefetch(0, Half, 1);
         Prefetch(Half, N - Half, 0);
         synchronize(2);
       }),
       Bytes);
  show("free", microseconds([&] { CHECK(cudaFree(X)); }), Bytes);
  return 0;
}
