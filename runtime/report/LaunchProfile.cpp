//===- LaunchProfile.cpp - What a program launched, and its times ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A class has one block and one size of shared memory, and grids and integers
// among its arguments of about the same size: those with equal binary
// logarithms, rounded down. So a loop that launches on ever smaller parts of a
// matrix has a class for each halving, and the file stays small whatever the
// program does. Of each class the launches with the same grid and arguments are
// told apart as far as there is room, for predictions are made for one of them;
// the others are counted.
//
// Launches 1, 2, 4 and so on of a class are recorded, as what data decide
// changes in the course of a program. Each stands for the launches up to the
// next one that was. A launch after the first waits until what recording has
// taken, and would take, is a twentieth of the time of the class's launches, by
// the times of both: some clones take many times as long as their kernels.
//
// The first launches are timed, and then one of some, so that a program of many
// short ones is not slowed down.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/LaunchProfile.h"
#include "runtime/backend/LaunchTarget.h"
#include "runtime/backend/Registry.h"
#include "runtime/report/ProfileTimes.h"
#include "runtime/support/Demangle.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <set>

namespace gridspan {

/// The most classes of a kernel, and the most different launches that are told
/// apart in one.
static constexpr size_t MostClasses = 64, MostEntries = 32;

/// What recording may take of the time of a class's launches; and the seconds
/// that it may take in any case.
static constexpr double RecordingShare = 0.05, RecordingSeconds = 2e-4;
/// The launches after which another one is recorded if none was timed.
static constexpr uint64_t LaunchesWithoutTime = 256;

void TimeSums::add(double Seconds) {
  Least = Times == 0 ? Seconds : std::min(Least, Seconds);
  Most = std::max(Most, Seconds);
  Sum += Seconds;
  ++Times;
}

namespace {
/// A recorded launch.
struct Recording {
  std::map<uint32_t, RequestSums> Sites; ///< of the sample
  double SampledWarps = 0, Warps = 0;
};
} // namespace

/// A launch as entries tell them apart.
using ExactShape = std::array<uint32_t, 3>;
using EntryKey = std::pair<ExactShape, std::string>;

struct ProfileClass {
  uint64_t Launches = 0;
  uint64_t DueToRecord = 1; ///< the next launch to be recorded
  size_t Chosen = 0;        ///< launches to be recorded so far
  ExactShape Block = {};
  uint64_t SharedBytes = 0;
  std::map<EntryKey, ProfileEntry> Entries;
  ProfileEntry Others; ///< beyond MostEntries
  TimeSums All, AllRecorded;
  std::map<uint64_t, Recording> Recordings; ///< by number of the launch
  ProfileReason WhyNotRecorded = ProfileReason::None;
};

/// Returns true if the recordings of C, with one more, take little time.
static bool isWorthRecording(const ProfileClass &C) {
  if (C.Chosen == 0)
    return true;
  // Some times are lost, with launches that fail or while many are pending.
  if (C.AllRecorded.Times == 0)
    return C.Launches >= LaunchesWithoutTime * C.Chosen * C.Chosen;
  const double Plain = C.All.mean();
  const double Taken =
      (C.AllRecorded.mean() - Plain) * static_cast<double>(C.Chosen + 1);
  return Taken <=
         std::max(RecordingSeconds,
                  RecordingShare * Plain * static_cast<double>(C.Launches));
}

/// Grid, block and shared bytes.
using ClassShape = std::tuple<ExactShape, ExactShape, uint64_t>;

/// Block, shared bytes, and logarithms of the rest.
using ClassKey = std::tuple<ExactShape, uint64_t, std::vector<int>>;

struct LaunchProfile::KernelProfile {
  ProfileEntry &find(const LaunchShape &S, const std::string &Bytes);

  std::string Name, Mangled, Source, Builds, Advice;
  std::vector<ScalarParam> Scalars;
  std::map<ClassKey, ProfileClass> Classes;
  ProfileClass Others; ///< beyond MostClasses
  uint64_t Launches = 0;
  // The last launch, as most are like the one before.
  ClassShape LastShape = {};
  std::string LastBytes;
  ProfileEntry *Last = nullptr;
};

LaunchProfile::LaunchProfile() = default;
LaunchProfile::~LaunchProfile() = default;

/// Returns the sign and the binary logarithm of an integer.
static int sizeOf(int64_t Value) {
  const uint64_t Magnitude = Value < 0 ? 0 - static_cast<uint64_t>(Value)
                                       : static_cast<uint64_t>(Value);
  const int Log = static_cast<int>(std::bit_width(Magnitude));
  return Value < 0 ? -Log : Log;
}

/// Appends the sizes of the integers that a parameter's bytes may be.
static void addSizes(const char *Bytes, uint32_t Size, std::vector<int> &Out) {
  const uint32_t Word = Size % 8 == 0 ? 8 : Size % 4 == 0 ? 4 : Size;
  for (uint32_t At = 0; At + Word <= Size && Word <= 8; At += Word) {
    uint64_t Value = 0;
    std::memcpy(&Value, Bytes + At, Word);
    const unsigned Unused = 64 - 8 * Word;
    Out.push_back(sizeOf(static_cast<int64_t>(Value << Unused) >> Unused));
  }
}

static ClassKey classOf(const LaunchShape &S,
                        const std::vector<ScalarParam> &Scalars,
                        const std::string &Bytes) {
  std::vector<int> Sizes = {sizeOf(S.Grid.x), sizeOf(S.Grid.y),
                            sizeOf(S.Grid.z)};
  size_t At = 0;
  for (const ScalarParam &P : Scalars) {
    addSizes(Bytes.data() + At, P.Size, Sizes);
    At += P.Size;
  }
  return {{S.Block.x, S.Block.y, S.Block.z}, S.DynamicSharedBytes, Sizes};
}

LaunchProfile::KernelProfile &LaunchProfile::kernel(const GridspanKernel &K) {
  KernelProfile *&Known = ByKernel[&K];
  if (Known)
    return *Known;
  auto New = std::make_unique<KernelProfile>();
  New->Mangled = K.Name;
  New->Name = demangled(K.Name);
  New->Scalars = scalarsOf(K);
  if (const GridspanModule *Module = Registry::get().moduleOf(&K)) {
    New->Source = Module->Name;
    New->Builds = Module->Builds ? Module->Builds : "";
    New->Advice = Module->Advice ? Module->Advice : "";
  }
  Known = New.get();
  Kernels.push_back(std::move(New));
  return *Known;
}

/// Returns the entry of a launch, made if there is none.
ProfileEntry &LaunchProfile::KernelProfile::find(const LaunchShape &S,
                                                 const std::string &Bytes) {
  ClassKey Key = classOf(S, Scalars, Bytes);
  auto It = Classes.find(Key);
  ProfileClass *Class = &Others;
  if (It != Classes.end())
    Class = &It->second;
  else if (Classes.size() != MostClasses)
    Class = &Classes[std::move(Key)];
  Class->Block = {S.Block.x, S.Block.y, S.Block.z};
  Class->SharedBytes = S.DynamicSharedBytes;
  ProfileEntry *Entry = &Class->Others;
  EntryKey Exact = {{S.Grid.x, S.Grid.y, S.Grid.z}, Bytes};
  if (auto Found = Class->Entries.find(Exact); Found != Class->Entries.end())
    Entry = &Found->second;
  else if (Class != &Others && Class->Entries.size() != MostEntries)
    Entry = &Class->Entries[std::move(Exact)];
  Entry->Class = Class;
  return *Entry;
}

ProfiledLaunch LaunchProfile::count(const GridspanKernel &K,
                                    const LaunchShape &S, void *const *Args,
                                    ProfileReason WhyNotRecorded) {
  MutexLock Guard(Lock);
  KernelProfile &P = kernel(K);
  ++P.Launches;
  std::string Bytes = scalarBytes(K, P.Scalars, Args);
  const ClassShape Shape = {{S.Grid.x, S.Grid.y, S.Grid.z},
                            {S.Block.x, S.Block.y, S.Block.z},
                            S.DynamicSharedBytes};
  if (!P.Last || P.LastShape != Shape || P.LastBytes != Bytes) {
    P.Last = &P.find(S, Bytes);
    P.LastShape = Shape;
    P.LastBytes = std::move(Bytes);
  }
  ProfileEntry *Entry = P.Last;
  ProfileClass *Class = Entry->Class;
  const bool IsOther = Class == &P.Others;
  ++Class->Launches;
  ++Entry->Launches;

  ProfiledLaunch Out;
  Out.Entry = Entry;
  Out.IsTimed = isTimedInProfile(Class->Launches);
  Out.IsFirst = Class->Launches == 1;
  if (!K.Recording)
    WhyNotRecorded = ProfileReason::NothingToRecord;
  if (WhyNotRecorded != ProfileReason::None) {
    Class->WhyNotRecorded = WhyNotRecorded;
  } else if (!IsOther && Class->Launches >= Class->DueToRecord &&
             Class->Chosen < Limits.Launches && isWorthRecording(*Class)) {
    ++Class->Chosen;
    Out.RecordAs = Class->Launches;
    Out.IsTimed = true;
    Class->DueToRecord = Limits.Spacing * Class->Launches;
  }
  return Out;
}

void LaunchProfile::addTime(ProfileEntry &Of, double Seconds, bool IsRecorded) {
  MutexLock Guard(Lock);
  (IsRecorded ? Of.Recorded : Of.Plain).add(Seconds);
  (IsRecorded ? Of.Class->AllRecorded : Of.Class->All).add(Seconds);
}

void LaunchProfile::addSample(ProfileEntry &Of, uint64_t Number,
                              const std::map<uint32_t, RequestSums> &Sites,
                              double SampledWarps, double Warps) {
  MutexLock Guard(Lock);
  Recording &R = Of.Class->Recordings[Number];
  for (const auto &[Site, Sum] : Sites)
    R.Sites[Site].add(Sum);
  R.SampledWarps += SampledWarps;
  R.Warps += Warps;
}

void LaunchProfile::noteNotRecorded(ProfileEntry &Of, ProfileReason Why) {
  MutexLock Guard(Lock);
  Of.Class->WhyNotRecorded = Why;
  // Another launch will do as well.
  if (Why != ProfileReason::Busy)
    return;
  Of.Class->DueToRecord = Of.Class->Launches + 1;
  if (Of.Class->Chosen)
    --Of.Class->Chosen;
}

void LaunchProfile::forget(const GridspanModule &Module) {
  MutexLock Guard(Lock);
  for (uint32_t I = 0; I != Module.NumKernels; ++I)
    ByKernel.erase(&Module.Kernels[I]);
}

/// Returns the mean over the launches of what the recorded ones did.
static void addRecordings(const ProfileClass &C, ProfileClassRecord &Out) {
  double Launches = 0;
  for (auto It = C.Recordings.begin(); It != C.Recordings.end(); ++It) {
    const Recording &R = It->second;
    const auto Next = std::next(It);
    const uint64_t End =
        Next == C.Recordings.end() ? C.Launches + 1 : Next->first;
    const auto Weight = static_cast<double>(End - It->first);
    if (!(R.SampledWarps > 0))
      continue;
    Launches += Weight;
    ++Out.Recordings;
    Out.SampledWarps += R.SampledWarps;
    Out.Warps += R.Warps;
    for (const auto &[Site, Sum] : R.Sites)
      Out.Sites[Site].add(Sum, Weight * R.Warps / R.SampledWarps);
  }
  for (auto &[Site, Sum] : Out.Sites) {
    RequestSums Mean;
    Mean.add(Sum, 1 / Launches);
    Sum = Mean;
  }
  if (Out.Recordings == 0)
    Out.WhyNotRecorded = C.WhyNotRecorded;
}

/// Returns the argument bytes as the histogram of a report has them.
static std::vector<ScalarArgument>
argumentsOf(const std::vector<ScalarParam> &Scalars, const std::string &Bytes) {
  std::vector<ScalarArgument> Out;
  size_t At = 0;
  for (const ScalarParam &P : Scalars) {
    ScalarArgument &A = Out.emplace_back();
    A.Index = P.Index;
    A.Bytes.resize(P.Size);
    std::memcpy(A.Bytes.data(), Bytes.data() + At, P.Size);
    At += P.Size;
  }
  return Out;
}

static ProfileClassRecord recordOf(const ProfileClass &C,
                                   const std::vector<ScalarParam> &Scalars) {
  ProfileClassRecord Out;
  Out.Launches = C.Launches;
  Out.All = C.All;
  Out.AllRecorded = C.AllRecorded;
  Out.Common.Block = C.Block;
  Out.Common.SharedBytes = C.SharedBytes;
  // Of those that are as common, the largest grid.
  for (const auto &[Key, Entry] : C.Entries) {
    if (Entry.Launches < Out.Common.Launches)
      continue;
    Out.Common.Launches = Entry.Launches;
    Out.Common.Grid = Key.first;
    Out.Common.Arguments = argumentsOf(Scalars, Key.second);
    Out.Plain = Entry.Plain;
    Out.Recorded = Entry.Recorded;
  }
  addRecordings(C, Out);
  return Out;
}

/// Returns the seconds that all launches of the class took, about.
static double secondsOf(const ProfileClassRecord &C) {
  const TimeSums &Times = C.All.Times ? C.All : C.AllRecorded;
  return Times.mean() * static_cast<double>(C.Launches);
}

/// Classes are in the order of their seconds, and of their shape where these
/// are alike.
static auto rankOf(const ProfileClassRecord &C) {
  return std::tuple(-secondsOf(C), C.Common.Block, C.Common.Grid, C.Launches);
}

ProfileRecord LaunchProfile::record() const {
  ProfileRecord Out;
  MutexLock Guard(Lock);
  std::set<std::tuple<std::string, std::string, std::string>> Modules;
  for (const std::unique_ptr<KernelProfile> &P : Kernels) {
    Modules.insert({P->Source, P->Builds, P->Advice});
    ProfileKernelRecord &K = Out.Kernels.emplace_back();
    K.Name = P->Name;
    K.Mangled = P->Mangled;
    K.Source = P->Source;
    K.Launches = P->Launches;
    for (const auto &[Key, Class] : P->Classes)
      K.Classes.push_back(recordOf(Class, P->Scalars));
    std::sort(K.Classes.begin(), K.Classes.end(),
              [](const ProfileClassRecord &A, const ProfileClassRecord &B) {
                return rankOf(A) < rankOf(B);
              });
    if (P->Others.Launches)
      K.Classes.push_back(recordOf(P->Others, P->Scalars));
  }
  std::sort(Out.Kernels.begin(), Out.Kernels.end(),
            [](const ProfileKernelRecord &A, const ProfileKernelRecord &B) {
              return std::tie(A.Mangled, A.Source, A.Launches) <
                     std::tie(B.Mangled, B.Source, B.Launches);
            });
  for (const auto &[Source, Builds, Advice] : Modules)
    Out.Modules.push_back({Source, Builds, Advice});
  return Out;
}

} // namespace gridspan
