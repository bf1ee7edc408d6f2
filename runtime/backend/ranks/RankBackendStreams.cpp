//===- RankBackendStreams.cpp - Streams and events of all ranks -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recording of an event of another rank is a message, and the rank answers
// when it is reached. So asking for it later costs nothing, and a wait for one
// that is reached is none. Waits between streams of different ranks are tokens:
// the rank that has the event answers to the rank that has the stream. An event
// of rank 0's own devices is watched for that by a helper of the stream that
// has recorded it. One of them does, as a stream's recordings are reached in
// their order; a helper for several streams would have waits depend on each
// other.
//
// Whether a stream of another rank is done is asked by a recording behind its
// last command.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/RankBackend.h"
#include "runtime/backend/ranks/RankObjects.h"

namespace gridspan::ranks {

RankBackend::RankStream &RankBackend::ranks(Stream &S) {
  return static_cast<RankStream &>(S);
}
RankBackend::RankEvent &RankBackend::ranks(Event &E) {
  return static_cast<RankEvent &>(E);
}
Stream &RankBackend::own(Stream &S) { return *ranks(S).Own; }

/// Sets Out to a handle of what Make(own) makes.
template <typename Handle, typename Object, typename Function>
static cudaError_t wrap(std::unique_ptr<Object> &Out, Function Make) {
  std::unique_ptr<Object> Own;
  if (cudaError_t Error = Make(Own))
    return Error;
  Out = std::make_unique<Handle>(std::move(Own));
  return cudaSuccess;
}

//===--- Streams --------------------------------------------------------===//

cudaError_t RankBackend::createStream(int Device, StreamKind Kind, int Priority,
                                      std::unique_ptr<Stream> &Out) {
  if (!isRemote(Device))
    return wrap<RankStream>(Out, [&](std::unique_ptr<Stream> &Own) {
      return inner().createStream(Device, Kind, Priority, Own);
    });
  // The program's streams are device 0's; the runtime's are of this kind.
  if (Kind != StreamKind::NonBlocking)
    return cudaErrorNotSupported;
  const Remote &At = remote(Device);
  auto New = std::make_unique<RankStream>(*this, ++LastNumber, Device);
  send(At.Rank, CreateStream{New->Number, At.Device, Priority});
  MutexLock Guard(StreamLock);
  RemoteStreams.push_back(New.get());
  Out = std::move(New);
  return cudaSuccess;
}

RankBackend::RankStream::~RankStream() {
  if (!B)
    return;
  (void)B->awaitAll(*this);
  {
    MutexLock Guard(B->StreamLock);
    std::erase(B->RemoteStreams, this);
  }
  B->send(B->remote(Device).Rank, DestroyStream{Number});
  if (Functions)
    Functions->stop();
}

cudaError_t RankBackend::adoptStream(cudaStream_t Native,
                                     std::unique_ptr<Stream> &Out) {
  return wrap<RankStream>(Out, [&](std::unique_ptr<Stream> &Own) {
    return inner().adoptStream(Native, Own);
  });
}

bool RankBackend::isCapturing(Stream &S) {
  return !isRemote(S.device()) && inner().isCapturing(own(S));
}

std::shared_ptr<RankBackend::Recording> RankBackend::record(RankStream &S,
                                                            bool Timed) {
  auto R = std::make_shared<Recording>();
  R->Number = ++LastNumber;
  R->Rank = rankOf(S);
  R->Device = S.device();
  R->Timed = Timed;
  {
    MutexLock Guard(RecordingLock);
    Waiting.emplace(R->Number, R);
  }
  MutexLock Guard(S.Lock);
  send(R->Rank, Record{S.Number, R->Number, Timed});
  S.Mark = R;
  S.Marked = S.Commands;
  return R;
}

std::shared_ptr<RankBackend::Recording> RankBackend::mark(RankStream &S) {
  {
    MutexLock Guard(S.Lock);
    if (S.Commands == 0)
      return nullptr;
    if (S.Mark && S.Marked == S.Commands)
      return S.Mark;
  }
  return record(S, false);
}

bool RankBackend::isReached(Recording &R) {
  MutexLock Guard(RecordingLock);
  return R.Reached;
}

cudaError_t RankBackend::await(Recording &R) {
  MutexLock Guard(RecordingLock);
  AnyReached.wait(
      Guard, [&]() REQUIRES(RecordingLock) { return R.Reached || HasEnded; });
  return R.Reached ? R.Error : cudaErrorUnknown;
}

cudaError_t RankBackend::awaitAll(RankStream &S) {
  const std::shared_ptr<Recording> R = mark(S);
  return orFailed(R ? await(*R) : cudaSuccess);
}

cudaError_t RankBackend::synchronize(Stream &S) {
  if (isRemote(S.device()))
    return awaitAll(ranks(S));
  return orFailed(inner().synchronize(own(S)));
}

cudaError_t RankBackend::query(Stream &S) {
  if (!isRemote(S.device()))
    return orFailed(inner().query(own(S)));
  const std::shared_ptr<Recording> R = mark(ranks(S));
  return R && !isReached(*R) ? cudaErrorNotReady : failed();
}

cudaError_t RankBackend::synchronizeDevice(int Device) {
  if (!isRemote(Device))
    return orFailed(inner().synchronizeDevice(Device));
  std::vector<std::shared_ptr<Recording>> All;
  {
    MutexLock Guard(StreamLock);
    for (RankStream *S : RemoteStreams)
      if (S->device() == Device)
        if (std::shared_ptr<Recording> R = mark(*S))
          All.push_back(std::move(R));
  }
  cudaError_t First = cudaSuccess;
  for (const std::shared_ptr<Recording> &R : All) {
    const cudaError_t Failed = await(*R);
    First = First ? First : Failed;
  }
  return orFailed(First);
}

cudaError_t RankBackend::synchronizeAll() {
  cudaError_t First = inner().synchronizeAll();
  for (unsigned D = NumOwn; D != System.numDevices(); ++D) {
    const cudaError_t Failed = synchronizeDevice(static_cast<int>(D));
    First = First ? First : Failed;
  }
  return First;
}

//===--- Events ---------------------------------------------------------===//

cudaError_t RankBackend::createEvent(int Device, unsigned Flags,
                                     std::unique_ptr<Event> &Out) {
  if (isRemote(Device)) {
    if (Flags & cudaEventInterprocess)
      return cudaErrorNotSupported;
    Out = std::make_unique<RankEvent>(Flags);
    return cudaSuccess;
  }
  return wrap<RankEvent>(Out, [&](std::unique_ptr<Event> &Own) {
    return inner().createEvent(Device, Flags, Own);
  });
}

cudaError_t RankBackend::adoptEvent(cudaEvent_t Native,
                                    std::unique_ptr<Event> &Out) {
  return wrap<RankEvent>(Out, [&](std::unique_ptr<Event> &Own) {
    return inner().adoptEvent(Native, Own);
  });
}

cudaError_t RankBackend::exportEvent(const Event &E, FileDescriptor &Out) {
  const auto &Known = static_cast<const RankEvent &>(E);
  return Known.Own ? inner().exportEvent(*Known.Own, Out)
                   : cudaErrorNotSupported;
}

cudaError_t RankBackend::importEvent(FileDescriptor From,
                                     std::unique_ptr<Event> &Out) {
  return wrap<RankEvent>(Out, [&](std::unique_ptr<Event> &Own) {
    return inner().importEvent(std::move(From), Own);
  });
}

cudaError_t RankBackend::record(Event &E, Stream &S) {
  RankEvent &Known = ranks(E);
  if (Known.Own) {
    if (isRemote(S.device()))
      return cudaErrorInvalidResourceHandle;
    std::shared_ptr<Helper> H;
    {
      MutexLock Guard(ranks(S).Lock);
      if (cudaError_t Error = needHelper(ranks(S).Watcher))
        return Error;
      H = ranks(S).Watcher;
    }
    MutexLock Guard(Known.Lock);
    Known.Watcher = std::move(H);
    return inner().record(*Known.Own, own(S));
  }
  if (!isRemote(S.device()))
    return cudaErrorInvalidResourceHandle;
  std::shared_ptr<Recording> New =
      record(ranks(S), !(Known.Flags & cudaEventDisableTiming));
  MutexLock Guard(Known.Lock);
  Known.Last = std::move(New);
  return cudaSuccess;
}

cudaError_t RankBackend::needHelper(std::shared_ptr<Helper> &H) {
  if (H)
    return cudaSuccess;
  auto New = std::make_shared<Helper>();
  if (cudaError_t Error =
          inner().createStream(0, StreamKind::NonBlocking, 0, New->S))
    return Error;
  H = std::move(New);
  return cudaSuccess;
}

cudaError_t RankBackend::wait(Stream &S, Event &E) {
  RankEvent &Known = ranks(E);
  const bool Far = isRemote(S.device());
  if (Known.Own && !Far)
    return inner().wait(own(S), *Known.Own);
  if (Known.Own) {
    if (inner().query(*Known.Own) == cudaSuccess)
      return cudaSuccess;
    std::shared_ptr<Helper> H;
    {
      MutexLock Guard(Known.Lock);
      H = Known.Watcher;
    }
    if (!H) {
      MutexLock Guard(HelperLock);
      if (cudaError_t Error = needHelper(ForOthers))
        return Error;
      H = ForOthers;
    }
    if (cudaError_t Error = inner().wait(*H->S, *Known.Own))
      return Error;
    std::unique_ptr<Event> Behind;
    if (cudaError_t Error =
            inner().createEvent(H->S->device(), cudaEventDisableTiming, Behind))
      return Error;
    if (cudaError_t Error = inner().record(*Behind, *H->S))
      return Error;
    const Token T = ++LastNumber;
    command(ranks(S), Hold{ranks(S).Number, T});
    H->Queue->push({}, [this, T, Rank = rankOf(S),
                        At = std::shared_ptr<Event>(std::move(Behind))] {
      Mover->answer(Rank, T, inner().synchronize(*At));
    });
    return cudaSuccess;
  }
  const std::shared_ptr<Recording> R = Known.last();
  if (!R || isReached(*R))
    return cudaSuccess;
  if (!Far)
    return ownWait(S, [this, R] { (void)await(*R); });
  RankStream &To = ranks(S);
  if (rankOf(S) == R->Rank) {
    command(To, WaitRecorded{To.Number, R->Number});
    return cudaSuccess;
  }
  const Token T = ++LastNumber;
  send(R->Rank, Tell{R->Number, T, rankOf(S)});
  command(To, Hold{To.Number, T});
  return cudaSuccess;
}

cudaError_t RankBackend::synchronize(Event &E) {
  RankEvent &Known = ranks(E);
  if (Known.Own)
    return orFailed(inner().synchronize(*Known.Own));
  const std::shared_ptr<Recording> R = Known.last();
  return orFailed(R ? await(*R) : cudaSuccess);
}

cudaError_t RankBackend::query(Event &E) {
  RankEvent &Known = ranks(E);
  if (Known.Own)
    return orFailed(inner().query(*Known.Own));
  const std::shared_ptr<Recording> R = Known.last();
  return R && !isReached(*R) ? cudaErrorNotReady : failed();
}

cudaError_t RankBackend::elapsed(Event &From, Event &To, float &Ms) {
  RankEvent &A = ranks(From), &C = ranks(To);
  if (A.Own && C.Own)
    return inner().elapsed(*A.Own, *C.Own, Ms);
  if (A.Own || C.Own)
    return cudaErrorInvalidResourceHandle;
  const std::shared_ptr<Recording> Begin = A.last(), End = C.last();
  if (!Begin || !End || !Begin->Timed || !End->Timed ||
      Begin->Device != End->Device)
    return cudaErrorInvalidResourceHandle;
  if (!isReached(*Begin) || !isReached(*End))
    return cudaErrorNotReady;
  MutexLock Guard(RecordingLock);
  Ms = static_cast<float>(End->Milliseconds - Begin->Milliseconds);
  return cudaSuccess;
}

} // namespace gridspan::ranks
