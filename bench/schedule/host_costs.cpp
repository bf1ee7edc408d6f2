//===- host_costs.cpp - Costs of a launch on the host ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the nanoseconds of the runtime for a launch, and for an allocation, on
// devices that do nothing. No GPU is needed, and a profiler shows Gridspan's
// functions alone.
//
// Usage: gridspan-host-costs [launches]
//
//===----------------------------------------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/api/EntryPoints.h"
#include "runtime/backend/Registry.h"
#include "test/unit/runtime/FakeKernels.h"
#include "test/unit/runtime/backend/RecordingBackend.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

using namespace gridspan;

static int Launches = 1000000;

template <typename Function>
static void time(unsigned Devices, const char *What, Function Do) {
  using namespace std::chrono;
  double Best = 1e30;
  for (int R = 0; R < 5; ++R) {
    auto Begin = steady_clock::now();
    for (int I = 0; I < Launches; ++I)
      Do();
    Best = std::min(
        Best, duration<double, std::nano>(steady_clock::now() - Begin).count() /
                  Launches);
  }
  std::printf("%u devices  %-40s %8.1f ns\n", Devices, What, Best);
}

template <typename... T>
static void launch(const GridspanKernel &Kernel, dim3 Grid, dim3 Block,
                   cudaStream_t S, T... Args) {
  void *Pointers[] = {&Args...};
  dim3 G, B;
  size_t Shared;
  cudaStream_t Popped;
  __gridspan___cudaPushCallConfiguration(Grid, Block, 0, S);
  __gridspan___cudaPopCallConfiguration(&G, &B, &Shared, &Popped);
  if (__gridspan_cudaLaunchKernel(Kernel.HostStub, G, B, Pointers, Shared,
                                  Popped))
    std::abort();
}

template <typename T> static T *allocate(size_t Bytes) {
  void *Out = nullptr;
  if (__gridspan_cudaMalloc(&Out, Bytes))
    std::abort();
  return static_cast<T *>(Out);
}

static void measure(unsigned Devices) {
  Runtime::replace(std::make_unique<Runtime>(
      Config(), std::make_unique<RecordingBackend>(Devices)));
  const GridspanKernel Saxpy = fake::saxpy(), Stencil = fake::stencil();
  const GridspanKernel Distinct = fake::distinctSaxpy();
  cudaStream_t S = nullptr;
  (void)__gridspan_cudaStreamCreate(&S);
  auto *X = allocate<const float>(4 << 20);
  auto *Y = allocate<float>(4 << 20);
  float A = 0;
  int N = 0;
  time(Devices, "small, same arguments",
       [&] { launch(Saxpy, 16, 256, nullptr, 2.0f, X, Y, 4096); });
  time(Devices, "small, same arguments, a stream",
       [&] { launch(Saxpy, 16, 256, S, 2.0f, X, Y, 4096); });
  time(Devices, "small, another number each time",
       [&] { launch(Saxpy, 16, 256, nullptr, A += 1, X, Y, 4096); });
  time(Devices, "small, another size each time", [&] {
    N = (N + 1) % 4096;
    launch(Saxpy, 16, 256, nullptr, 2.0f, X, Y, N);
  });
  time(Devices, "small, another address each time", [&] {
    N = (N + 1) % (1 << 18);
    launch(Saxpy, 16, 256, nullptr, 2.0f, X + N, Y + N, 4096);
  });
  time(Devices, "with a clone, same arguments",
       [&] { launch(Distinct, 16, 256, nullptr, 2.0f, X, Y, 4096); });
  time(Devices, "with a clone, another address each time", [&] {
    N = (N + 1) % (1 << 18);
    launch(Distinct, 16, 256, nullptr, 2.0f, X + N, Y + N, 4096);
  });
  auto *Far = allocate<float>(size_t(1) << 32);
  time(Devices, "small part of a large buffer, moving", [&] {
    N = (N + 1) % (1 << 18);
    launch(Saxpy, 16, 256, nullptr, 2.0f, X, Far + N, 4096);
  });
  time(Devices, "synchronize",
       [&] { (void)__gridspan_cudaDeviceSynchronize(); });
  auto *P = allocate<float>(size_t(1) << 30);
  auto *Q = allocate<float>(size_t(1) << 30);
  time(Devices, "stencil 16384, swapped", [&] {
    launch(Stencil, {256, 4096, 1}, {64, 4, 1}, nullptr, P, Q, 16384, 16384);
    std::swap(P, Q);
  });
}

/// Returns the kernel as one whose work and memory are not known.
static GridspanKernel unknown(GridspanKernel K) {
  K.Flags |= GridspanUnknownRead | GridspanUnknownWrite | GridspanWorkIsGuess;
  return K;
}

/// Launches that take a while on one device, and gain nothing by others.
static void measureNewArguments(unsigned Devices) {
  auto B = std::make_unique<RecordingBackend>(Devices);
  B->ElapsedMs = 0.05F;
  B->Info.TimesTell = true;
  for (unsigned I = 2; I <= Devices; ++I)
    B->Info.FanOutSeconds[I] = 1e-4;
  Runtime::replace(std::make_unique<Runtime>(Config(), std::move(B)));
  const fake::OwnKernel Unknown(unknown(fake::saxpy()));
  const fake::OwnKernel Distinct(unknown(fake::distinctSaxpy()));
  auto *X = allocate<const float>(1 << 30);
  auto *Y = allocate<float>(1 << 30);
  float A = 0;
  time(Devices, "not known, same arguments", [&] {
    launch(Unknown.get(), 65536, 256, nullptr, 2.0F, X, Y, 12 << 20);
  });
  time(Devices, "not known, another number each time", [&] {
    launch(Unknown.get(), 65536, 256, nullptr, A += 1, X, Y, 12 << 20);
  });
  time(Devices, "not known, with a clone, another number", [&] {
    launch(Distinct.get(), 65536, 256, nullptr, A += 1, X, Y, 12 << 20);
  });
}

static void measureAllocations(unsigned Devices) {
  auto B = std::make_unique<RecordingBackend>(Devices);
  for (DeviceInfo &D : B->Info.Devices)
    D.MemoryBytes = uint64_t(1) << 37;
  Runtime::replace(std::make_unique<Runtime>(Config(), std::move(B)));
  const GridspanKernel Saxpy = fake::saxpy();
  auto *X = allocate<const float>(4 << 20);
  cudaStream_t S = nullptr;
  (void)__gridspan_cudaStreamCreate(&S);
  for (auto [Name, Bytes] : {std::pair("256 bytes", size_t(256)),
                             std::pair("1 MiB", size_t(1) << 20),
                             std::pair("64 MiB", size_t(64) << 20)}) {
    time(Devices, fmt::format("malloc, free, {}", Name).c_str(),
         [&] { (void)__gridspan_cudaFree(allocate<float>(Bytes)); });
    time(Devices, fmt::format("malloc, launch, free, {}", Name).c_str(), [&] {
      auto *Y = allocate<float>(Bytes);
      launch(Saxpy, 16, 256, nullptr, 2.0f, X, Y, 4096);
      (void)__gridspan_cudaFree(Y);
    });
    time(Devices,
         fmt::format("malloc, launch, free in order, {}", Name).c_str(), [&] {
           void *Y = nullptr;
           (void)__gridspan_cudaMallocAsync(&Y, Bytes, S);
           launch(Saxpy, 16, 256, S, 2.0f, X, static_cast<float *>(Y), 4096);
           (void)__gridspan_cudaFreeAsync(Y, S);
         });
  }
  std::vector<void *> All(10000);
  time(Devices, "10000 of 1 to 6 MiB, 20000 calls",
       [&, I = size_t(0)]() mutable {
         // One call of 10000 mallocs, then of as many frees in another order.
         const size_t At = I % All.size();
         if (I++ / All.size() % 2 == 0)
           All[At] = allocate<float>((size_t(1) << 20) + At * 7919 % (5 << 20));
         else
           (void)__gridspan_cudaFree(All[At * 6173 % All.size()]);
       });
}

int main(int Argc, char **Argv) {
  if (Argc > 1)
    Launches = std::atoi(Argv[1]);
  fake::module();
  for (unsigned Devices : {1u, 2u, 4u})
    measure(Devices);
  Launches /= 10;
  for (unsigned Devices : {1u, 2u, 4u})
    measureNewArguments(Devices);
  for (unsigned Devices : {1u, 2u, 4u})
    measureAllocations(Devices);
}
