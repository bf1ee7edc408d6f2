//===- RankServer.cpp - The devices of a rank, for rank 0 -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The beginning, functions, streams and events. RankServerMemory.cpp has
// memory, and RankServerWork.cpp the work in streams.
//
// When a recording is reached, rank 0 and whoever else asked are told: by the
// thread of a CPU device's stream, which comes there, or by one that waits for
// the stream, as host functions on a GPU must not ask for events. What kernels
// have printed by then goes before that. Times of events are differences to the
// last timed event of the device, as CUDA's are exact for short times only.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/RankServer.h"
#include "gridspan/CpuCodes.h"
#include "runtime/backend/Registry.h"
#include "runtime/backend/ranks/KernelNames.h"
#include "runtime/backend/ranks/OutputPipe.h"
#include "runtime/backend/ranks/ServerStream.h"
#include <cstring>
#include <cuda_runtime_api.h>

namespace gridspan::ranks {

RankServer::RankServer(Transport &Way, MakeDevices Make, Options Settings)
    : Way(Way), Make(std::move(Make)), Settings(std::move(Settings)) {}

RankServer::~RankServer() {
  Tokens.fail();
  Handling->stop();
  Reaper->stop();
  Streams.clear();
}

/// Returns true if a message of that kind is handled soon whatever the devices
/// do.
static bool isQuick(const Message &M, bool CommandsAreQuick) {
  switch (static_cast<MessageKind>(M.index())) {
  case MessageKind::Pull:
  case MessageKind::Data:
  case MessageKind::FillAt:
  case MessageKind::Credit:
  case MessageKind::Hold:
  case MessageKind::Step:
  case MessageKind::Tell:
  case MessageKind::Write:
  case MessageKind::DestroyStream:
  case MessageKind::Quit:
    return true; // what may take long is done by other threads
  case MessageKind::Launch:
  case MessageKind::Copy:
  case MessageKind::Fill:
  case MessageKind::FillIdentity:
  case MessageKind::Combine:
  case MessageKind::Record:
  case MessageKind::WaitRecorded:
    return CommandsAreQuick;
  default:
    return false;
  }
}

/// Returns true if a command is put into a queue without a bound, and no code
/// is compiled for it.
bool RankServer::takesCommandsAtOnce() const {
  return B && std::strcmp(B->name(), "cpu") == 0;
}

void RankServer::handle(int From, const Buffer &Bytes) {
  std::optional<Message> M = decode(*Bytes);
  if (!M)
    return fail(cudaErrorInvalidValue, "a message that means nothing");
  // In no order with others.
  if (const auto *D = std::get_if<Done>(&*M))
    return on(From, *D, Bytes);
  if (const auto *P = std::get_if<Ping>(&*M))
    return on(From, *P, Bytes);
  // Only when the queue is empty may this thread look at anything.
  const bool Here =
      Handling->last().reached() && isQuick(*M, takesCommandsAtOnce());
  auto Handle = [this, From, M = std::move(*M), Bytes] {
    std::visit([&](const auto &Known) { on(From, Known, Bytes); }, M);
  };
  if (Here)
    Handle();
  else
    Handling->push({}, std::move(Handle));
}

void RankServer::waitUntilQuit() {
  MutexLock Guard(QuitLock);
  while (!HasQuit)
    Guard.wait(Quitting);
}

bool RankServer::hasQuit() {
  MutexLock Guard(QuitLock);
  return HasQuit;
}

void RankServer::fail(cudaError_t Error, const std::string &Text) {
  send(0, Failure{Error, Text});
}

bool RankServer::isDevice(int32_t Device) const {
  return B && Device >= 0 &&
         static_cast<unsigned>(Device) < B->system().numDevices();
}

bool RankServer::mayTouch(uint64_t Address, uint64_t Bytes) {
  MutexLock Guard(MemoryLock);
  return Touchable.covers(Address, Bytes);
}

//===--- Beginning and end ----------------------------------------------===//

/// Returns why there are no devices; empty if there are.
std::string RankServer::open(const Hello &M) {
  if (M.Version != ProtocolVersion || M.Program != Settings.Program)
    return "it runs another executable, or another version of it";
  if (M.CpuVectors > static_cast<uint32_t>(VectorLevel::Avx512))
    return "it has been asked for vectors that it does not know";
  if (B)
    return "it has been asked for devices before";
  std::string Message;
  B = Make(M, Message);
  if (!B)
    return Message.empty() ? "no devices" : Message;
  if (!takesCommandsAtOnce())
    Way.allowSpinning();
  Mover = std::make_unique<DataMover>(Way, Tokens, *B,
                                      [this](uint64_t Address, uint64_t Bytes) {
                                        return mayTouch(Address, Bytes);
                                      });
  return "";
}

void RankServer::on(int From, const Hello &M, const Buffer &) {
  Welcome Out;
  Out.Host = Settings.Host;
  Out.Refusal = open(M);
  if (Out.Refusal.empty()) {
    B->waitUntilReady();
    Mover->pinMemory(*B);
    Out.Backend = B->name();
    Out.PageSize = B->system().PageSize;
    for (const DeviceInfo &D : B->system().Devices) {
      cudaDeviceProp Properties = {};
      (void)B->properties(static_cast<int>(Out.Devices.size()), Properties);
      Out.Devices.push_back(
          {D.Name, D.MemoryBytes, D.MemoryBandwidth, D.InstructionRate,
           D.HostToDevice, D.DeviceToHost, D.BlockSeconds, D.Multiprocessors,
           D.ThreadsPerMultiprocessor, D.BlocksPerMultiprocessor,
           std::string(reinterpret_cast<const char *>(&Properties),
                       sizeof(Properties))});
    }
  }
  send(From, Out);
}

void RankServer::on(int From, const Quit &, const Buffer &) {
  if (From != 0)
    return;
  MutexLock Guard(QuitLock);
  HasQuit = true;
  Quitting.notify_all();
}

void RankServer::on(int From, const Ping &, const Buffer &) {
  send(From, Pong());
}

void RankServer::on(int, const Done &M, const Buffer &) {
  Tokens.arrive(M.To, M.Error);
}

// What only rank 0 is told.
void RankServer::on(int, const Welcome &, const Buffer &) {}
void RankServer::on(int, const Pong &, const Buffer &) {}
void RankServer::on(int, const Reply &, const Buffer &) {}
void RankServer::on(int, const Failure &, const Buffer &) {}
void RankServer::on(int, const Print &, const Buffer &) {}
void RankServer::on(int, const Reached &, const Buffer &) {}
void RankServer::on(int, const Call &, const Buffer &) {}

//===--- Symbols and functions ------------------------------------------===//

/// Loads a library. What its constructors print is not the program's output:
/// rank 0 has loaded it as well.
void RankServer::aroundLoading(const std::function<void()> &Load) {
  if (Settings.Output)
    Settings.Output->mute(Load);
  else
    Load();
}

void RankServer::on(int, const Symbol &M, const Buffer &) {
  void *Address = nullptr;
  size_t Bytes = 0;
  if (!isDevice(M.Device))
    return reply(M.To, cudaErrorInvalidDevice);
  // A number until the devices have found it: what rank 0 says may be wrong.
  uint64_t Shadow = reinterpret_cast<uint64_t>(Settings.ImageBase) + M.Offset;
  if (!M.Library.File.empty()) {
    std::string Message;
    Shadow = reinterpret_cast<uint64_t>(addressOf(
        M.Library, [this](const auto &Load) { aroundLoading(Load); }, Message));
    if (!Message.empty())
      fail(cudaSuccess, Message); // the reply is the error
  }
  const cudaError_t Error = B->symbol(
      M.Device, reinterpret_cast<const void *>(Shadow), Address, Bytes);
  if (!Error) {
    MutexLock Guard(MemoryLock);
    Touchable.set(reinterpret_cast<uint64_t>(Address), Bytes, 0);
  }
  if (!Error && !M.Library.File.empty())
    Variables[M.Library.File].emplace_back(reinterpret_cast<uint64_t>(Address),
                                           Bytes);
  reply(M.To, Error, reinterpret_cast<uint64_t>(Address), Bytes);
}

/// Rank 0 has waited for all that uses it.
void RankServer::on(int, const ForgetLibrary &M, const Buffer &) {
  const LoadedAddresses At = addressesOf(M.Library.File);
  if (!B || At.Base == At.End)
    return;
  {
    MutexLock Guard(MemoryLock);
    for (const auto &[Address, Bytes] : Variables[M.Library.File])
      Touchable.erase(Address, Bytes);
  }
  Variables.erase(M.Library.File);
  std::erase_if(Kernels,
                [&](const auto &Entry) { return At.contains(Entry.second); });
  for (unsigned I = 0; const GridspanModule *Module = Registry::get().module(I);
       ++I)
    if (At.contains(Module))
      B->forget(Module);
  unload(M.Library.File);
}

void RankServer::on(int, const DefineKernel &M, const Buffer &) {
  std::string Message;
  const GridspanKernel *K = findKernel(
      {M.Module, M.Checksum, M.Index, static_cast<KernelVariant>(M.Variant),
       M.Library},
      [this](const auto &Load) { aroundLoading(Load); }, Message);
  if (K)
    Kernels[M.Number] = K;
  else if (!Message.empty())
    fail(cudaSuccess, Message); // the reply is the error
  reply(M.To, K ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

void RankServer::on(int, const SetFunctionAttribute &M, const Buffer &) {
  const auto It = Kernels.find(M.Kernel);
  if (!B || It == Kernels.end())
    return fail(cudaErrorInvalidDeviceFunction);
  const LaunchTarget Target = {It->second, It->second->HostStub};
  if (cudaError_t Error = B->setFunctionAttribute(
          Target, static_cast<cudaFuncAttribute>(M.Attribute), M.Value))
    fail(Error);
}

void RankServer::on(int, const DeviceAttribute &M, const Buffer &) {
  int Value = 0;
  if (!isDevice(M.Device))
    return reply(M.To, cudaErrorInvalidDevice);
  const cudaError_t Error =
      B->attribute(M.Device, static_cast<cudaDeviceAttr>(M.Attribute), Value);
  reply(M.To, Error, static_cast<uint64_t>(Value));
}

//===--- Streams and events ---------------------------------------------===//

RankServer::ServerStream *RankServer::stream(uint64_t Number) {
  const auto It = Streams.find(Number);
  return It == Streams.end() ? nullptr : It->second.get();
}

void RankServer::on(int, const CreateStream &M, const Buffer &) {
  if (!isDevice(M.Device) || Streams.contains(M.Stream))
    return fail(cudaErrorInvalidValue);
  auto New = std::make_shared<ServerStream>();
  if (cudaError_t Error = B->createStream(M.Device, StreamKind::NonBlocking,
                                          M.Priority, New->Native))
    return fail(Error);
  Streams.emplace(M.Stream, std::move(New));
}

void RankServer::on(int, const DestroyStream &M, const Buffer &) {
  const auto It = Streams.find(M.Stream);
  if (It == Streams.end())
    return;
  Reaper->push({}, [S = std::move(It->second)]() mutable { S.reset(); });
  Streams.erase(It);
}

void RankServer::on(int, const Record &M, const Buffer &) {
  ServerStream *S = stream(M.Stream);
  if (!S) {
    fail(cudaErrorInvalidResourceHandle);
    // Rank 0 waits for it all the same.
    return send(0, Reached{M.Recording, cudaErrorInvalidResourceHandle, 0});
  }
  auto R = std::make_shared<Recording>();
  R->Number = M.Recording;
  R->Device = S->Native->device();
  R->Timed = M.Timed;
  {
    MutexLock Guard(RecordingLock);
    Recordings[M.Recording] = R;
  }
  R->Issued =
      S->run([this, R, Native = S->Native.get()] { issue(R, *Native); });
  if (!takesCommandsAtOnce())
    S->Watch->push({R->Issued}, [this, R] {
      if (R->At)
        R->Error = B->synchronize(*R->At);
      tell(*R);
    });
}

/// Tells of a recording when it goes: when the stream comes to it, and also
/// when the stream has failed and leaves it out.
struct RankServer::Notice {
  RankServer &Server;
  const std::shared_ptr<Recording> Of;

  ~Notice() {
    Of->Error = Server.B->query(*Of->At);
    Server.tell(*Of);
  }
};

void RankServer::issue(const std::shared_ptr<Recording> &R, Stream &Native) {
  std::unique_ptr<Event> New;
  R->Error =
      B->createEvent(Native.device(),
                     R->Timed ? cudaEventDefault : cudaEventDisableTiming, New);
  if (!R->Error)
    R->Error = B->record(*New, Native);
  if (!R->Error)
    R->At = std::move(New);
  if (!takesCommandsAtOnce())
    return; // watched
  if (!R->At)
    return tell(*R);
  auto N = std::make_shared<Notice>(*this, R);
  (void)B->hostFunction(Native, [N = std::move(N)] {});
}

/// Returns the time of a timed recording that is reached.
double RankServer::millisecondsOf(Recording &R) {
  MutexLock Guard(TimeLock);
  Epoch &E = Epochs[R.Device];
  float Since = 0;
  if (E.Last && B->elapsed(*E.Last, *R.At, Since))
    Since = 0;
  // Those of other streams may come back in another order.
  if (E.Last && Since < 0)
    return E.Milliseconds + static_cast<double>(Since);
  E.Milliseconds += static_cast<double>(Since);
  E.Last = R.At;
  return E.Milliseconds;
}

/// Tells who wants to know that the recording is reached.
void RankServer::tell(Recording &R) {
  if (R.At && Settings.Output)
    Settings.Output->flush();
  const double Time =
      R.At && R.Timed && !R.Error ? millisecondsOf(R) : double(0);
  std::vector<Tell> Others;
  {
    MutexLock Guard(RecordingLock);
    Others = std::move(R.Others);
    Recordings.erase(R.Number);
  }
  send(0, Reached{R.Number, R.Error, Time});
  for (const Tell &T : Others)
    Mover->answer(T.Rank, T.To, R.Error);
}

void RankServer::on(int, const WaitRecorded &M, const Buffer &) {
  ServerStream *S = stream(M.Stream);
  if (!S)
    return fail(cudaErrorInvalidResourceHandle);
  std::shared_ptr<Recording> R;
  {
    MutexLock Guard(RecordingLock);
    const auto It = Recordings.find(M.Recording);
    if (It == Recordings.end())
      return; // reached
    R = It->second;
  }
  auto Wait = [this, R, Native = S->Native.get()] {
    R->Issued.wait();
    if (R->At)
      if (cudaError_t Error = B->wait(*Native, *R->At))
        fail(Error);
  };
  if (R->Issued.reached())
    S->run(std::move(Wait));
  else
    S->Queue->push({}, std::move(Wait));
}

void RankServer::on(int, const Tell &M, const Buffer &) {
  if (!Mover || M.Rank < 0 || M.Rank >= Way.numRanks())
    return fail(cudaErrorInvalidValue);
  {
    MutexLock Guard(RecordingLock);
    const auto It = Recordings.find(M.Recording);
    if (It != Recordings.end()) {
      It->second->Others.push_back(M);
      return;
    }
  }
  Mover->answer(M.Rank, M.To, cudaSuccess);
}

void RankServer::on(int, const Hold &M, const Buffer &) {
  ServerStream *S = stream(M.Stream);
  if (!S)
    return fail(cudaErrorInvalidResourceHandle);
  S->Queue->push({}, [this, M] { Tokens.wait(M.For); });
}

} // namespace gridspan::ranks
