//===- Config.h - The variables of the environment --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variables of the user guide, parsed into plain data. A value that means
// nothing is an error with a message, never a guess.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_CONFIG_H
#define GRIDSPAN_RUNTIME_CONFIG_H

#include "gridspan/CpuCodes.h"
#include "runtime/plan/PlanInput.h"
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridspan {

enum class DeviceKind {
  Default, ///< GPUs where there are some, else one CPU device
  Gpu,
  Cpu,
};

struct Config {
  DeviceKind Kind = DeviceKind::Default;
  std::vector<int> Gpus; ///< ordinals, one a device; empty: all
  unsigned NumCpuDevices = 1;
  uint64_t DeviceMemory = 0; ///< cap per device; 0: none
  Schedule Sched = Schedule::Auto;
  double StaticShare = DefaultStaticShare; ///< of Schedule::Hybrid
  /// True if launches are timed, and decisions follow their times.
  bool Learns = true;
  /// True if launches larger than memory may run as one with later ones.
  bool Chains = true;
  /// True if calls of CUB and Thrust on large data become primitives.
  bool TakesCalls = true;
  /// LaunchSettings::ChainIdle.
  std::chrono::milliseconds ChainIdle{10};
  /// True if the times are kept for later processes; nothing: those of GPUs.
  std::optional<bool> KeepsTimes;
  /// True if freed memory stays mapped for later allocations; nothing: where no
  /// use of freed memory is found by that.
  std::optional<bool> KeepsFreed;
  std::vector<double> CpuSpeeds; ///< CpuBackendOptions::Speeds
  unsigned CpuThreads = 0;       ///< CpuBackendOptions::ThreadsPerDevice
  VectorLevel CpuVectors = VectorLevel::Avx512; ///< CpuBackendOptions::Vectors
  bool Peer = true;
  /// True if launches may keep arrays of records in other forms.
  bool Forms = true;
  PrivateCopyUse Privates = PrivateCopyUse::Auto;
  /// True if launches may get pointers to frames and copies of their data.
  bool MovesPointers = true;
  /// True if launches may read replicas of memory that they reach.
  bool Replicas = true;
  bool ReportTable = false;     ///< on stderr
  std::string ReportFile;       ///< JSON; empty: none
  std::optional<bool> Progress; ///< nothing: on a terminal
  std::string TraceFile;        ///< of the timeline; empty: none
  std::string ProfileFile;      ///< for gridspan-advice; empty: none
  std::string TraceAccessFile;  ///< empty: none
  bool Check = false;           ///< check every access, on the CPU device
  bool CheckContents = false; ///< and that shared memory is not read unwritten
  /// The threads of one copy of pageable memory; 0: the driver does it.
  /// Nothing: as many as the machine has a use for.
  std::optional<unsigned> CopyThreads;
  /// The pinned memory that a thread fills or empties at a time; 0: what is
  /// best. Not a variable: for tests.
  size_t CopyBufferBytes = 0;
  /// The time that a stream is given to end what it holds, where the host has
  /// to wait for it in a call that CUDA lets return at once. A program whose
  /// streams wait for what it does next would wait forever. Not a variable: for
  /// tests.
  std::chrono::milliseconds Patience{30000};
};

/// The lookup of a variable; returns null if it is not set.
using Environment = std::function<const char *(const char *)>;

/// Reads the variables. Returns nothing when a value is bad, with the Message
/// that the user is to see.
std::optional<Config> parseConfig(const Environment &Env, std::string &Message);

/// Parses "64MiB", "4GiB", "512KiB" or "1000B" into bytes, above 0. Returns
/// nothing for other texts.
std::optional<uint64_t> parseBytes(std::string_view Text);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_CONFIG_H
