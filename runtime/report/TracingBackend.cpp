//===- TracingBackend.cpp - A backend that keeps a timeline ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each piece of work is put between two events of its stream. CUDA gives the
// time between two events as a float, which is exact for short times only. So a
// device has reference events whose time is known, and a new one is taken when
// the last is too far. What takes effect at once is timed by the host's clock.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/TracingBackend.h"
#include "runtime/backend/Reduction.h"
#include <algorithm>
#include <fmt/format.h>

namespace gridspan {

/// The longest distance from its reference at which an event's time is asked
/// for. A float of that many milliseconds is exact to a quarter of a
/// microsecond.
static constexpr double ReachMilliseconds = 4096;

/// Spans of host threads are of no device.
static constexpr int HostProcess = -1;

TracingBackend::TracingBackend(std::unique_ptr<Backend> Devices)
    : ForwardingBackend(std::move(Devices)) {
  const int Count = static_cast<int>(system().numDevices());
  StreamsOfDevice.resize(Count);
  References.resize(Count);
  for (int D = 0; D < Count; ++D) {
    Record.Devices.push_back(system().Devices[D].Name);
    std::unique_ptr<Stream> Idle;
    Reference &R = References[D];
    if (inner().createStream(D, StreamKind::NonBlocking, 0, Idle) ||
        inner().createEvent(D, cudaEventDefault, R.At) ||
        inner().record(*R.At, *Idle) || inner().synchronize(*R.At))
      R.At.reset();
    R.Microseconds = now();
  }
  HostSpans = this;
  TracingOn = true;
}

TracingBackend::~TracingBackend() {
  TracingOn = false;
  HostSpans = nullptr;
}

static double microseconds(std::chrono::steady_clock::duration D) {
  return std::chrono::duration<double, std::micro>(D).count();
}

double TracingBackend::now() const {
  return microseconds(std::chrono::steady_clock::now() - Start);
}

//===--- Spans ----------------------------------------------------------===//

TimelineSpan TracingBackend::describe(Activity What, uint64_t Bytes) const {
  const TraceContext &C = TraceContext::current();
  const bool Copies = What == Activity::Copy || What == Activity::Fill;
  TimelineSpan Out = {};
  Out.What = Copies ? C.Why.value_or(What) : What;
  Out.Name = Copies ? C.Name : nullptr;
  Out.Bytes = Bytes;
  Out.Launch = C.Launch;
  return Out;
}

/// A piece of work in a stream, from the construction to the destruction.
class TracingBackend::StreamSpan {
public:
  StreamSpan(TracingBackend &T, Stream &S, const TimelineSpan &What)
      : T(T), S(S) {
    // An event in a capture is a node of the graph and has no time.
    if (T.inner().isCapturing(S))
      return;
    P.Span = What;
    P.Device = S.device();
    MutexLock Guard(T.Lock);
    auto Track = T.StreamTracks.find(&S);
    if (Track == T.StreamTracks.end())
      return;
    P.Span.Track = Track->second;
    P.End = T.takeEvent(P.Device);
    P.Begin = P.End ? T.takeEvent(P.Device) : nullptr;
    Guard.unlock();
    if (P.Begin && T.inner().record(*P.Begin, S))
      P.Begin.reset();
  }
  ~StreamSpan() {
    if (!P.Begin || T.inner().record(*P.End, S))
      return;
    MutexLock Guard(T.Lock);
    T.Waiting.push_back(std::move(P));
    if (T.Waiting.size() >= T.CollectAt)
      T.collect();
  }
  StreamSpan(const StreamSpan &) = delete;
  StreamSpan &operator=(const StreamSpan &) = delete;

private:
  TracingBackend &T;
  Stream &S;
  Pending P = {};
};

std::unique_ptr<Event> TracingBackend::takeEvent(int Device) {
  std::vector<std::unique_ptr<Event>> &Spare = References[Device].Spare;
  std::unique_ptr<Event> Out;
  if (!Spare.empty()) {
    Out = std::move(Spare.back());
    Spare.pop_back();
  } else if (inner().createEvent(Device, cudaEventDefault, Out)) {
    return nullptr;
  }
  return Out;
}

/// Returns the microseconds at E, which has ended, if the time of Base is
/// known.
std::optional<double> TracingBackend::timeOf(Event &E, const Reference &Base) {
  float Ms = 0;
  if (!Base.At || inner().elapsed(*Base.At, E, Ms))
    return std::nullopt;
  return Base.Microseconds + double(Ms) * 1000;
}

/// Finds the times of work that has ended and keeps the span.
bool TracingBackend::resolve(Pending &P) {
  Reference &R = References[P.Device];
  float Ms = 0;
  const std::optional<double> Begin = timeOf(*P.Begin, R);
  const bool Known = Begin && !inner().elapsed(*P.Begin, *P.End, Ms);
  if (Known) {
    P.Span.Begin = *Begin;
    P.Span.End = P.Span.Begin + double(Ms) * 1000;
    Record.Spans.push_back(P.Span);
    if (P.Span.Begin - R.Microseconds > ReachMilliseconds * 1000) {
      R.Microseconds = P.Span.Begin;
      std::swap(R.At, P.Begin);
    }
  }
  R.Spare.push_back(std::move(P.Begin));
  R.Spare.push_back(std::move(P.End));
  return Known;
}

void TracingBackend::collect() {
  auto Ended = [this](Pending &P) REQUIRES(Lock) {
    if (inner().query(*P.End) == cudaErrorNotReady)
      return false;
    Record.Lost += !resolve(P);
    return true;
  };
  std::erase_if(Waiting, Ended);
  CollectAt = std::max<size_t>(1024, 2 * Waiting.size());
}

Timeline TracingBackend::timeline() {
  MutexLock Guard(Lock);
  collect();
  Timeline Out = Record;
  Out.Lost += Waiting.size();
  return Out;
}

void TracingBackend::addHostSpan(Activity What, uint64_t Bytes,
                                 std::chrono::steady_clock::time_point Begin) {
  TimelineSpan S = describe(What, Bytes);
  S.Begin = microseconds(Begin - Start);
  S.End = now();
  MutexLock Guard(Lock);
  auto [It, New] = HostTracks.try_emplace(
      std::this_thread::get_id(), static_cast<unsigned>(Record.Tracks.size()));
  if (New)
    Record.Tracks.push_back(
        {HostProcess, fmt::format("thread {}", HostTracks.size())});
  S.Track = It->second;
  Record.Spans.push_back(S);
}

//===--- Memory ---------------------------------------------------------===//

cudaError_t TracingBackend::createPages(Location Where, size_t Bytes,
                                        std::unique_ptr<Pages> &Out) {
  HostSpan Span(Activity::Create, Bytes);
  return inner().createPages(Where, Bytes, Out);
}

cudaError_t TracingBackend::createHostPagesFor(int Device, size_t Bytes,
                                               std::unique_ptr<Pages> &Out) {
  HostSpan Span(Activity::Create, Bytes);
  return inner().createHostPagesFor(Device, Bytes, Out);
}

cudaError_t TracingBackend::map(void *Address, Pages &P, size_t Offset,
                                size_t Bytes) {
  HostSpan Span(Activity::Map, Bytes);
  return inner().map(Address, P, Offset, Bytes);
}

cudaError_t TracingBackend::unmap(void *Address, size_t Bytes) {
  HostSpan Span(Activity::Unmap, Bytes);
  return inner().unmap(Address, Bytes);
}

//===--- Streams --------------------------------------------------------===//

void TracingBackend::addTrack(const Stream &S, const std::string &Name) {
  MutexLock Guard(Lock);
  // A stream at the address of one that is gone is another stream.
  StreamTracks[&S] = static_cast<unsigned>(Record.Tracks.size());
  Record.Tracks.push_back(
      {S.device(),
       fmt::format("stream {}{}", StreamsOfDevice[S.device()]++, Name)});
}

cudaError_t TracingBackend::createStream(int Device, StreamKind Kind,
                                         int Priority,
                                         std::unique_ptr<Stream> &Out) {
  cudaError_t Error = inner().createStream(Device, Kind, Priority, Out);
  if (!Error)
    addTrack(*Out, Kind == StreamKind::LegacyDefault      ? " (default)"
                   : Kind == StreamKind::PerThreadDefault ? " (default of a "
                                                            "thread)"
                                                          : "");
  return Error;
}

cudaError_t TracingBackend::adoptStream(cudaStream_t Native,
                                        std::unique_ptr<Stream> &Out) {
  cudaError_t Error = inner().adoptStream(Native, Out);
  if (!Error)
    addTrack(*Out, " (of the program)");
  return Error;
}

cudaError_t TracingBackend::synchronize(Stream &S) {
  cudaError_t Error = inner().synchronize(S);
  MutexLock Guard(Lock);
  collect();
  return Error;
}

cudaError_t TracingBackend::synchronizeDevice(int Device) {
  cudaError_t Error = inner().synchronizeDevice(Device);
  MutexLock Guard(Lock);
  collect();
  return Error;
}

cudaError_t TracingBackend::synchronizeAll() {
  cudaError_t Error = inner().synchronizeAll();
  MutexLock Guard(Lock);
  collect();
  return Error;
}

//===--- Work -----------------------------------------------------------===//

cudaError_t TracingBackend::copy(Stream &S, void *Dst, const void *Src,
                                 size_t Bytes) {
  StreamSpan Span(*this, S, describe(Activity::Copy, Bytes));
  return inner().copy(S, Dst, Src, Bytes);
}

cudaError_t TracingBackend::copy2D(Stream &S, void *Dst, size_t DstPitch,
                                   const void *Src, size_t SrcPitch,
                                   size_t Width, size_t Height) {
  StreamSpan Span(*this, S, describe(Activity::Copy, Width * Height));
  return inner().copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Height);
}

cudaError_t TracingBackend::copyBehind(Stream &S,
                                       std::span<Event *const> Behind,
                                       void *Dst, size_t DstPitch,
                                       const void *Src, size_t SrcPitch,
                                       size_t Width, size_t Height) {
  StreamSpan Span(*this, S, describe(Activity::Copy, Width * Height));
  return inner().copyBehind(S, Behind, Dst, DstPitch, Src, SrcPitch, Width,
                            Height);
}

cudaError_t TracingBackend::fill(Stream &S, void *Dst, int Byte, size_t Bytes) {
  StreamSpan Span(*this, S, describe(Activity::Fill, Bytes));
  return inner().fill(S, Dst, Byte, Bytes);
}

cudaError_t TracingBackend::fillIdentity(Stream &S, GridspanReduction Kind,
                                         void *Dst, uint64_t Count) {
  StreamSpan Span(*this, S,
                  describe(Activity::Fill, Count * elementBytes(Kind)));
  return inner().fillIdentity(S, Kind, Dst, Count);
}

cudaError_t TracingBackend::combine(Stream &S, GridspanReduction Kind,
                                    void *Into,
                                    std::span<const void *const> From,
                                    uint64_t Count) {
  StreamSpan Span(
      *this, S,
      describe(Activity::Combine, From.size() * Count * elementBytes(Kind)));
  return inner().combine(S, Kind, Into, From, Count);
}

cudaError_t TracingBackend::copyArray(Stream &S, ArrayCopy &To,
                                      cudaTextureObject_t From) {
  StreamSpan Span(*this, S, describe(Activity::Copy, To.bytes()));
  return inner().copyArray(S, To, From);
}

cudaError_t TracingBackend::prefetch(Stream &S, void *Address, size_t Bytes,
                                     Location To) {
  StreamSpan Span(*this, S, describe(Activity::Migration, Bytes));
  return inner().prefetch(S, Address, Bytes, To);
}

cudaError_t TracingBackend::launch(Stream &S, const LaunchTarget &Target,
                                   const LaunchShape &Shape, void *const *Args,
                                   const GridspanTile *Tile) {
  TimelineSpan What = describe(Activity::Kernel, 0);
  {
    MutexLock Guard(Lock);
    What.Name =
        KernelNames
            .insert(Target.Kernel ? Target.Kernel->Name : "unknown kernel")
            .first->c_str();
  }
  What.Blocks = uint64_t(Shape.Grid.x) * Shape.Grid.y * Shape.Grid.z;
  StreamSpan Span(*this, S, What);
  return inner().launch(S, Target, Shape, Args, Tile);
}

} // namespace gridspan
