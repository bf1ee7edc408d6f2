//===- Report.h - Counters of launches and copies ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts launches and copies while the program runs. The list of the counters
// is Counters.def; printing is ReportPrinter's.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_REPORT_H
#define GRIDSPAN_RUNTIME_REPORT_REPORT_H

#include "gridspan/ABI.h"
#include "runtime/report/LaunchHistogram.h"
#include "runtime/report/TakenCalls.h"
#include "runtime/support/LaunchReasons.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gridspan {

/// A parameter whose memory stayed on the host for a launch.
struct InPlaceParam {
  int Param; ///< from 0; -1: whatever the kernel reaches
  LaunchReason Why;
};

/// What launches of about the same size took that ran one way.
struct MeasuredDivision {
  uint64_t BlockThreads = 0;
  uint64_t LeastBlocks = 0; ///< and less than twice as many
  /// True if all had the same scalar arguments, and others of the size had
  /// others.
  bool HasOwnScalars = false;
  unsigned Devices = 1;
  unsigned Axis = 0;
  bool IsSpread = false; ///< with pages elsewhere than it would be faster with
  bool HasPrivates = false; ///< tiles reduced into private copies
  uint64_t Launches = 0;
  uint64_t Times = 0; ///< that were measured
  /// True if an earlier process had measured it.
  bool IsRestored = false;
  /// The median of the last ones, or 0; what was predicted for the last one,
  /// and what each device took for its part.
  double Seconds = 0;
  double PredictedSeconds = 0;
  std::vector<double> DeviceSeconds;
  std::vector<double> Shares; ///< of the work, by device
  bool IsDynamic = false;     ///< blocks were handed out
  bool IsPresent = false;     ///< the last launch of the size ran so
  /// What moves of pages for all launches of the size took.
  double MoveSeconds = 0;
};

/// Counters of one kernel; updated without a lock, but for Shapes and the
/// lists.
struct KernelCounters {
  LaunchCounts Shapes; ///< only if a report is asked for
#define GRIDSPAN_SUM(Name, Key) std::atomic<uint64_t> Name{0};
#define GRIDSPAN_MOST(Type, None, Name, Key) std::atomic<Type> Name{None};
#define GRIDSPAN_LAST(Type, None, Name, Key) std::atomic<Type> Name{None};
#define GRIDSPAN_WHY(Name, Key) std::atomic<LaunchReason> Name{};
#include "runtime/report/Counters.def"
  /// The number of decisions about the kernel that hold for the same arguments
  /// only, and of launches when these were last compared.
  std::atomic<uint64_t> DecidedByArguments{0};
  std::atomic<uint64_t> LaunchesTried{0};

  /// Counts a launch that was not out of core.
  void count(unsigned Devices, uint64_t Local, uint64_t Remote);
  /// Counts a launch that was.
  void countOutOfCore(unsigned Devices, uint64_t NumChunks, uint64_t In,
                      uint64_t Out);
  /// Counts what these had to move at least.
  void countLeast(uint64_t In, uint64_t Out);
  void noteInPlace(int Param, LaunchReason Why);
  /// Notes that rows of the parameter were packed for chunks.
  void notePacked(int Param);

  /// Returns what was noted, each once, in order.
  std::vector<InPlaceParam> inPlace() const;
  std::vector<int> packed() const;

  void setMeasured(std::vector<MeasuredDivision> Rows);
  std::vector<MeasuredDivision> measured() const;

private:
  mutable Mutex Lock; ///< guards the lists
  std::vector<InPlaceParam> InPlace GUARDED_BY(Lock);
  std::vector<int> Packed GUARDED_BY(Lock);
  std::vector<MeasuredDivision> Measured GUARDED_BY(Lock);
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
  /// The reason why its grids may not be split; empty if they may.
  std::string Refusal;
  std::string RefusalText;
  /// Why its threads are fibers on a CPU device; empty if they are not.
  std::string WhyFibers;
  std::string WhyFibersText;
#define GRIDSPAN_SUM(Name, Key) uint64_t Name = 0;
#define GRIDSPAN_MOST(Type, None, Name, Key) Type Name = None;
#define GRIDSPAN_LAST(Type, None, Name, Key) Type Name = None;
#define GRIDSPAN_WHY(Name, Key) std::string Name;
#include "runtime/report/Counters.def"
  std::vector<InPlaceParam> InPlace;
  std::vector<int> Packed; ///< parameters, from 0
  std::vector<MeasuredDivision> Measured;
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
#define GRIDSPAN_COPIES(Name, Key, Title) CopyRecord Name;
#include "runtime/report/Counters.def"
  std::vector<TakenCallRecord> Calls;
  /// Bytes allocated elsewhere than meant for lack of room: on another device,
  /// and on the host.
  uint64_t DisplacedBytes = 0;
  uint64_t HostBytes = 0;
  /// Ranges of device memory: that were mapped; that allocations were freed in,
  /// and others were made in; that were kept for this in vain.
  uint64_t MappedRanges = 0;
  uint64_t ReusedRanges = 0;
  uint64_t UnmappedRanges = 0;
};

class Report {
public:
  /// Returns the counters of a kernel. Null stands for all functions that
  /// Gridspan has no descriptor of. They live as long as the report.
  /// Thread-safe.
  KernelCounters &kernel(const GridspanKernel *Kernel);
  /// Counts for another kernel what is counted from now on under the address of
  /// one of Module's.
  void forget(const GridspanModule &Module);

  CopyCounters Copies[NumCopyDirections];
#define GRIDSPAN_COPIES(Name, Key, Title) CopyCounters Name;
#include "runtime/report/Counters.def"

  TakenCalls &calls() { return Calls; }

  /// Returns the counts so far, without the devices. Kernels of one name and
  /// source are one line; static ones of several files are several.
  /// WhyFibers is that of the kernels' code, whatever devices ran.
  ReportRecord record() const;

private:
  struct Entry {
    std::string Name; ///< mangled: launches do not wait for more than that
    std::string Source;
    std::string Refusal;
    std::string RefusalText;
    std::string WhyFibers;
    std::string WhyFibersText;
    KernelCounters Counters;
  };
  TakenCalls Calls;
  mutable Mutex Lock;
  std::vector<std::unique_ptr<Entry>> Entries GUARDED_BY(Lock);
  std::map<const GridspanKernel *, Entry *> ByKernel GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_REPORT_H
