//===- Runtime.cpp - The parts of a running program -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process's runtime is one atomic pointer: the fast path of each call is a
// load. It is made under a lock by the first call, from the environment.
//
// Errors after which CUDA's context is lost are remembered, and end every later
// call as CUDA does. The report is written by a destructor with the lowest
// priority that programs may use, behind the program's own.
//
//===----------------------------------------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/Environment.h"
#include "runtime/Ranks.h"
#include "runtime/backend/CreateBackend.h"
#include "runtime/backend/Registry.h"
#include "runtime/backend/cpu/AccessCheck.h"
#include "runtime/memory/ManagedVariables.h"
#include "runtime/report/ProfilePrinter.h"
#include "runtime/report/ReportPrinter.h"
#include "runtime/report/TimelineWriter.h"
#include "runtime/support/CacheFile.h"
#include "runtime/support/CodePages.h"
#include "runtime/support/HostMemoryOps.h"
#include "runtime/support/ProcessEnd.h"
#include "runtime/support/ProcessLimits.h"
#include "runtime/support/ThreadSafety.h"
#include "runtime/support/WholeFile.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <unistd.h>

namespace gridspan {

/// Returns true if reading a buffer once takes far longer than splitting a
/// launch does. Kernels on smaller ones mostly run unsplit, and want them on
/// one device. Later moves, where they are split after all, cost less than what
/// an unsplit kernel loses by memory that is spread in vain; for large ones it
/// is the other way round.
static bool worthSpreading(const SystemInfo &System, uint64_t Bytes) {
  constexpr double FanOuts = 40;
  const double Seconds = static_cast<double>(Bytes) /
                         std::max(1.0, System.Devices[0].MemoryBandwidth);
  return System.FanOutSeconds.size() <= 2 ||
         Seconds > FanOuts * System.FanOutSeconds[2];
}

/// An allocation that has its devices opened, as what comes to it takes as long
/// as that does. Smaller ones are spread later, when launches gain by it.
static constexpr uint64_t BytesWorthOpening = uint64_t(512) << 20;

/// Returns true if an allocation that is to be spread over the devices can be,
/// for all that they are.
static bool findsOthers(Backend &B, uint64_t Bytes) {
  if (!B.isReady() && Bytes >= BytesWorthOpening) {
    B.prepare();
    return true;
  }
  return B.isReady();
}

/// Returns the options of copies of pageable memory. More threads than
/// processors would only wait for each other.
static PageableCopy::Options pageableOptions(const Config &Settings,
                                             const SystemInfo &System) {
  PageableCopy::Options Out;
  const unsigned Useful = Out.ThreadsPerDevice * System.numDevices();
  if (Settings.CopyThreads)
    Out.Threads = *Settings.CopyThreads;
  else if (const unsigned Processors = allowedProcessors();
           System.SlowPageableCopies && Processors > 1)
    Out.Threads = std::min(Useful, Processors);
  if (Settings.CopyBufferBytes) {
    Out.BufferBytes = Settings.CopyBufferBytes;
    Out.LeastBytes = 2 * Settings.CopyBufferBytes;
  }
  return Out;
}

/// Returns the threads that copy frames which are not pinned yet; 0 where
/// pinning them costs nothing.
static unsigned unpinnedCopyThreads(const Config &Settings,
                                    const SystemInfo &System) {
  if (Settings.CopyThreads)
    return *Settings.CopyThreads;
  return System.SlowPageableCopies ? hostThreads() : 0;
}

/// Returns the number of devices on which out-of-core launches may run.
static unsigned outOfCoreDevices(const Config &Settings,
                                 const SystemInfo &System) {
  if (Settings.Sched == Schedule::Single)
    return 1;
  return System.numDevices();
}

/// Returns the devices, as a SamplingBackend if there is a profile.
static std::unique_ptr<Backend> recorded(std::unique_ptr<Backend> Devices,
                                         LaunchProfile *Profile,
                                         SamplingBackend *&Recorder) {
  if (!Profile)
    return Devices;
  auto Out = std::make_unique<SamplingBackend>(std::move(Devices), *Profile);
  Recorder = Out.get();
  return Out;
}

/// Returns the devices, as a TracingBackend if a timeline is asked for.
static std::unique_ptr<Backend> traced(std::unique_ptr<Backend> Devices,
                                       const Config &Settings,
                                       TracingBackend *&Tracer) {
  if (Settings.TraceFile.empty())
    return Devices;
  auto Out = std::make_unique<TracingBackend>(std::move(Devices));
  Tracer = Out.get();
  return Out;
}

Runtime::Runtime(const Config &Settings, std::unique_ptr<Backend> TheBackend)
    : Settings(Settings),
      Profile(Settings.ProfileFile.empty() ? nullptr
                                           : std::make_unique<LaunchProfile>()),
      B(traced(recorded(std::move(TheBackend), Profile.get(), Recorder),
               Settings, Tracer)),
      Line(Progress::onStderr(Settings.Progress)),
      Memory(
          *B,
          [this](uint64_t Bytes) {
            if (this->Settings.Sched == Schedule::Single ||
                !Registry::get().anySplittable())
              return false;
            // Kernels that begin unsplit want their memory on one device.
            return (splitsAll(this->Settings.Sched) ||
                    (Registry::get().anySplitsAtOnce() &&
                     worthSpreading(B->system(), Bytes))) &&
                   findsOthers(*B, Bytes);
          },
          Settings.KeepsFreed.value_or(!B->system().FindsFreed)),
      Lookup(Memory, *B), Streams(*B), Symbols(*B),
      Copies(*B, Memory, Symbols, Counters,
             pageableOptions(Settings, B->system()),
             outOfCoreDevices(Settings, B->system()), Settings.Patience),
      Launches(
          *B, Memory, Streams, Symbols, Counters, Line, Settings.Patience,
          {.Sched = Settings.Sched,
           .Privates = Settings.Privates,
           .MayReplicate = Settings.Replicas,
           .StaticShare = Settings.StaticShare,
           .CountsBytes = Settings.ReportTable || !Settings.ReportFile.empty(),
           .Learns = Settings.Learns,
           .Chains = Settings.Chains,
           .ChainIdle = Settings.ChainIdle,
           .CopyThreads = unpinnedCopyThreads(Settings, B->system()),
           .MovesPointers = Settings.MovesPointers,
           .Forms = Settings.Forms}) {
  if (Settings.KeepsTimes.value_or(std::strcmp(B->name(), "cuda") == 0))
    Launches.decider().keepTimesIn(
        {cacheDirectory(), B->system().TimesKey, B->system().numDevices()});
  if (Profile) {
    Launches.profileIn(*Profile);
    Recorder->setArrays([this](const void *Address) {
      const auto A = Memory.find(Address);
      return A ? ArrayBytes{reinterpret_cast<uint64_t>(A->base()), A->bytes()}
               : ArrayBytes();
    });
  }
  limitHostThreads(Settings.CopyThreads);
  mapOwnCode();
  AccessChecker::enable(Settings.Check, Settings.CheckContents);
}

std::unique_ptr<Backend> createBackend(const Config &Settings,
                                       std::string &Message,
                                       std::vector<std::string> *Notes) {
  if (Settings.Kind != DeviceKind::Cpu) {
    const size_t NotesBefore = Notes ? Notes->size() : 0;
    // Whoever names a schedule wants it from the first launch on.
    const CudaBackendOptions Options = {
        Settings.Gpus, Settings.DeviceMemory, Settings.Peer,
        Settings.Sched == Schedule::Auto || Settings.Sched == Schedule::Single};
    if (std::unique_ptr<Backend> Gpus =
            createCudaBackend(Options, Message, Notes))
      return Gpus;
    if (Settings.Kind == DeviceKind::Gpu)
      return nullptr;
    if (Notes && Notes->size() != NotesBefore)
      Notes->emplace_back("no GPU can be used: the program runs on the CPU "
                          "device");
  }
  const CpuBackendOptions Options = {
      Settings.NumCpuDevices, Settings.DeviceMemory, Settings.Peer,      true,
      Settings.CpuSpeeds,     Settings.CpuThreads,   Settings.CpuVectors};
  return createCpuBackend(Options, Message);
}

/// Returns a variable that means nothing where devices are other processes';
/// null if none is set.
static const char *notOverRanks(const Config &C) {
  if (!C.ProfileFile.empty())
    return "GRIDSPAN_PROFILE";
  if (!C.TraceAccessFile.empty())
    return "GRIDSPAN_TRACE_ACCESS";
  return C.Check ? "GRIDSPAN_CHECK" : nullptr;
}

/// Returns the devices of this process, and those of other ranks if there are
/// some.
static std::unique_ptr<Backend>
createAllDevices(const Config &Settings, std::string &Message,
                 std::vector<std::string> &Notes) {
  if (lacksRanks()) {
    Message = "a program whose runtime is in a library has no ranks: link it "
              "with -cudart=static, or start it without GRIDSPAN_MPI=1";
    return nullptr;
  }
  if (!hasRanks())
    return createBackend(Settings, Message, &Notes);
  if (const char *Name = notOverRanks(Settings)) {
    Message =
        fmt::format("{} is for one process; there are several ranks", Name);
    return nullptr;
  }
  std::unique_ptr<Backend> Own =
      createBackend(settingsOfRank(Settings), Message, &Notes);
  return Own ? addRanks(Settings, std::move(Own), Message) : nullptr;
}

/// Makes every call in a child process fail, as CUDA's do: the devices' threads
/// and contexts are the parent's. Only atomics are touched, as threads that are
/// gone may have held any lock.
static void noteFork() {
  if (Runtime *R = Runtime::existing())
    R->noteFork();
}

[[noreturn]] static void refuse(const std::string &Message) {
  fmt::print(stderr, "gridspan: {}\n", Message);
  std::exit(2);
}

/// Returns a message if a file that the program is to write cannot be written.
static std::string whyFilesNotWritable(const Config &C) {
  const std::pair<const char *, const std::string &> Files[] = {
      {"GRIDSPAN_REPORT", C.ReportFile},
      {"GRIDSPAN_TRACE", C.TraceFile},
      {"GRIDSPAN_PROFILE", C.ProfileFile},
      {"GRIDSPAN_TRACE_ACCESS", C.TraceAccessFile}};
  for (const auto &[Name, Path] : Files)
    if (!Path.empty())
      if (const std::string Why = whyNotWritable(Path); !Why.empty())
        return fmt::format("{}={}: cannot write the file: {}", Name, Path, Why);
  return "";
}

static std::unique_ptr<Runtime> createFromEnvironment() {
  std::string Message;
  std::optional<Config> Settings = parseConfig(
      [](const char *Name) -> const char * { return std::getenv(Name); },
      Message);
  if (!Settings)
    refuse(Message);
  if (const std::string Why = whyFilesNotWritable(*Settings); !Why.empty())
    refuse(Why);
  std::vector<std::string> Notes = unknownVariables(environ);
  std::unique_ptr<Backend> B = createAllDevices(*Settings, Message, Notes);
  for (const std::string &Note : Notes)
    fmt::print(stderr, "gridspan: {}\n", Note);
  if (!B)
    refuse(Message);
  noteProcessEnd();
  // Runs before what the driver, which is open by now, does at exit.
  (void)std::atexit([] {
    Runtime *R = Runtime::existing();
    if (!R || R->isForked())
      return;
    R->launches().endIdleThread();
    R->finishProfile();
  });
  pthread_atfork(nullptr, nullptr, noteFork);
  return std::make_unique<Runtime>(*Settings, std::move(B));
}

static std::atomic<Runtime *> Instance{nullptr};

Runtime *Runtime::existing() {
  return Instance.load(std::memory_order_acquire);
}

Runtime &Runtime::get() {
  if (Runtime *R = existing())
    return *R;
  static Mutex Lock;
  MutexLock Guard(Lock);
  if (!existing())
    replace(createFromEnvironment());
  return *existing();
}

std::unique_ptr<Runtime> Runtime::replace(std::unique_ptr<Runtime> New) {
  return std::unique_ptr<Runtime>(
      Instance.exchange(New.release(), std::memory_order_acq_rel));
}

Expected<std::shared_ptr<Event>> Runtime::findEvent(cudaEvent_t Handle) {
  if (std::shared_ptr<Event> Known = Events.find(Handle))
    return Known;
  if (!Handle)
    return cudaErrorInvalidResourceHandle;
  std::unique_ptr<Event> Adopted;
  if (cudaError_t Error = B->adoptEvent(Handle, Adopted))
    return Error;
  const std::shared_ptr<Event> E = std::move(Adopted);
  Events.insert(Handle, E);
  return E;
}

/// Returns true for errors after which CUDA's context cannot be used any more.
static bool isSticky(cudaError_t Error) {
  switch (Error) {
  case cudaErrorIllegalAddress:
  case cudaErrorIllegalInstruction:
  case cudaErrorMisalignedAddress:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorHardwareStackError:
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
    return true;
  default:
    return false;
  }
}

/// A program that checks no errors would only see that nothing happens.
static void explainUnloading() {
  static std::atomic<bool> Said{false};
  if (!Said.exchange(true))
    fmt::print(stderr,
               "gridspan: CUDA was called by a destructor that runs when CUDA "
               "has been unloaded, at the end of the process: the call failed "
               "(cudaErrorCudartUnloading)\n");
}

cudaError_t Runtime::noteFailure(cudaError_t Error) {
  if (Error == cudaErrorCudartUnloading)
    explainUnloading();
  if (isSticky(Error))
    Broken = Error;
  return Error;
}

/// Set when CUDA was found to be gone, as it is before some libraries are when
/// the process ends.
static std::atomic<bool> IsCudaUnloaded{false};

void Runtime::finishWork() {
  if (broken())
    return;
  (void)note(Launches.finishDeferred());
  for (unsigned D = 0, E = B->system().numDevices(); D != E; ++D) {
    const cudaError_t Error = B->synchronizeDevice(static_cast<int>(D));
    if (Error == cudaErrorCudartUnloading)
      IsCudaUnloaded = true;
    else
      (void)note(Error);
  }
}

void Runtime::forget(const GridspanModule *Module) {
  Launches.forget(Module);
  B->forget(Module);
  if (Recorder)
    Recorder->collect();
  if (Module) {
    Counters.forget(*Module);
    if (Profile)
      Profile->forget(*Module);
  }
}

void Runtime::forget(GridspanManaged &Variable) {
  finishWork();
  void *Address = ManagedVariables::get().remove(&Variable);
  if (Address && !broken() && !IsCudaUnloaded)
    (void)note(Memory.free(Address));
}

ReportRecord Runtime::record() const {
  Launches.decider().reportTimes();
  ReportRecord Out = Counters.record();
  for (const DeviceInfo &D : B->system().Devices)
    Out.Devices.push_back({D.Name, D.MemoryBytes});
  if (std::strcmp(B->name(), "cpu") != 0)
    for (KernelRecord &K : Out.Kernels) {
      K.WhyFibers.clear();
      K.WhyFibersText.clear();
    }
  Out.DisplacedBytes = Memory.shortage().OtherDevices;
  Out.HostBytes = Memory.shortage().OnHost;
  const MemoryManager::RangeCounts Ranges = Memory.ranges();
  Out.MappedRanges = Ranges.Mapped;
  Out.ReusedRanges = Ranges.Reused;
  Out.UnmappedRanges = Ranges.Unmapped;
  Out.WriteBacks.Count += Memory.owned().timesBrought();
  Out.WriteBacks.Bytes += Memory.owned().bytesBrought();
  Out.Conversions.Count += Memory.owned().timesConverted();
  Out.Conversions.Bytes += Memory.owned().bytesConverted();
  return Out;
}

void Runtime::writeReport() const {
  std::fflush(stdout); // what the program printed comes first
  if (Settings.ReportTable)
    fmt::print(stderr, "{}", reportTable(record()));
  if (Settings.ReportFile.empty())
    return;
  std::ofstream File(Settings.ReportFile);
  File << reportJson(record()).dump(2) << '\n';
  if (!File.flush())
    fmt::print(stderr, "gridspan: cannot write the report to {}\n",
               Settings.ReportFile);
}

void Runtime::writeTrace() {
  if (!Tracer)
    return;
  std::ofstream File(Settings.TraceFile);
  writeTimeline(File, Tracer->timeline());
  if (!File.flush())
    fmt::print(stderr, "gridspan: cannot write the timeline to {}\n",
               Settings.TraceFile);
}

void Runtime::finishProfile() {
  if (!Profile || broken())
    return;
  finishWork();
  Launches.executor().timer().collect();
  Recorder->finish();
}

void Runtime::writeProfile() const {
  if (!Profile)
    return;
  std::vector<DeviceRecord> Devices;
  for (const DeviceInfo &D : B->system().Devices)
    Devices.push_back({D.Name, D.MemoryBytes});
  const std::string Text =
      profileJson(Profile->record(), B->name(), Devices).dump(1) + "\n";
  if (!writeWhole(Settings.ProfileFile, Text))
    fmt::print(stderr, "gridspan: cannot write the profile to {}\n",
               Settings.ProfileFile);
}

bool Runtime::summarizeChecks() const {
  return !Settings.Check || AccessChecker::summarize(stderr) == 0;
}

} // namespace gridspan

/// Writes the report behind the program's own static destructors, which may
/// still launch.
__attribute__((destructor(101))) static void writeReportAtEnd() {
  gridspan::Runtime *R = gridspan::Runtime::existing();
  if (R && R->isForked())
    return;
  bool AllRight = true;
  if (R) {
    R->writeReport();
    R->writeTrace();
    R->writeProfile();
    R->saveTimes();
    AllRight = R->summarizeChecks();
  }
  gridspan::endRanks();
  if (AllRight)
    return;
  std::fflush(nullptr);
  _exit(1);
}
