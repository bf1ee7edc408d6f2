//===- Report.h - What happened, as data ------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what launches and copies did while the program runs. Printing is
// ReportPrinter's.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_REPORT_H
#define GRIDSPAN_RUNTIME_REPORT_REPORT_H

#include "gridspan/ABI.h"
#include "runtime/report/LaunchHistogram.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gridspan {

/// A parameter whose memory stayed on the host for a launch, and why: constant
/// text.
struct InPlaceParam {
  int Param; ///< from 0; -1: whatever the kernel reaches
  const char *Why;
};

/// Counters of one kernel; updated without a lock, but for Shapes and
/// the lists.
struct KernelCounters {
  LaunchCounts Shapes; ///< only if a report is asked for
  std::atomic<uint64_t> Launches{0};
  std::atomic<uint64_t> SplitLaunches{0};
  std::atomic<unsigned> DevicesMax{0};
  std::atomic<uint64_t> LocalBytes{0};
  std::atomic<uint64_t> RemoteBytes{0};
  /// Some range was unknown and was counted as its whole allocation.
  std::atomic<bool> UnknownRanges{false};
  /// Why the last launch that ran whole did; points to constant text.
  std::atomic<const char *> WhyWhole{nullptr};
  /// Launches of the clone for distinct arguments, and why the last launch that
  /// could not be one was none; constant text.
  std::atomic<uint64_t> NoAliasLaunches{0};
  std::atomic<const char *> WhyMayAlias{nullptr};
  /// Decisions about it that hold for the same arguments only, and the launches
  /// when these were last compared.
  std::atomic<uint64_t> DecidedByArguments{0};
  std::atomic<uint64_t> LaunchesTried{0};
  /// Launches whose frames came and went, in so many chunks, with the bytes
  /// that crossed the bus for it.
  std::atomic<uint64_t> StreamedLaunches{0};
  std::atomic<uint64_t> Chunks{0};
  std::atomic<uint64_t> StreamedIn{0};
  std::atomic<uint64_t> StreamedOut{0};
  /// Bytes of frames and of packed rows that were to come to a device, which
  /// had less room than planned: chunks reached them over the bus.
  std::atomic<uint64_t> StreamedOnHost{0};
  void noteInPlace(int Param, const char *Why);
  /// Rows of the parameter were packed for chunks.
  void notePacked(int Param);
  /// The last parameter of which each device had a copy for its chunks, the
  /// last that devices read from each other instead, and why; constant text.
  std::atomic<int> ReplicaParam{-1};
  std::atomic<int> LinkedParam{-1};
  std::atomic<const char *> WhyLinked{nullptr};

  /// Some plan followed from what indices in memory are; and why, lately,
  /// others are not known, constant text.
  std::atomic<bool> Inspected{false};
  std::atomic<const char *> WhyNotInspected{nullptr};

  /// Of a launch that was streamed, besides what count() counts.
  void countStreamed(unsigned Devices, uint64_t NumChunks, uint64_t In,
                     uint64_t Out);
  void count(unsigned Devices, uint64_t Local, uint64_t Remote);

  /// What was noted, each once, in order.
  std::vector<InPlaceParam> inPlace() const;
  std::vector<int> packed() const;

private:
  mutable Mutex Lock; ///< guards the lists
  std::vector<InPlaceParam> InPlace GUARDED_BY(Lock);
  std::vector<int> Packed GUARDED_BY(Lock);
};

/// A copy's direction by where its ends are.
enum class CopyDirection {
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  HostToHost,
};
constexpr unsigned NumCopyDirections = 4;

struct CopyCounters {
  std::atomic<uint64_t> Count{0};
  std::atomic<uint64_t> Bytes{0};

  void count(uint64_t MoreBytes) {
    Count.fetch_add(1, std::memory_order_relaxed);
    Bytes.fetch_add(MoreBytes, std::memory_order_relaxed);
  }
};

/// A kernel's line of the report.
struct KernelRecord {
  std::string Name;   ///< demangled
  std::string Source; ///< as the compiler was told; empty: not known
  uint64_t Launches = 0;
  uint64_t SplitLaunches = 0;
  unsigned DevicesMax = 0;
  /// Why its grids may not be split; empty when they may.
  std::string Refusal;
  std::string RefusalText;
  /// Why the last launch ran whole, when one did.
  std::string WhyWhole;
  uint64_t LocalBytes = 0;
  uint64_t RemoteBytes = 0;
  bool UnknownRanges = false;
  uint64_t NoAliasLaunches = 0;
  std::string WhyMayAlias;
  uint64_t StreamedLaunches = 0;
  uint64_t Chunks = 0;
  uint64_t StreamedIn = 0;
  uint64_t StreamedOut = 0;
  uint64_t StreamedOnHost = 0;
  std::vector<InPlaceParam> InPlace;
  std::vector<int> Packed; ///< parameters, from 0
  int ReplicaParam = -1;
  int LinkedParam = -1;
  std::string WhyLinked;
  bool Inspected = false;
  std::string WhyNotInspected;
  LaunchHistogram Common;
};

struct CopyRecord {
  uint64_t Count = 0;
  uint64_t Bytes = 0;
};

struct DeviceRecord {
  std::string Name;
  uint64_t MemoryBytes = 0;
};

/// Everything that is printed.
struct ReportRecord {
  std::vector<DeviceRecord> Devices;
  std::vector<KernelRecord> Kernels; ///< in the order of their first launch
  CopyRecord Copies[NumCopyDirections];
  CopyRecord Fills;
  CopyRecord Replicas;   ///< copies made for launches
  CopyRecord WriteBacks; ///< from copies to where the bytes belong
  CopyRecord Moves;      ///< pages that got another home
  /// Managed memory that launches had left on devices, for the host.
  CopyRecord ManagedWriteBacks;
  /// Allocated elsewhere than meant, as there was no room: on another device,
  /// and on the host.
  uint64_t DisplacedBytes = 0;
  uint64_t HostBytes = 0;
};

class Report {
public:
  /// The counters of a kernel; null stands for all functions that Gridspan has
  /// no descriptor of. They live as long as the report. Thread-safe.
  KernelCounters &kernel(const GridspanKernel *Kernel);

  CopyCounters Copies[NumCopyDirections];
  CopyCounters Fills;
  CopyCounters Replicas;
  CopyCounters WriteBacks;
  CopyCounters Moves;
  CopyCounters ManagedWriteBacks;

  /// What was counted so far, without the devices. Kernels of one name and
  /// source are one line; static ones of several files are several.
  ReportRecord record() const;

private:
  struct Entry {
    std::string Name;
    std::string Source;
    std::string Refusal;
    std::string RefusalText;
    KernelCounters Counters;
  };
  mutable Mutex Lock;
  std::vector<std::unique_ptr<Entry>> Entries GUARDED_BY(Lock);
  std::map<const GridspanKernel *, Entry *> ByKernel GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_REPORT_H
