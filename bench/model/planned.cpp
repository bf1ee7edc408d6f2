//===- planned.cpp - Launches as the planner sees them --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   advice-planned LIST [DEVICES]
//
// Prints each line of LIST (kernels.cu) with the microseconds that the
// runtime's planner predicts for it on one H200, its work in issue slots, its
// bytes, and on how many of DEVICES it would run. The kernels are those of
// kernels.cu, compiled with Gridspan and linked to this; nothing is launched.
// Modules register with __wrap___gridspan_register_module (-Wl,--wrap), so that
// their descriptors are at hand.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Planner.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace gridspan;

static std::vector<const GridspanModule *> &modules() {
  static std::vector<const GridspanModule *> Modules;
  return Modules;
}

extern "C" void __wrap___gridspan_register_module(const GridspanModule *M) {
  modules().push_back(M);
}
extern "C" void __wrap___gridspan_unregister_module(const GridspanModule *) {}

static const GridspanKernel *kernelOf(const char *Name) {
  for (const GridspanModule *M : modules())
    for (uint32_t I = 0; I < M->NumKernels; ++I)
      if (!std::strcmp(M->Kernels[I].Name, Name))
        return &M->Kernels[I];
  std::fprintf(stderr, "no kernel %s\n", Name);
  std::exit(2);
}

/// A system of H200s as measured (bench/results).
static SystemInfo machine(unsigned Devices) {
  SystemInfo S;
  for (unsigned I = 0; I < Devices; ++I) {
    DeviceInfo D;
    D.Name = "H200";
    D.MemoryBytes = 1ull << 37;
    D.MemoryBandwidth = 4.2e12;
    D.Multiprocessors = 132;
    D.InstructionRate = 132 * 128 * 1.98e9;
    D.HostToDevice = D.DeviceToHost = 5.5e10;
    D.BlockSeconds = 0.6e-9;
    S.Devices.push_back(D);
  }
  S.PeerBandwidth.assign(Devices, std::vector<double>(Devices, 3.7e11));
  S.FanOutSeconds.assign(Devices + 1, 0);
  for (unsigned I = 2; I <= Devices; ++I)
    S.FanOutSeconds[I] = 4e-6 * I;
  S.PageSize = 2 << 20;
  return S;
}

/// The parameter struct of structargs: float *A, float *B, int N, int M.
struct Struct {
  const char *A, *B;
  int N, M;
};

int main(int Argc, char **Argv) {
  std::FILE *List = Argc > 1 ? std::fopen(Argv[1], "r") : nullptr;
  if (!List) {
    std::fprintf(stderr, "usage: advice-planned LIST [DEVICES]\n");
    return 2;
  }
  const unsigned Devices = Argc > 2 ? std::atoi(Argv[2]) : 1;
  constexpr uint64_t Bytes = 1 << 30;
  char Name[64];
  unsigned G[3], T[3];
  int N, M;
  while (std::fscanf(List, "%63s %u %u %u %u %u %u %d %d", Name, &G[0], &G[1],
                     &G[2], &T[0], &T[1], &T[2], &N, &M) == 9) {
    const GridspanKernel *Kernel = kernelOf(Name);
    char *A = reinterpret_cast<char *>(1ull << 40), *B = A + Bytes;
    Struct Fields = {A, B, N, M};
    void *Plain[] = {&A, &B, &N, &M};
    void *OfStruct[] = {&Fields};
    PlanInput In;
    In.Kernel = Kernel;
    In.Box.Args = Kernel->NumParams == 1 ? OfStruct : Plain;
    for (unsigned I = 0; I < 3; ++I) {
      In.Box.GridDim[I] = In.Box.BlockCount[I] = G[I];
      In.Box.BlockDim[I] = T[I];
    }
    PageHomes Home(Bytes, 0);
    PlacedAllocation Placed;
    Placed.Bytes = Bytes;
    Placed.Homes = &Home;
    Placed.Movable = Placed.Tracked = true;
    In.Allocations.assign(2, Placed);
    for (uint32_t I = 0; I < Kernel->NumPointers; ++I) {
      const GridspanPointer &P = Kernel->Pointers[I];
      In.Pointers.push_back({int(P.Param + P.Offset / 8) % 2, 0});
    }
    Plan Unsplit = planLaunch(In, machine(1), Schedule::Single);
    // Where split launches want it.
    for (unsigned D = 1; D < Devices; ++D)
      Home.set(Bytes / Devices * D, Bytes / Devices * (D + 1), int(D));
    Plan Chosen = planLaunch(In, machine(Devices), Schedule::Auto);
    double Work = Kernel->Work ? Kernel->Work(&In.Box) : 0;
    std::printf("%s %u %u %u %u %u %u %d %d %.3f %.4g %.4g %zu\n", Name, G[0],
                G[1], G[2], T[0], T[1], T[2], N, M,
                1e6 * Unsplit.PredictedSeconds, Work,
                double(Unsplit.Tiles[0].LocalBytes), Chosen.Tiles.size());
  }
  std::fclose(List);
  return 0;
}
