//===- AdviceReader.h - Advice files as data --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the form that docs/guide/advice-schema.md describes, as far as it is
// shown.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_ADVICEREADER_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_ADVICEREADER_H

#include "analysis/advice/sites/MeasuredSites.h"
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridspan {

/// One place in the source, or a kernel as a whole, and what to do there.
struct Finding {
  size_t Kernel = 0; ///< index into the list of kernels
  std::string Rule, Message, Advice;
  std::string Base; ///< the array that it is about, or empty
  std::string File; ///< empty: not known
  unsigned Line = 0, Column = 0;
  bool IsExact = true;
  /// Sectors of one launch, over all machine instructions of the place.
  double Units = 0, IdealUnits = 0;
  /// Predicted: what a launch would take less, and how many times as fast it
  /// would be; Gain is 0 where only the access is known.
  double SavedSeconds = 0, Gain = 0;
  /// Others of the kernel about the same array: what is done about this one
  /// mends them too, or is another way, so that gains do not add up.
  std::vector<Finding> Also;
};

using Shape = std::array<uint32_t, 3>;

struct LaunchParameter {
  unsigned Index = 0, Byte = 0, Bits = 0;
  std::string Name; ///< "n", or "parameter 2+4" if the file has no names
  int64_t Value = 0;
  bool IsAssumed = false;
};

/// The launch that everything about a kernel was computed for.
struct LookedAt {
  Shape Block = {1, 1, 1}, Grid = {1, 1, 1};
  uint64_t DynamicShared = 0; ///< bytes of a block
  bool IsBlockAssumed = false, IsGridAssumed = false;
  bool IsDynamicSharedAssumed = false;
  std::vector<LaunchParameter> Parameters;
};

struct Prediction {
  double Microseconds = 0;
  /// By which events say more where a stream had nothing to do before.
  double IdleStartMicroseconds = 0;
  std::string Limit;
  std::vector<std::pair<std::string, double>> Bounds; ///< largest first, in us
  std::vector<std::string> Assumptions;
  unsigned Registers = 0, ResidentWarps = 0;
  std::string OccupancyLimit;
  double Waves = 0;
  /// Operations a second, operations a byte of memory traffic, and the most of
  /// both that the machine does: the place on the roofline.
  double Gflops = 0, Intensity = 0, PeakGflops = 0, MemoryGbs = 0, PeakGbs = 0;
};

struct LayoutTime {
  std::string Layout, BoundBy;
  double Seconds = 0;
};

/// An array of structs, or arrays that might be one.
struct LayoutTable {
  std::string Base, Type;
  std::string Name;               ///< of the base, in the source
  std::vector<std::string> Apart; ///< names of the fields' arrays, if apart
  uint64_t RecordBytes = 0;
  std::vector<LayoutTime> Layouts; ///< the present one first
  std::string Recommended;         ///< or empty, and then why:
  std::string Stays, WhyStays;
};

/// An access, or an array, of which nothing could be said.
struct NotKnown {
  std::string What, Why, File;
  unsigned Line = 0;
};

/// An access that is known, or was measured, in the launch that is looked at.
struct KnownSite {
  std::string What, File;
  unsigned Line = 0;
  bool IsGlobal = true;
  double Requests = 0, Units = 0, IdealUnits = 0;
};

/// What a profile says of a kernel's launches that are like the one that is
/// looked at.
struct MeasuredTime {
  double Seconds = 0; ///< the mean; 0: none was timed
  double Least = 0, Most = 0;
  uint64_t Times = 0;
  /// True if all of these launches were recorded, which takes time.
  bool IsOfRecorded = false;
  /// True if launches mostly had to wait for those before them in their stream.
  bool IsStreamBusy = false;
  double AllSeconds = 0; ///< of all launches of the kernel, about
  uint64_t Recordings = 0;
  std::string WhyNotRecorded; ///< or empty
  /// TimeGaps.def: why it is not the predicted time, or "" if it is.
  std::string Gap, GapText;
};

/// Launches of about one size, beside those that are looked at.
struct OtherClass {
  Shape Block = {}, Grid = {}; ///< of the commonest one; no grid: mixed
  uint64_t Launches = 0;
  double Seconds = 0; ///< of all of them, about
};

struct Kernel {
  std::string Name, Mangled, Source, Directory, Target, Machine;
  std::string Build; ///< hash of the device code, or empty
  LookedAt Launch;
  std::optional<Prediction> Cost;
  std::string WhyNoCost;
  std::vector<LayoutTable> Arrays;
  std::vector<NotKnown> Unknown;       ///< accesses
  std::vector<NotKnown> RefusedArrays; ///< that are no arrays of structs
  /// Stages and reductions on which nothing is advised, with the reason's name.
  std::vector<NotKnown> Silent;
  unsigned NumSites = 0;
  /// Launches of the reported run; 1 without a report.
  uint64_t Launches = 1;
  /// Not empty: what ran instead of Launch, and the options to say so: for
  /// people, and one by one with the symbol name.
  std::string RanInstead, Options;
  std::vector<std::string> ExactOptions;
  /// Not empty: how many launches of the run were like Launch, if not all.
  std::string Share;
  std::vector<KnownSite> Sites;    ///< in their order
  std::optional<MeasuredTime> Run; ///< if there is a profile
  std::vector<OtherClass> Others;  ///< those that take longest first
  MeasuredKernel Recorded;         ///< what the run has recorded

  /// Returns the seconds of all launches: measured, or predicted.
  double seconds() const {
    if (Run && Run->AllSeconds > 0)
      return Run->AllSeconds;
    return predictedSeconds();
  }
  double predictedSeconds() const {
    return Cost ? Cost->Microseconds * 1e-6 * static_cast<double>(Launches) : 0;
  }
  /// Returns what events around a launch are predicted to say. Cost is there.
  double secondsByEvents() const {
    const double Start = 1e-6 * Cost->IdleStartMicroseconds;
    // What took less than the start cannot have it in it.
    const bool HasStart = Run && !Run->IsStreamBusy && Run->Seconds >= Start;
    return 1e-6 * Cost->Microseconds + (HasStart ? Start : 0);
  }
  /// Returns how much longer launches take than predicted; 1: not known, as
  /// where all that were timed were recorded.
  double scale() const {
    const double Predicted =
        Cost ? secondsByEvents() * static_cast<double>(Launches) : 0;
    return Run && !Run->IsOfRecorded && Run->AllSeconds > 0 && Predicted > 0
               ? Run->AllSeconds / Predicted
               : 1;
  }
};

/// A number that stands for what nobody says of launches.
struct Assumption {
  std::string Name, Text;
  int64_t Value = 0;
};

struct AdviceData {
  std::vector<Kernel> Kernels;
  std::vector<Finding> Findings;       ///< as the files have them
  std::vector<Assumption> Assumptions; ///< by name; those of the last file
};

/// Throws std::runtime_error with a message for the user.
nlohmann::json readJson(const std::string &Path);

/// An advice file.
struct AdviceFile {
  std::string Path;
  nlohmann::json Json;
};

/// Reads files, and of folders the advice files in them. Throws as readJson().
std::vector<AdviceFile> readFiles(const std::vector<std::string> &Paths);

/// Returns all that files say. The same kernel of one source for one
/// architecture counts once. Target: only of this architecture; empty: of all.
/// Throws as readJson().
AdviceData adviceOf(const std::vector<AdviceFile> &Files,
                    const std::string &Target);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_ADVICEREADER_H
