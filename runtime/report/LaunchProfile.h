//===- LaunchProfile.h - What a program launched, and its times -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers, for GRIDSPAN_PROFILE, the launches of each kernel by classes of
// about the same size, with their times and with samples of their requests.
// Advice is evaluated with it (gridspan-advice --profile).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_LAUNCHPROFILE_H
#define GRIDSPAN_RUNTIME_REPORT_LAUNCHPROFILE_H

#include "runtime/report/LaunchHistogram.h"
#include "runtime/report/ProfileReasons.h"
#include "runtime/report/RecordingLimits.h"
#include "runtime/report/RequestSums.h"
#include "runtime/support/ThreadSafety.h"
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace gridspan {

/// Times of launches, in seconds.
struct TimeSums {
  uint64_t Times = 0;
  double Sum = 0, Least = 0, Most = 0;

  void add(double Seconds);
  /// Returns 0 if there is none.
  double mean() const { return Times ? Sum / static_cast<double>(Times) : 0; }
};

struct ProfileClass;

/// Launches of one kernel with one grid, one block and the same arguments.
struct ProfileEntry {
  ProfileClass *Class = nullptr;
  uint64_t Launches = 0;
  TimeSums Plain;    ///< of launches of the kernel itself
  TimeSums Recorded; ///< of launches that its recording clone ran
};

/// What a launch is to do for the profile.
struct ProfiledLaunch {
  ProfileEntry *Entry = nullptr; ///< null: there is no profile
  bool IsTimed = false;
  bool IsFirst = false; ///< of its class
  /// The number of the launch in its class, from 1, if it is to be recorded;
  /// else 0.
  uint64_t RecordAs = 0;
};

/// A class as it is written.
struct ProfileClassRecord {
  uint64_t Launches = 0;
  /// The launch that most are like, and how many are; and their times.
  LaunchHistogram Common;
  TimeSums Plain, Recorded;
  TimeSums All, AllRecorded;             ///< times of all launches of the class
  uint64_t Recordings = 0;               ///< launches that were recorded
  double Warps = 0, SampledWarps = 0;    ///< of these
  std::map<uint32_t, RequestSums> Sites; ///< of a launch, in the mean
  ProfileReason WhyNotRecorded = ProfileReason::None;
};

struct ProfileKernelRecord {
  std::string Name, Mangled, Source;
  uint64_t Launches = 0;
  std::vector<ProfileClassRecord> Classes; ///< those that take longest first
};

/// Device code that launches came from.
struct ProfileModuleRecord {
  std::string Source;
  std::string Builds; ///< GridspanModule::Builds
  std::string Advice;
};

struct ProfileRecord {
  std::vector<ProfileModuleRecord> Modules; ///< by source
  std::vector<ProfileKernelRecord> Kernels; ///< by name, then source
};

/// Thread-safe. Entries live as long as it does.
class LaunchProfile {
public:
  LaunchProfile();
  ~LaunchProfile();

  /// Sets how many launches are recorded. Before the first one.
  void limit(const RecordingLimits &To) { Limits = To; }

  /// Counts a launch of the program. WhyNotRecorded: why it cannot be recorded,
  /// or None.
  ProfiledLaunch count(const GridspanKernel &K, const LaunchShape &S,
                       void *const *Args, ProfileReason WhyNotRecorded);
  void addTime(ProfileEntry &Of, double Seconds, bool IsRecorded);
  /// Adds what a recording of launch Number showed of each access, with the
  /// warps that were sampled and those that the part of the grid has.
  void addSample(ProfileEntry &Of, uint64_t Number,
                 const std::map<uint32_t, RequestSums> &Sites,
                 double SampledWarps, double Warps);
  /// Notes why a launch that was to be recorded was not.
  void noteNotRecorded(ProfileEntry &Of, ProfileReason Why);

  /// Counts for other kernels what comes under the addresses of Module's.
  void forget(const GridspanModule &Module);

  ProfileRecord record() const;

private:
  struct KernelProfile;
  KernelProfile &kernel(const GridspanKernel &K) REQUIRES(Lock);

  RecordingLimits Limits;
  mutable Mutex Lock;
  std::vector<std::unique_ptr<KernelProfile>> Kernels GUARDED_BY(Lock);
  std::map<const GridspanKernel *, KernelProfile *> ByKernel GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_LAUNCHPROFILE_H
