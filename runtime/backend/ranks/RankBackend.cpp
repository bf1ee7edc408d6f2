//===- RankBackend.cpp - The devices of all ranks -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The beginning, the messages that come in, and functions.
// RankBackendMemory.cpp has memory, RankBackendStreams.cpp streams and events,
// RankBackendWork.cpp the work in them.
//
// Variables of other ranks, whose addresses are whatever they are, get
// addresses of rank 0 that stand for them.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/RankBackend.h"
#include "runtime/backend/ranks/RankObjects.h"
#include <chrono>
#include <cstring>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <utility>

namespace gridspan::ranks {

//===--- The beginning --------------------------------------------------===//

RankBackend::RankBackend(Transport &Way, std::unique_ptr<Backend> Own,
                         WaitingStreams *OwnStreams, Options Settings)
    : ForwardingBackend(std::move(Own)), Way(Way),
      Settings(std::move(Settings)), NumOwn(inner().system().numDevices()),
      System(inner().system()), Hosts(static_cast<size_t>(Way.numRanks())),
      OwnStreams(OwnStreams), Staged(Way.numRanks(), DataMover::MostWaiting),
      Mover(std::make_unique<DataMover>(
          Way, Tokens, OwnStreams ? OwnStreams->driver() : inner(),
          [](uint64_t, uint64_t) { return true; })) {
  System.StreamsWaitForWords = false;
  Mover->pinMemory(OwnStreams ? OwnStreams->driver() : inner());
}

RankBackend::~RankBackend() {
  for (int Rank = 1; Rank < Way.numRanks(); ++Rank)
    send(Rank, Quit());
  Tokens.fail();
  {
    MutexLock Guard(HelperLock);
    ForOthers = nullptr;
  }
  {
    MutexLock Guard(RecordingLock);
    HasEnded = true;
  }
  AnyReached.notifyAll();
  // Functions that are enqueued use this object.
  if (OwnStreams)
    OwnStreams->finish();
  Way.stop();
  Printing->stop();
  Mover.reset();
}

std::unique_ptr<Backend> RankBackend::create(Transport &Way,
                                             std::unique_ptr<Backend> Own,
                                             Options Settings,
                                             std::string &Message) {
  Own->waitUntilReady();
  WaitingStreams *OwnStreams = nullptr;
  if (Own->system().StreamsWaitForWords) {
    auto All = std::make_unique<WaitingStreams>(std::move(Own));
    OwnStreams = All.get();
    Own = std::move(All);
    Way.allowSpinning();
  }
  std::unique_ptr<RankBackend> Out(
      new RankBackend(Way, std::move(Own), OwnStreams, std::move(Settings)));
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
  System.AllReachHost = NumOwn == N;
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
  AnyReached.notifyAll();
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
  // Its variables begin anew when it is loaded again.
  if (const FilePlace Library = placeOf(Module); !Library.File.empty())
    for (int Rank = 1; Rank < Way.numRanks(); ++Rank)
      send(Rank, ForgetLibrary{Library});
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
