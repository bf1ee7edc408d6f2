//===- SystemInfo.h - Devices and links as plain data -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner's knowledge of the machine. A backend asks the driver or
// measures, a test writes it down. It holds no handles, so that planning needs
// no GPU.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_SYSTEMINFO_H
#define GRIDSPAN_RUNTIME_BACKEND_SYSTEMINFO_H

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

namespace gridspan {

struct DeviceInfo {
  std::string Name;
  uint64_t MemoryBytes = 0;   ///< that Gridspan may use
  double MemoryBandwidth = 0; ///< bytes per second, own memory
  double InstructionRate = 0; ///< issue slots of threads per second
  double HostToDevice = 0;    ///< bytes per second, pinned
  double DeviceToHost = 0;
  unsigned Multiprocessors = 1;
  /// The most threads and blocks that a multiprocessor holds at one time. The
  /// defaults are those of compute capability 8.0 and 9.0.
  unsigned ThreadsPerMultiprocessor = 2048;
  unsigned BlocksPerMultiprocessor = 32;
  double BlockSeconds = 0; ///< for each block that starts

  /// Returns the number of threads that the device holds at one time.
  uint64_t residentThreads() const {
    return uint64_t(ThreadsPerMultiprocessor) * Multiprocessors;
  }
  /// Returns the number of blocks of BlockThreads threads that the device holds
  /// at one time, as far as threads and blocks bound it.
  uint64_t residentBlocks(uint64_t BlockThreads) const {
    assert(BlockThreads > 0);
    const uint64_t ByThreads = ThreadsPerMultiprocessor / BlockThreads;
    return Multiprocessors *
           std::clamp<uint64_t>(ByThreads, 1, BlocksPerMultiprocessor);
  }
};

struct SystemInfo {
  std::vector<DeviceInfo> Devices;
  /// PeerBandwidth[I][J]: bytes per second when I reads J's memory; 0: cannot.
  std::vector<std::vector<double>> PeerBandwidth;
  /// FanOutSeconds[N]: what splitting a launch over N devices adds to it.
  std::vector<double> FanOutSeconds;
  /// What the first launch that a kernel runs on several devices takes besides:
  /// code is loaded there, and memory mapped.
  double FirstSplitSeconds = 0;
  /// What stopping all devices to remap pages takes.
  double StopSeconds = 2e-4;
  /// What another home for a page takes besides the copy of its bytes.
  double PageMoveSeconds = 0;
  /// What it takes to inspect an array of indices: memory for the result, and
  /// the host's work on it.
  double InspectSeconds = 0;
  /// Atomics of one device on pages of another are atomic.
  bool PeerAtomics = true;
  /// Every device reaches the host's memory that devices know.
  bool AllReachHost = true;
  /// Host functions of all streams run on one thread, but streams may wait for
  /// words of memory.
  bool StreamsWaitForWords = false;
  /// Copies from and to pageable memory go through one thread of the driver, so
  /// that several threads do them faster.
  bool SlowPageableCopies = false;
  /// True if the times of launches say what the next ones will take; false
  /// where devices share processors.
  bool TimesTell = false;
  /// Names the devices and all that times of launches depend on, for whom keeps
  /// them for other processes.
  std::string TimesKey;
  /// True if an access of memory that was freed is an error that says so, for
  /// which it must not stay mapped.
  bool FindsFreed = false;
  /// A page of the address space; power of two.
  uint64_t PageSize = 0;

  unsigned numDevices() const { return Devices.size(); }

  /// Returns true if pages may live on Device: unsplit launches, and those of
  /// functions without descriptor, run on device 0.
  bool mayHoldPages(unsigned Device) const {
    return Device == 0 || PeerBandwidth[0][Device] > 0;
  }

  /// Returns true if every device reaches the memory of every other.
  bool allReachAll() const {
    for (unsigned I = 0; I < numDevices(); ++I)
      for (unsigned J = 0; J < numDevices(); ++J)
        if (I != J && !(PeerBandwidth[I][J] > 0))
          return false;
    return true;
  }
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_SYSTEMINFO_H
