//===- Ranks.cpp - A program that mpirun has started ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launchers of MPI tell processes what they are in the environment. A program
// that uses MPI itself is left alone: its processes are programs of their own.
//
// The constructor has a priority behind those that register modules and fat
// binaries, which have the first two, and before the program's own. So a server
// knows all kernels of the executable. Children of rank 0 inherit its
// environment, but are no ranks.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ranks.h"
#include "runtime/Runtime.h"
#include "runtime/backend/CreateBackend.h"
#include "runtime/backend/ranks/LoadedFiles.h"
#include "runtime/backend/ranks/MpiTransport.h"
#include "runtime/backend/ranks/OutputPipe.h"
#include "runtime/backend/ranks/RankBackend.h"
#include "runtime/backend/ranks/RankServer.h"
#include "runtime/support/ProcessEnd.h"
#include "runtime/support/ProcessLimits.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

namespace gridspan {

/// The way to the other ranks; null if there are none. Never destroyed.
static ranks::MpiTransport *Way = nullptr;
static pid_t Starter = 0; ///< a child of it is no rank

/// Others serve, and what libraries do there is of their own process.
bool hasRanks() { return Way && Way->rank() == 0 && getpid() == Starter; }

//===--- What the environment says --------------------------------------===//

static int numberIn(const char *Name) {
  const char *Text = std::getenv(Name);
  int Out = 0;
  if (Text)
    std::from_chars(Text, Text + std::string_view(Text).size(), Out);
  return Out;
}

/// Returns true if a launcher has started several processes.
static bool isOneOfSeveral() {
  for (const char *Size :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MPI_WORLD_SIZE"})
    if (numberIn(Size) > 1)
      return true;
  return false;
}

/// Returns what GRIDSPAN_MPI says; rank 0 changes it for its children.
static std::string_view wish() {
  const char *Text = std::getenv("GRIDSPAN_MPI");
  return Text ? Text : "";
}

bool lacksRanks() { return wish() == "1" && isOneOfSeveral(); }

/// The ranks on this machine, if there are several.
struct LocalRanks {
  unsigned Count = 1;
  int Own = 0;
};

static LocalRanks localRanks() {
  constexpr std::pair<const char *, const char *> Names[] = {
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
      {"MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
      {"SLURM_NTASKS_PER_NODE", "SLURM_LOCALID"}};
  for (const auto &[Count, Own] : Names)
    if (numberIn(Count) > 1)
      return {static_cast<unsigned>(numberIn(Count)), numberIn(Own)};
  return {};
}

Config settingsOfRank(Config Settings) {
  const LocalRanks Local = localRanks();
  if (Local.Count == 1)
    return Settings;
  if (Settings.Kind != DeviceKind::Cpu && Settings.Gpus.empty())
    Settings.Gpus = {Local.Own};
  if (Settings.CpuThreads == 0)
    Settings.CpuThreads = std::max(1U, allowedProcessors() / Local.Count /
                                           Settings.NumCpuDevices);
  return Settings;
}

//===--- The executable -------------------------------------------------===//

/// Returns a checksum of the file of the executable; 0 if it cannot be read.
static uint64_t checksumOfProgram() {
  return ranks::checksumOfFile("/proc/self/exe");
}

/// Returns the address from which offsets in the executable count.
static const void *imageBase() {
  uintptr_t Base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        *static_cast<uintptr_t *>(Data) = Info->dlpi_addr;
        return 1;
      },
      &Base);
  return reinterpret_cast<const void *>(Base);
}

static std::string hostName() {
  std::array<char, 256> Text = {};
  (void)gethostname(Text.data(), Text.size() - 1);
  return Text.data();
}

//===--- Serving --------------------------------------------------------===//

/// Copies what both a Config and a Hello say of devices, in either direction.
template <typename From, typename To>
static void copySettings(const From &Of, To &Out) {
  Out.Kind = static_cast<decltype(Out.Kind)>(Of.Kind);
  Out.NumCpuDevices = Of.NumCpuDevices;
  Out.CpuThreads = Of.CpuThreads;
  Out.DeviceMemory = Of.DeviceMemory;
  Out.Peer = Of.Peer;
  Out.CpuVectors = static_cast<decltype(Out.CpuVectors)>(Of.CpuVectors);
  Out.Gpus = Of.Gpus;
  Out.CpuSpeeds = Of.CpuSpeeds;
}

static std::unique_ptr<Backend> makeDevices(const ranks::Hello &Wanted,
                                            std::string &Message) {
  if (Wanted.Kind > static_cast<uint32_t>(DeviceKind::Cpu)) {
    Message = "it has been asked for devices that it does not know";
    return nullptr;
  }
  Config Settings;
  copySettings(Wanted, Settings);
  // All devices are opened at once: rank 0 asks what they are.
  Settings.Sched = Schedule::Dynamic;
  return createBackend(settingsOfRank(std::move(Settings)), Message);
}

[[noreturn]] static void serve() {
  ranks::OutputPipe Output([](std::span<const std::byte> Text) {
    Way->send(0, encode(ranks::Print{Text}));
  });
  ranks::RankServer Server(*Way, makeDevices,
                           {.Program = checksumOfProgram(),
                            .Host = hostName(),
                            .Output = &Output,
                            .ImageBase = imageBase()});
  Way->start([&](int From, const ranks::Buffer &Bytes) {
    Server.handle(From, Bytes);
    Way->watchRanks();
  });
  Server.waitUntilQuit();
  _exit(Way->finish() ? 0 : 1);
}

//===--- The beginning and the end --------------------------------------===//

/// Returns the functions of libgridspan-mpi.so; null with a Message if it
/// cannot be loaded.
static const GridspanMpiCalls *loadMpi(std::string &Message) {
  const char *Named = std::getenv("GRIDSPAN_MPI_LIBRARY");
  void *Library = nullptr;
  for (const char *Path : {Named && *Named ? Named : "libgridspan-mpi.so",
                           GRIDSPAN_LIBRARY_FOLDER "/libgridspan-mpi.so"})
    if ((Library = dlopen(Path, RTLD_NOW | RTLD_GLOBAL)))
      break;
    else if (Message.empty())
      Message = dlerror();
  auto *Find = reinterpret_cast<GridspanMpiCallsFn>(
      Library ? dlsym(Library, "__gridspan_mpi_calls") : nullptr);
  const GridspanMpiCalls *Out =
      Find ? Find(GRIDSPAN_MPI_CALLS_VERSION) : nullptr;
  if (Library && !Out)
    Message = "libgridspan-mpi.so is of another version";
  return Out;
}

[[noreturn]] static void refuse(const std::string &Message) {
  fmt::print(stderr, "gridspan: {}\n", Message);
  _exit(2);
}

/// Runs before the program's own constructors.
__attribute__((constructor(103))) static void startRanks() {
  const std::string_view Wish = wish();
  // Launchers start other programs, too: scripts that run one, and such as do
  // a part of the work each by their number. So it has to be said.
  if (Wish.empty() || Wish == "0")
    return;
  // Copies of the runtime in libraries.
  if (!isOfProgram(reinterpret_cast<const void *>(&startRanks)))
    return;
  // MPI's libraries know nothing of the program's streams.
  const OwnLibraries Loaded;
  if (Wish != "1")
    refuse(fmt::format("GRIDSPAN_MPI={}: expected 0 or 1", Wish));
  // A stream that waits for another rank holds up those that share a queue of
  // the hardware with it, and what it waits for may be in one of these. This is
  // the most that the driver takes, and 8 what it has by itself.
  (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  std::string Message;
  const GridspanMpiCalls *Calls = loadMpi(Message);
  if (!Calls)
    refuse(fmt::format("ranks of MPI are no devices of this program: {}",
                       Message));
  Way = new ranks::MpiTransport(*Calls);
  Starter = getpid();
  // Rank 0 goes on with the program meanwhile, unless it is not known which
  // one this is.
  if (!Way->waitUntilReady())
    refuse("MPI cannot be initialized");
  if (Way->rank() != 0)
    serve();
  if (Way->numRanks() == 1) {
    if (isOneOfSeveral())
      refuse("several processes were started, but MPI knows of one: "
             "libgridspan-mpi.so is for another MPI than the launcher's");
    (void)Way->finish();
    Way = nullptr;
  }
  // Programs that this one starts are none of its ranks.
  (void)setenv("GRIDSPAN_MPI", "0", 1);
}

std::unique_ptr<Backend> addRanks(const Config &Settings,
                                  std::unique_ptr<Backend> Own,
                                  std::string &Message) {
  ranks::RankBackend::Options Options;
  Options.Wanted.Program = checksumOfProgram();
  copySettings(Settings, Options.Wanted);
  Options.ImageBase = imageBase();
  std::unique_ptr<Backend> Out =
      ranks::RankBackend::create(*Way, std::move(Own), Options, Message);
  if (Out)
    Way->watchRanks();
  return Out;
}

void endRanks() {
  if (!hasRanks())
    return;
  for (int Rank = 1; Rank < Way->numRanks(); ++Rank)
    Way->send(Rank, encode(ranks::Quit()));
  if (!Way->finish())
    Way->abort("some rank does not end; all are ended");
}

} // namespace gridspan
