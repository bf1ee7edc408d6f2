//===- MachineModel.h - Numbers of a GPU for predictions --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data, one record for each architecture. Cycles are of the clock of the
// multiprocessors; bandwidths are what a kernel reaches, not what the data
// sheet says.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINEMODEL_H
#define GRIDSPAN_ANALYSIS_MACHINEMODEL_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace gridspan {

struct MachineModel {
  llvm::StringRef Arch; ///< "sm_90"
  llvm::StringRef Name; ///< the GPU that was measured

  unsigned Multiprocessors;
  double ClockGHz;

  // A multiprocessor.
  unsigned Schedulers; ///< warp instructions issued in a cycle
  unsigned MaxWarps, MaxBlocks;
  unsigned Registers;              ///< of 32 bits
  uint64_t SharedBytes;            ///< shared memory at most
  uint64_t L1Bytes;                ///< L1 cache and shared memory together
  double Fp32, Fp64, Int32, Sfu;   ///< thread operations in a cycle
  double L1RequestCycles;          ///< of a load request that hits, at least
  double L1LineCycles;             ///< more for each different line
  double SharedLatency, L1Latency; ///< cycles

  // Beyond it.
  uint64_t L2Bytes;
  double L2Latency, DramLatency; ///< cycles
  double L2GBs;                  ///< reads that hit
  double DramReadGBs;            ///< a stream that is only read
  double DramCopyGBs;            ///< reads and writes together
  double AtomicsPerCycle;    ///< of all different addresses, on the whole GPU
  double LaunchMicroseconds; ///< from launch to end of an empty kernel

  // The machine around it.
  unsigned HostCores;
  double HostCoreGBs, HostGBs; ///< read by one core, by all
  double HostCallMicroseconds; ///< work given to waiting threads and awaited
  double HostLinkGBs;          ///< pinned memory to the GPU
};

/// The record for an architecture ("sm_90"), or that of the nearest older one
/// that there is, else the oldest.
const MachineModel &machineModelFor(llvm::StringRef Arch);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINEMODEL_H
