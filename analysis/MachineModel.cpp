//===- MachineModel.cpp - Numbers of a GPU for predictions ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of a multiprocessor: CUDA C++ Programming Guide, "Compute
// Capabilities"; operations in a cycle: the same, "Arithmetic Instructions".
// Latencies of sm_90: Luo et al., "Benchmarking and Dissecting the Nvidia
// Hopper GPU Architecture via Microbenchmarking" (2024), and our measurements
// on an H200; cost of requests that hit L1, bandwidths: our measurements. What
// atomics and the host do are estimates.
// sm_80: Jia et al., "Dissecting the Ampere GPU Architecture" (GTC 2021), and
// NVIDIA's A100 white paper.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/MachineModel.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;

namespace gridspan {

static constexpr MachineModel Machines[] = {
    {.Arch = "sm_80",
     .Name = "NVIDIA A100 80GB",
     .Multiprocessors = 108,
     .ClockGHz = 1.41,
     .Schedulers = 4,
     .MaxWarps = 64,
     .MaxBlocks = 32,
     .Registers = 65536,
     .SharedBytes = 164 << 10,
     .L1Bytes = 192 << 10,
     .Fp32 = 64,
     .Fp64 = 32,
     .Int32 = 64,
     .Sfu = 16,
     .L1RequestCycles = 0.65,
     .L1LineCycles = 0.242,
     .SharedLatency = 29,
     .L1Latency = 38,
     .L2Bytes = 40 << 20,
     .L2Latency = 261,
     .DramLatency = 571,
     .L2GBs = 4000,
     .DramReadGBs = 1750,
     .DramCopyGBs = 1650,
     .AtomicsPerCycle = 1300,
     .LaunchMicroseconds = 2.5,
     .HostCores = 16,
     .HostCoreGBs = 12,
     .HostGBs = 100,
     .HostCallMicroseconds = 2,
     .HostLinkGBs = 25},
    {.Arch = "sm_90",
     .Name = "NVIDIA H200",
     .Multiprocessors = 132,
     .ClockGHz = 1.98,
     .Schedulers = 4,
     .MaxWarps = 64,
     .MaxBlocks = 32,
     .Registers = 65536,
     .SharedBytes = 228 << 10,
     .L1Bytes = 256 << 10,
     .Fp32 = 128,
     .Fp64 = 64,
     .Int32 = 64,
     .Sfu = 16,
     .L1RequestCycles = 0.65,
     .L1LineCycles = 0.242,
     .SharedLatency = 29,
     .L1Latency = 38,
     .L2Bytes = 50 << 20,
     .L2Latency = 265,
     .DramLatency = 650,
     .L2GBs = 5600,
     .DramReadGBs = 4200,
     .DramCopyGBs = 3500,
     .AtomicsPerCycle = 1500,
     .LaunchMicroseconds = 2.5,
     .HostCores = 16,
     .HostCoreGBs = 12,
     .HostGBs = 150,
     .HostCallMicroseconds = 2,
     .HostLinkGBs = 55},
};

const MachineModel &machineModelFor(StringRef Arch) {
  auto numberOf = [](StringRef Name) {
    unsigned Number = 0;
    Name.consume_front("sm_");
    // Letters after it: a variant of the architecture ("sm_90a").
    Name.consumeInteger(10, Number);
    return Number;
  };
  const MachineModel *Best = &Machines[0];
  for (const MachineModel &M : ArrayRef<MachineModel>(Machines))
    if (numberOf(M.Arch) <= numberOf(Arch))
      Best = &M;
  return *Best;
}

} // namespace gridspan
