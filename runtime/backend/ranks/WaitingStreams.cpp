//===- WaitingStreams.cpp - Streams that wait for other processes ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That nothing waits for words is seen with Taking held alone, and taking a
// word and having the stream wait for it is one step to others. A count of
// commands is enough for queues, however many there are: none has more than
// all.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/WaitingStreams.h"
#include "runtime/backend/ranks/DataMover.h"
#include <chrono>
#include <cstring>

namespace gridspan::ranks {

using Clock = std::chrono::steady_clock;

/// Queues of CUDA's driver have room for about a thousand commands.
static constexpr size_t MostBehindWords = 256;
/// What one copy between devices without peer access may be, by its bytes.
static constexpr size_t BytesForCommands = size_t(4) << 20;
static constexpr size_t CommandsForBytes = 6;
/// A question about a kernel loads it for one device.
static constexpr int AnyDevice = -1;
static constexpr auto LongestBeside = std::chrono::seconds(1);
/// How often a device is asked if it has failed.
static constexpr auto AskEvery = std::chrono::milliseconds(100);

WaitingStreams::WaitingStreams(std::unique_ptr<Backend> Driver)
    : ForwardingBackend(std::move(Driver)),
      Waits({[this](void *&Out) {
               constexpr size_t Bytes = WaitingFunctions::WordMemory::Bytes;
               if (cudaError_t Error = inner().hostAlloc(Bytes, 0, Out))
                 return Error;
               std::memset(Out, 0, Bytes);
               return cudaSuccess;
             },
             [this](void *Words) { (void)inner().hostFree(Words); }}),
      Idle(inner().system().numDevices()) {}

void WaitingStreams::finish() {
  if (!Waits.areAnyTaken())
    return;
  for (unsigned D = 0; D != inner().system().numDevices(); ++D)
    (void)inner().synchronizeDevice(static_cast<int>(D));
}

//===--- Waiting --------------------------------------------------------===//

/// Returns true if a device has failed: then all of its calls do.
bool WaitingStreams::hasFailed() {
  for (size_t D = 0; D != Idle.size(); ++D) {
    if (!Idle[D] && inner().createStream(static_cast<int>(D),
                                         StreamKind::NonBlocking, 0, Idle[D]))
      return true;
    const cudaError_t State = inner().query(*Idle[D]);
    if (State != cudaSuccess && State != cudaErrorNotReady)
      return true;
  }
  return false;
}

/// Waits until streams wait for no words, with the exceptions at the top of the
/// header. Precondition: Taking is held alone.
void WaitingStreams::awaitWords() {
  const Clock::time_point Latest = Clock::now() + LongestBeside;
  while (Waits.areAnyTaken()) {
    Waits.waitUntilNone(Clock::now() + AskEvery);
    if ((NumOfProgram && Clock::now() >= Latest) ||
        (Waits.areAnyTaken() && hasFailed()))
      return;
  }
}

/// Waits if a queue of the driver might be full of commands behind words.
void WaitingStreams::awaitRoom(size_t Commands) {
  if (!Waits.areAnyTaken()) {
    NumBehindWords = 0;
  } else if ((NumBehindWords += Commands) > MostBehindWords) {
    WriterLock Guard(Taking);
    awaitWords();
    NumBehindWords = 0;
  }
}

/// Makes a call of the driver that may wait for all of a device.
template <typename Fn> auto WaitingStreams::alone(Fn Do) {
  WriterLock Guard(Taking);
  awaitWords();
  return Do();
}

WaitingStreams::Code
WaitingStreams::codeOf(int Device, const LaunchTarget &Target, bool IsTiled) {
  return {Device, Target.Function, Target.Kernel,
          unsigned(Target.NoAlias) << 1 | unsigned(IsTiled)};
}

bool WaitingStreams::isLoaded(const Code &Of) {
  MutexLock Guard(LoadedLock);
  return Loaded.count(Of) != 0;
}

/// Makes a call that loads something if that has not been loaded yet. It is
/// known to be when the call has returned.
template <typename Fn> auto WaitingStreams::loading(const Code &Of, Fn Do) {
  if (isLoaded(Of)) {
    awaitRoom();
    return Do();
  }
  return alone([&] {
    const cudaError_t Error = Do();
    MutexLock Guard(LoadedLock);
    Loaded.insert(Of);
    return Error;
  });
}

/// Makes a copy. One of pageable memory waits for what the stream waits for, as
/// it does in the driver.
template <typename Fn>
auto WaitingStreams::copying(Stream &S, bool IsPageable, Fn Do) {
  if (!IsPageable || inner().isCapturing(S))
    return Do();
  for (;;) {
    if (cudaError_t Error = inner().synchronize(S))
      return Error;
    WriterLock Guard(Taking);
    if (inner().query(S) != cudaErrorNotReady)
      return Do();
  }
}

//===--- Functions ------------------------------------------------------===//

cudaError_t WaitingStreams::runInStream(Stream &S, std::function<void()> Fn) {
  if (inner().isCapturing(S))
    return inner().hostFunction(S, std::move(Fn));
  awaitRoom();
  ReaderLock Guard(Taking);
  WaitingFunctions::Place At;
  if (cudaError_t Error = Waits.take(At))
    return Error;
  if (cudaError_t Error = inner().hostFunction(
          S, [this, At, Fn = std::move(Fn)] { Waits.start(At, Fn); })) {
    Waits.giveBack(At);
    return Error;
  }
  return inner().waitForWord(S, At.Word, At.Value);
}

std::function<void()> WaitingStreams::ofProgram(std::function<void()> Fn) {
  ++NumOfProgram;
  // A graph runs it again and again.
  return [this, Fn = std::move(Fn),
          IsCounted = std::make_shared<std::atomic<bool>>(true)] {
    Fn();
    if (IsCounted->exchange(false))
      --NumOfProgram;
  };
}

cudaError_t WaitingStreams::hostFunction(Stream &S, std::function<void()> Fn) {
  awaitRoom();
  return inner().hostFunction(S, ofProgram(std::move(Fn)));
}

//===--- Commands -------------------------------------------------------===//

cudaError_t WaitingStreams::record(Event &E, Stream &S) {
  awaitRoom();
  return inner().record(E, S);
}

cudaError_t WaitingStreams::wait(Stream &S, Event &E) {
  awaitRoom();
  return inner().wait(S, E);
}

static size_t commandsOf(const SystemInfo &System, size_t Bytes) {
  return System.allReachAll() ? 1
                              : 1 + Bytes / BytesForCommands * CommandsForBytes;
}

cudaError_t WaitingStreams::copy(Stream &S, void *Dst, const void *Src,
                                 size_t Bytes) {
  awaitRoom(commandsOf(system(), Bytes));
  return copying(S,
                 Bytes && (inner().isPageable(Dst, Bytes) ||
                           inner().isPageable(Src, Bytes)),
                 [&] { return inner().copy(S, Dst, Src, Bytes); });
}

cudaError_t WaitingStreams::copy2D(Stream &S, void *Dst, size_t DstPitch,
                                   const void *Src, size_t SrcPitch,
                                   size_t Width, size_t Height) {
  awaitRoom(commandsOf(system(), Width * Height));
  const auto IsPageable = [&](const void *At, size_t Pitch) {
    return inner().isPageable(At, spanOf(Pitch, Width, Height));
  };
  return copying(S,
                 Width && Height &&
                     (IsPageable(Dst, DstPitch) || IsPageable(Src, SrcPitch)),
                 [&] {
                   return inner().copy2D(S, Dst, DstPitch, Src, SrcPitch, Width,
                                         Height);
                 });
}

cudaError_t WaitingStreams::fill(Stream &S, void *Dst, int Byte, size_t Bytes) {
  awaitRoom();
  return inner().fill(S, Dst, Byte, Bytes);
}

cudaError_t WaitingStreams::indexBounds(Stream &S, const void *From,
                                        uint64_t Count, unsigned ElementBytes,
                                        uint64_t PerLeaf, IndexBounds *Out) {
  return loading({S.device(), "indexBounds", nullptr, 0}, [&] {
    return inner().indexBounds(S, From, Count, ElementBytes, PerLeaf, Out);
  });
}

cudaError_t WaitingStreams::fillIdentity(Stream &S, GridspanReduction Kind,
                                         void *Dst, uint64_t Count) {
  return loading({S.device(), "reductions", nullptr, 0},
                 [&] { return inner().fillIdentity(S, Kind, Dst, Count); });
}

cudaError_t WaitingStreams::combine(Stream &S, GridspanReduction Kind,
                                    void *Into,
                                    std::span<const void *const> From,
                                    uint64_t Count) {
  return loading({S.device(), "reductions", nullptr, 0},
                 [&] { return inner().combine(S, Kind, Into, From, Count); });
}

cudaError_t WaitingStreams::convertRecords(Stream &S, const RecordForm &Form,
                                           FormDirection Direction,
                                           void *Records, void *Fields,
                                           uint64_t Bytes) {
  return loading({S.device(), "records", nullptr, 0}, [&] {
    return inner().convertRecords(S, Form, Direction, Records, Fields, Bytes);
  });
}

cudaError_t WaitingStreams::launch(Stream &S, const LaunchTarget &Target,
                                   const LaunchShape &Shape, void *const *Args,
                                   const GridspanTile *Tile) {
  const unsigned Version = unsigned(Target.NoAlias) << 1 | (Tile != nullptr);
  return loading({S.device(), Target.Function, Target.Kernel, Version},
                 [&] { return inner().launch(S, Target, Shape, Args, Tile); });
}

cudaError_t WaitingStreams::copyArray(Stream &S, ArrayCopy &To,
                                      cudaTextureObject_t From) {
  awaitRoom();
  return inner().copyArray(S, To, From);
}

//===--- Calls that may wait for a device -------------------------------===//

cudaError_t WaitingStreams::hostFree(void *Address) {
  return alone([&] { return inner().hostFree(Address); });
}

cudaError_t WaitingStreams::hostRegister(void *Address, size_t Bytes,
                                         unsigned Flags) {
  return alone([&] { return inner().hostRegister(Address, Bytes, Flags); });
}

cudaError_t WaitingStreams::hostUnregister(void *Address) {
  return alone([&] { return inner().hostUnregister(Address); });
}

cudaError_t WaitingStreams::symbol(int Device, const void *Symbol,
                                   void *&Address, size_t &Bytes) {
  return loading({Device, Symbol, nullptr, 0}, [&] {
    return inner().symbol(Device, Symbol, Address, Bytes);
  });
}

void WaitingStreams::forget(const GridspanModule *Module) {
  alone([&] { inner().forget(Module); });
  // Others may have the addresses.
  MutexLock Guard(LoadedLock);
  Loaded.clear();
}

cudaError_t WaitingStreams::functionAttributes(const LaunchTarget &Target,
                                               cudaFuncAttributes &Out) {
  return loading(codeOf(AnyDevice, Target, Target.Tiled),
                 [&] { return inner().functionAttributes(Target, Out); });
}

cudaError_t WaitingStreams::setFunctionAttribute(const LaunchTarget &Target,
                                                 cudaFuncAttribute Attribute,
                                                 int Value) {
  return alone(
      [&] { return inner().setFunctionAttribute(Target, Attribute, Value); });
}

cudaError_t WaitingStreams::occupancy(const LaunchTarget &Target,
                                      int BlockThreads,
                                      size_t DynamicSharedBytes, unsigned Flags,
                                      int &BlocksPerMultiprocessor) {
  return loading(codeOf(AnyDevice, Target, Target.Tiled), [&] {
    return inner().occupancy(Target, BlockThreads, DynamicSharedBytes, Flags,
                             BlocksPerMultiprocessor);
  });
}

} // namespace gridspan::ranks
