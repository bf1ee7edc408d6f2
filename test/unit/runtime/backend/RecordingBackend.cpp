//===- RecordingBackend.cpp - Devices that record calls -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams and events are names; memory is addresses without pages.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/backend/RecordingBackend.h"
#include <cuda_runtime_api.h>
#include <fmt/ranges.h>

namespace gridspan {

namespace {

struct NoPages final : Pages {
  NoPages(Location Where, size_t Count) : Where(Where), Count(Count) {}
  Location location() const override { return Where; }
  size_t bytes() const override { return Count; }
  Location Where;
  size_t Count;
};

struct NamedStream final : Stream {
  int device() const override { return Device; }
  cudaStream_t native() const override { return Handle; }
  int Device = 0;
  cudaStream_t Handle = nullptr;
  std::string Name;
};

struct NamedEvent final : Event {
  cudaEvent_t native() const override { return Handle; }
  cudaEvent_t Handle = nullptr;
  std::string RecordedIn = "nothing";
};

} // namespace

static const std::string &nameOf(const Stream &S) {
  return static_cast<const NamedStream &>(S).Name;
}

template <typename... T> void RecordingBackend::note(const T &...Parts) {
  if (Records)
    Calls.push_back(fmt::format("{}", fmt::join(std::tie(Parts...), " ")));
}

RecordingBackend::RecordingBackend(unsigned Devices) : StreamsOf(Devices) {
  for (unsigned I = 0; I < Devices; ++I)
    Info.Devices.push_back(
        {"recording", 1ull << 37, 4.4e12, 3e13, 5.5e10, 5.5e10, 132});
  Info.PeerBandwidth.assign(Devices, std::vector<double>(Devices, 3.7e11));
  Info.FanOutSeconds.assign(Devices + 1, 0);
  for (unsigned I = 2; I <= Devices; ++I)
    Info.FanOutSeconds[I] = 5e-6 * I;
  Info.PageSize = 2 << 20;
}

cudaError_t RecordingBackend::reserve(size_t Bytes, void *&Address) {
  Address = reinterpret_cast<void *>(NextAddress);
  NextAddress += Bytes;
  return cudaSuccess;
}

cudaError_t RecordingBackend::createPages(Location Where, size_t Bytes,
                                          std::unique_ptr<Pages> &Out) {
  Out = std::make_unique<NoPages>(Where, Bytes);
  return cudaSuccess;
}

void RecordingBackend::memoryInfo(Location, size_t &Free, size_t &Total) {
  Free = Total = size_t(1) << 37;
}

cudaError_t RecordingBackend::createStream(int Device, StreamKind Kind, int,
                                           std::unique_ptr<Stream> &Out) {
  auto S = std::make_unique<NamedStream>();
  S->Device = Device;
  S->Name = fmt::format("{}.{}", Device, StreamsOf[Device]++);
  if (Kind == StreamKind::LegacyDefault)
    S->Handle = cudaStreamLegacy;
  else if (Kind == StreamKind::PerThreadDefault)
    S->Handle = cudaStreamPerThread;
  else
    S->Handle = reinterpret_cast<cudaStream_t>(NextHandle += 16);
  Out = std::move(S);
  return cudaSuccess;
}

cudaError_t RecordingBackend::synchronize(Stream &S) {
  note("synchronize", nameOf(S));
  return cudaSuccess;
}

cudaError_t RecordingBackend::synchronizeDevice(int Device) {
  note("synchronize", std::to_string(Device));
  return cudaSuccess;
}

cudaError_t RecordingBackend::createEvent(int, unsigned,
                                          std::unique_ptr<Event> &Out) {
  auto E = std::make_unique<NamedEvent>();
  E->Handle = reinterpret_cast<cudaEvent_t>(NextHandle += 16);
  Out = std::move(E);
  return cudaSuccess;
}

cudaError_t RecordingBackend::record(Event &E, Stream &S) {
  if (Records)
    static_cast<NamedEvent &>(E).RecordedIn = nameOf(S);
  note("record", nameOf(S));
  return cudaSuccess;
}

cudaError_t RecordingBackend::wait(Stream &S, Event &E) {
  note("wait", nameOf(S), "<-", static_cast<NamedEvent &>(E).RecordedIn);
  return cudaSuccess;
}

cudaError_t RecordingBackend::elapsed(Event &, Event &, float &Ms) {
  Ms = ElapsedMs;
  return cudaSuccess;
}

cudaError_t RecordingBackend::copy(Stream &S, void *, const void *, size_t) {
  note("copy", nameOf(S));
  return cudaSuccess;
}

cudaError_t RecordingBackend::copy2D(Stream &S, void *, size_t, const void *,
                                     size_t, size_t, size_t) {
  note("copy", nameOf(S));
  return cudaSuccess;
}

cudaError_t RecordingBackend::fill(Stream &S, void *, int, size_t) {
  note("fill", nameOf(S));
  return cudaSuccess;
}

cudaError_t RecordingBackend::launch(Stream &S, const LaunchTarget &Target,
                                     const LaunchShape &, void *const *,
                                     const GridspanTile *) {
  note(Target.NoAlias ? "launch clone" : "launch", nameOf(S));
  return cudaSuccess;
}

cudaError_t RecordingBackend::hostFunction(Stream &S,
                                           std::function<void()> Fn) {
  note("function", nameOf(S));
  Fn();
  return cudaSuccess;
}

cudaError_t RecordingBackend::functionAttributes(const LaunchTarget &,
                                                 cudaFuncAttributes &Out) {
  Out = {};
  Out.maxThreadsPerBlock = 1024;
  Out.maxDynamicSharedSizeBytes = 48 << 10;
  return cudaSuccess;
}

cudaError_t RecordingBackend::occupancy(const LaunchTarget &, int, size_t,
                                        unsigned, int &Blocks) {
  Blocks = 1;
  return cudaSuccess;
}

cudaError_t RecordingBackend::properties(int, cudaDeviceProp &Out) {
  Out = {};
  return cudaSuccess;
}

cudaError_t RecordingBackend::attribute(int, cudaDeviceAttr, int &Out) {
  Out = 0;
  return cudaSuccess;
}

} // namespace gridspan
