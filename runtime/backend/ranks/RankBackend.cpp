//===- RankBackend.cpp - The devices of all ranks -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The beginning, the messages that come in, and memory. RankBackendStreams.cpp
// has streams and events, RankBackendWork.cpp the work in them.
//
// Addresses are the same on all ranks. Rank 0 reserves them where no process
// has anything of its own, and a rank reserves them as well when it maps pages
// there. Variables of other ranks, whose addresses are whatever they are, get
// addresses of rank 0 that stand for them.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/RankBackend.h"
#include "runtime/backend/ranks/RankObjects.h"
#include <chrono>
#include <cstring>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace gridspan::ranks {

/// Where ranks look for addresses: far below the stack and the libraries of a
/// process, and where the tools that watch memory accept them.
static constexpr uint64_t FirstAddress = 0x7c0000000000,
                          LastAddress = 0x7e0000000000;
/// How far it is to the next try.
static constexpr uint64_t Stride = uint64_t(1) << 30;

//===--- The beginning --------------------------------------------------===//

RankBackend::RankBackend(Transport &Way, std::unique_ptr<Backend> Own,
                         Options Settings)
    : ForwardingBackend(std::move(Own)), Way(Way),
      Settings(std::move(Settings)), NumOwn(inner().system().numDevices()),
      System(inner().system()), Hosts(static_cast<size_t>(Way.numRanks())),
      Staged(Way.numRanks(), DataMover::MostWaiting),
      Mover(std::make_unique<DataMover>(
          Way, Tokens, inner(), [](uint64_t, uint64_t) { return true; })) {}

RankBackend::~RankBackend() {
  for (int Rank = 1; Rank < Way.numRanks(); ++Rank)
    send(Rank, Quit());
  Tokens.fail();
  {
    MutexLock Guard(HelperLock);
    ForOthers = nullptr;
  }
  Way.stop();
  Printing->stop();
  Mover.reset();
}

std::unique_ptr<Backend> RankBackend::create(Transport &Way,
                                             std::unique_ptr<Backend> Own,
                                             Options Settings,
                                             std::string &Message) {
  Own->waitUntilReady();
  std::unique_ptr<RankBackend> Out(
      new RankBackend(Way, std::move(Own), std::move(Settings)));
  void *Probe = nullptr;
  if (Out->reserve(Out->System.PageSize, Probe)) {
    Message = "the devices of this rank cannot be those of several ranks: "
              "their memory cannot be mapped at chosen addresses";
    return nullptr;
  }
  Out->release(Probe, Out->System.PageSize);
  Message = Out->open();
  return Message.empty() ? std::move(Out) : nullptr;
}

/// Returns why it cannot be; empty if all ranks have devices.
std::string RankBackend::open() {
  Way.start([this](int From, const Buffer &Bytes) { handle(From, Bytes); });
  for (int Rank = 1; Rank < Way.numRanks(); ++Rank)
    send(Rank, Settings.Wanted);
  const auto Latest = std::chrono::steady_clock::now() +
                      std::chrono::seconds(Settings.OpeningSeconds);
  std::map<int, Welcome> All;
  {
    MutexLock Guard(OpenLock);
    while (Welcomes.size() + 1 < static_cast<size_t>(Way.numRanks()) &&
           std::chrono::steady_clock::now() < Latest)
      Guard.waitUntil(Opened, Latest);
    All = Welcomes;
  }
  for (int Rank = 1; Rank < Way.numRanks(); ++Rank) {
    const auto It = All.find(Rank);
    if (It == All.end())
      return fmt::format("rank {} does not answer", Rank);
    const Welcome &W = It->second;
    if (!W.Refusal.empty())
      return fmt::format("rank {} on {}: {}", Rank, W.Host, W.Refusal);
    if (W.Backend != name())
      return fmt::format("rank {} on {} has devices of another kind ({}) than "
                         "rank 0 ({}); set GRIDSPAN_DEVICES",
                         Rank, W.Host, W.Backend, name());
    Hosts[Rank] = W.Host;
    addDevices(Rank, W);
  }
  const unsigned N = System.numDevices();
  System.PeerBandwidth.assign(N, std::vector<double>(N, 0));
  for (unsigned D = 0; D != N; ++D)
    System.PeerBandwidth[D][D] = System.Devices[D].MemoryBandwidth;
  const double One = System.FanOutSeconds.back() / NumOwn;
  while (System.FanOutSeconds.size() <= N)
    System.FanOutSeconds.push_back(System.FanOutSeconds.back() + One +
                                   (System.FanOutSeconds.size() == NumOwn + 1
                                        ? Settings.FanOutSeconds
                                        : 0));
  System.PeerAtomics = false;
  System.TimesKey += fmt::format(", devices of {} ranks: {}", Way.numRanks(),
                                 System.numDevices());
  return "";
}

void RankBackend::addDevices(int Rank, const Welcome &From) {
  System.PageSize = std::max(System.PageSize, From.PageSize);
  int Number = 0;
  for (const RankDevice &D : From.Devices) {
    DeviceInfo Info;
    Info.Name = fmt::format("{} of rank {} ({})", D.Name, Rank, From.Host);
    Info.MemoryBytes = D.MemoryBytes;
    Info.MemoryBandwidth = D.MemoryBandwidth;
    Info.InstructionRate = D.InstructionRate;
    Info.HostToDevice = D.HostToDevice;
    Info.DeviceToHost = D.DeviceToHost;
    Info.BlockSeconds = D.BlockSeconds;
    Info.Multiprocessors = D.Multiprocessors;
    Info.ThreadsPerMultiprocessor = D.ThreadsPerMultiprocessor;
    Info.BlocksPerMultiprocessor = D.BlocksPerMultiprocessor;
    System.Devices.push_back(Info);
    Remotes.push_back({Rank, Number++, D.Properties});
  }
}

//===--- Messages -------------------------------------------------------===//

void RankBackend::handle(int From, const Buffer &Bytes) {
  const std::optional<Message> M = decode(*Bytes);
  if (!M)
    return;
  if (const auto *D = std::get_if<Done>(&*M))
    Tokens.arrive(D->To, D->Error);
  else if (const auto *A = std::get_if<Reply>(&*M))
    Tokens.arrive(A->To, *A);
  else if (const auto *R = std::get_if<Reached>(&*M)) {
    // What has been printed before a point is there before it is reached.
    if (Printing->last().reached())
      on(From, *R);
    else
      Printing->push({}, [this, From, R = *R] { on(From, R); });
  } else if (const auto *P = std::get_if<Pull>(&*M))
    Mover->pull(*P);
  else if (const auto *D = std::get_if<Data>(&*M))
    Mover->data(From, *D, Bytes);
  else if (const auto *F = std::get_if<FillAt>(&*M))
    Mover->fill(*F);
  else if (const auto *G = std::get_if<Credit>(&*M)) {
    if (G->OfWrites)
      Staged.giveBack(From, G->Bytes);
    else
      Mover->credit(From, G->Bytes);
  } else if (const auto *C = std::get_if<Call>(&*M))
    on(*C);
  else if (const auto *T = std::get_if<Print>(&*M))
    on(*T, Bytes);
  else if (const auto *F = std::get_if<Failure>(&*M))
    on(From, *F);
  else if (const auto *W = std::get_if<Welcome>(&*M)) {
    MutexLock Guard(OpenLock);
    Welcomes.emplace(From, *W);
    Opened.notify_all();
  }
}

void RankBackend::on(int From, const Reached &M) {
  if (M.Error) {
    cudaError_t None = cudaSuccess;
    Error.compare_exchange_strong(None, static_cast<cudaError_t>(M.Error));
  }
  MutexLock Guard(RecordingLock);
  const auto It = Waiting.find(M.Recording);
  if (It == Waiting.end() || It->second->Rank != From)
    return;
  It->second->Reached = true;
  It->second->Error = static_cast<cudaError_t>(M.Error);
  It->second->Milliseconds = M.Milliseconds;
  Waiting.erase(It);
  AnyReached.notify_all();
}

void RankBackend::on(int From, const Failure &M) {
  const auto Failed = static_cast<cudaError_t>(M.Error);
  cudaError_t None = cudaSuccess;
  if (Failed)
    Error.compare_exchange_strong(None, Failed);
  fmt::print(stderr, "gridspan: rank {} on {}: {}{}{}\n", From,
             Hosts[static_cast<size_t>(From)],
             Failed ? cudaGetErrorName(Failed) : "",
             Failed && !M.Text.empty() ? ": " : "", M.Text);
}

void RankBackend::on(const Print &M, const Buffer &Keep) {
  Printing->push({}, [Text = M.Text, Keep] {
    (void)std::fwrite(Text.data(), 1, Text.size(), stdout);
  });
}

void RankBackend::on(const Call &M) {
  HostFunction F;
  {
    MutexLock Guard(FunctionLock);
    const auto It = Functions.find(M.Function);
    if (It == Functions.end())
      return;
    F = std::move(It->second);
    Functions.erase(It);
  }
  F.Queue->push({}, [this, M, Fn = std::move(F.Fn)] {
    Fn();
    Mover->answer(M.DoneRank, M.For, cudaSuccess);
  });
}

template <typename T> Reply RankBackend::ask(int Rank, T M) {
  M.To = ++LastNumber;
  send(Rank, M);
  return Tokens.wait(M.To);
}

static cudaError_t errorOf(const Reply &R) {
  return static_cast<cudaError_t>(R.Error);
}

//===--- Memory ---------------------------------------------------------===//

RankBackend::RankPages::~RankPages() {
  if (B)
    B->send(B->remote(Device).Rank, DestroyPages{Number});
}

static uint64_t number(const void *Address) {
  return reinterpret_cast<uint64_t>(Address);
}

cudaError_t RankBackend::reserve(size_t Bytes, void *&Address) {
  static std::atomic<uint64_t> Next{FirstAddress};
  const uint64_t Size =
      (Bytes + System.PageSize - 1) / System.PageSize * System.PageSize;
  cudaError_t Failed = cudaErrorMemoryAllocation;
  for (unsigned Tries = 0; Failed && Tries != 64; ++Tries) {
    uint64_t At = Next.fetch_add(Tries ? Stride : Size);
    if (At + Size > LastAddress) {
      Next = At = FirstAddress;
      Next += Size;
    }
    At = At / System.PageSize * System.PageSize;
    Address = reinterpret_cast<void *>(At);
    Failed = inner().reserveAt(Address, Bytes);
  }
  if (Failed)
    return Failed;
  MutexLock Guard(MemoryLock);
  Reservations[number(Address)] = {
      Bytes, std::vector<bool>(static_cast<size_t>(Way.numRanks()))};
  return cudaSuccess;
}

void RankBackend::release(void *Address, size_t Bytes) {
  {
    MutexLock Guard(MemoryLock);
    const auto It = Reservations.find(number(Address));
    if (It != Reservations.end()) {
      for (int Rank = 1; Rank < Way.numRanks(); ++Rank)
        if (It->second.ToldRank[static_cast<size_t>(Rank)])
          send(Rank, Release{It->first, It->second.Bytes});
      Reservations.erase(It);
    }
  }
  inner().release(Address, Bytes);
}

cudaError_t RankBackend::createPages(Location Where, size_t Bytes,
                                     std::unique_ptr<Pages> &Out) {
  if (!isRemote(Where)) {
    std::unique_ptr<Pages> Own;
    if (cudaError_t Error = inner().createPages(Where, Bytes, Own))
      return Error;
    Out = std::make_unique<RankPages>(std::move(Own));
    return cudaSuccess;
  }
  const Remote &Device = remote(Where);
  const uint64_t Number = ++LastNumber;
  if (cudaError_t Error = errorOf(
          ask(Device.Rank, CreatePages{0, Number, Device.Device, Bytes})))
    return Error;
  Out = std::make_unique<RankPages>(*this, Number, Where, Bytes);
  return cudaSuccess;
}

cudaError_t RankBackend::map(void *Address, Pages &P, size_t Offset,
                             size_t Bytes) {
  auto &Known = static_cast<RankPages &>(P);
  if (Known.Own)
    return inner().map(Address, *Known.Own, Offset, Bytes);
  const int Rank = remote(P.location()).Rank;
  {
    MutexLock Guard(MemoryLock);
    auto It = Reservations.upper_bound(number(Address));
    if (It == Reservations.begin())
      return cudaErrorInvalidValue;
    --It;
    if (!It->second.ToldRank[static_cast<size_t>(Rank)])
      send(Rank, Reserve{It->first, It->second.Bytes});
    It->second.ToldRank[static_cast<size_t>(Rank)] = true;
  }
  if (cudaError_t Error = errorOf(
          ask(Rank, MapPages{0, number(Address), Known.Number, Offset, Bytes})))
    return Error;
  WriterLock Guard(PlaceLock);
  Places.set(number(Address), Bytes, {Rank, 0});
  return cudaSuccess;
}

cudaError_t RankBackend::unmap(void *Address, size_t Bytes) {
  // The pieces may be of several ranks.
  const uint64_t End = number(Address) + Bytes;
  cudaError_t First = cudaSuccess;
  for (uint64_t At = number(Address); At != End;) {
    int Rank = 0;
    uint64_t To = At;
    {
      WriterLock Guard(PlaceLock);
      const auto RankAt = [&](uint64_t Where) REQUIRES(PlaceLock) {
        const Place *P = Places.find(Where);
        return P ? P->Rank : 0;
      };
      Rank = RankAt(At);
      while (To != End && RankAt(To) == Rank)
        To = std::min(End, Places.endOf(To, End));
      Places.erase(At, To - At);
    }
    const cudaError_t Error =
        Rank ? errorOf(ask(Rank, UnmapPages{0, At, To - At}))
             : inner().unmap(reinterpret_cast<void *>(At), To - At);
    First = First ? First : Error;
    At = To;
  }
  return First;
}

RankBackend::Located RankBackend::locate(const void *Address) {
  ReaderLock Guard(PlaceLock);
  const Place *P = Places.find(number(Address));
  return P ? Located{P->Rank, number(Address) + static_cast<uint64_t>(P->Move)}
           : Located{0, number(Address)};
}

void RankBackend::memoryInfo(Location Where, size_t &Free, size_t &Total) {
  if (!isRemote(Where))
    return inner().memoryInfo(Where, Free, Total);
  const Reply R = ask(remote(Where).Rank, MemoryInfo{0, remote(Where).Device});
  MutexLock Guard(MemoryLock);
  const uint64_t Taken = Claimed[Where];
  Free = R.First > Taken ? R.First - Taken : 0;
  Total = R.Second;
}

// Other processes of this machine can only have what is on it.
cudaError_t RankBackend::createShareablePages(int Device, size_t Bytes,
                                              std::unique_ptr<Pages> &Out) {
  if (isRemote(Device))
    return cudaErrorNotSupported;
  std::unique_ptr<Pages> Own;
  if (cudaError_t Error = inner().createShareablePages(Device, Bytes, Own))
    return Error;
  Out = std::make_unique<RankPages>(std::move(Own));
  return cudaSuccess;
}

cudaError_t RankBackend::exportPages(const Pages &P, SharedPages &Out) {
  const auto &Known = static_cast<const RankPages &>(P);
  return Known.Own ? inner().exportPages(*Known.Own, Out)
                   : cudaErrorNotSupported;
}

cudaError_t RankBackend::importPages(const SharedPages &From,
                                     std::unique_ptr<Pages> &Out) {
  std::unique_ptr<Pages> Own;
  if (cudaError_t Error = inner().importPages(From, Own))
    return Error;
  Out = std::make_unique<RankPages>(std::move(Own));
  return cudaSuccess;
}

// Unified memory is rank 0's. Another rank's device as its home is a claim.
cudaError_t RankBackend::preferHome(void *Address, size_t Bytes, Location From,
                                    Location To) {
  if (!isRemote(From) && !isRemote(To))
    return inner().preferHome(Address, Bytes, From, To);
  if (isRemote(To)) {
    size_t Free = 0, Total = 0;
    memoryInfo(To, Free, Total);
    if (Bytes > Free)
      return cudaErrorMemoryAllocation;
  }
  if (cudaError_t Error =
          inner().preferHome(Address, Bytes, isRemote(From) ? Host : From,
                             isRemote(To) ? Host : To))
    return Error;
  MutexLock Guard(MemoryLock);
  if (isRemote(From))
    Claimed[From] -= Bytes;
  if (isRemote(To))
    Claimed[To] += Bytes;
  return cudaSuccess;
}

cudaError_t RankBackend::prefetch(Stream &S, void *Address, size_t Bytes,
                                  Location To) {
  if (isRemote(S.device()) || isRemote(To))
    return cudaSuccess;
  return inner().prefetch(own(S), Address, Bytes, To);
}

cudaError_t RankBackend::advise(void *Address, size_t Bytes,
                                cudaMemoryAdvise Advice, Location Where) {
  return isRemote(Where) ? cudaSuccess
                         : inner().advise(Address, Bytes, Advice, Where);
}

bool RankBackend::isPageable(const void *Address, size_t Bytes) {
  return locate(Address).Rank == 0 && inner().isPageable(Address, Bytes);
}

//===--- Symbols, functions and properties ------------------------------===//

cudaError_t RankBackend::symbol(int Device, const void *Symbol, void *&Address,
                                size_t &Bytes) {
  if (!isRemote(Device))
    return inner().symbol(Device, Symbol, Address, Bytes);
  {
    ReaderLock Guard(PlaceLock);
    const auto It = SymbolsOf.find({Device, Symbol});
    if (It != SymbolsOf.end()) {
      std::tie(Address, Bytes) = It->second;
      return cudaSuccess;
    }
  }
  const Remote &At = remote(Device);
  const Reply R =
      ask(At.Rank, ranks::Symbol{0, At.Device,
                                 number(Symbol) - number(Settings.ImageBase),
                                 placeOf(Symbol)});
  if (R.Error)
    return errorOf(R);
  Bytes = R.Second;
  const uint64_t Page = System.PageSize;
  if (cudaError_t Error = reserve(
          (std::max<size_t>(Bytes, 1) + Page - 1) / Page * Page, Address))
    return Error;
  WriterLock Guard(PlaceLock);
  Places.set(number(Address), std::max<size_t>(Bytes, 1),
             {At.Rank, static_cast<int64_t>(R.First - number(Address))});
  SymbolsOf[{Device, Symbol}] = {Address, Bytes};
  return cudaSuccess;
}

void RankBackend::forget(const GridspanModule *Module) {
  inner().forget(Module);
  {
    MutexLock Guard(KernelLock);
    // Null: what has no descriptor has no number.
    std::erase_if(KernelNumbers, [&](const auto &Entry) {
      const GridspanKernel *K = Entry.first.second;
      return Module && K >= Module->Kernels &&
             K < Module->Kernels + Module->NumKernels;
    });
  }
  if (!Module)
    return;
  // The addresses of its variables may be another module's soon.
  WriterLock Guard(PlaceLock);
  SymbolsOf.clear();
}

cudaError_t RankBackend::setFunctionAttribute(const LaunchTarget &Target,
                                              cudaFuncAttribute Attribute,
                                              int Value) {
  if (cudaError_t Error =
          inner().setFunctionAttribute(Target, Attribute, Value))
    return Error;
  for (int Rank = 1; Target.Kernel && Rank < Way.numRanks(); ++Rank) {
    const Expected<uint32_t> Number = kernelNumber(Rank, Target.Kernel);
    if (!Number)
      return Number.error();
    send(Rank, SetFunctionAttribute{*Number, Attribute, Value});
  }
  return cudaSuccess;
}

/// Returns the number by which Rank knows the kernel.
Expected<uint32_t> RankBackend::kernelNumber(int Rank,
                                             const GridspanKernel *K) {
  MutexLock Guard(KernelLock);
  const auto It = KernelNumbers.find({Rank, K});
  if (It != KernelNumbers.end())
    return It->second;
  const std::optional<KernelName> Name = nameOf(K);
  if (!Name)
    return cudaErrorInvalidDeviceFunction;
  const auto Number = static_cast<uint32_t>(++LastNumber);
  const Reply R = ask(
      Rank, DefineKernel{0, Number, Name->Module, Name->Checksum, Name->Index,
                         static_cast<uint32_t>(Name->Variant), Name->Library});
  if (R.Error) {
    fmt::print(stderr,
               "gridspan: rank {} on {} has not got the kernel {}{}{}\n", Rank,
               Hosts[static_cast<size_t>(Rank)], K->Name,
               Name->Library.File.empty() ? "" : " of ", Name->Library.File);
    return errorOf(R);
  }
  KernelNumbers.emplace(std::pair(Rank, K), Number);
  return Number;
}

cudaError_t RankBackend::properties(int Device, cudaDeviceProp &Out) {
  if (!isRemote(Device))
    return inner().properties(Device, Out);
  const std::string &P = remote(Device).Properties;
  if (P.size() != sizeof(Out))
    return cudaErrorUnknown;
  std::memcpy(&Out, P.data(), sizeof(Out));
  return cudaSuccess;
}

cudaError_t RankBackend::attribute(int Device, cudaDeviceAttr Attribute,
                                   int &Out) {
  if (!isRemote(Device))
    return inner().attribute(Device, Attribute, Out);
  const Reply R = ask(remote(Device).Rank,
                      DeviceAttribute{0, remote(Device).Device, Attribute});
  if (!R.Error)
    Out = static_cast<int>(R.First);
  return errorOf(R);
}

// Textures are of the devices of rank 0; launches that read them run there.
cudaError_t RankBackend::createArray(int Device, cudaTextureObject_t Texture,
                                     std::unique_ptr<ArrayCopy> &Out) {
  return isRemote(Device) ? cudaErrorNotSupported
                          : inner().createArray(Device, Texture, Out);
}
cudaError_t RankBackend::copyArray(Stream &S, ArrayCopy &To,
                                   cudaTextureObject_t From) {
  return isRemote(S.device()) ? cudaErrorNotSupported
                              : inner().copyArray(own(S), To, From);
}
cudaError_t RankBackend::createTexture(int Device, cudaTextureObject_t Texture,
                                       ArrayCopy *Array,
                                       std::unique_ptr<TextureCopy> &Out) {
  return isRemote(Device) ? cudaErrorNotSupported
                          : inner().createTexture(Device, Texture, Array, Out);
}

} // namespace gridspan::ranks
