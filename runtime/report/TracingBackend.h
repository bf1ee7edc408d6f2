//===- TracingBackend.h - A backend that keeps a timeline -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records an event before and after each piece of work in a stream, and asks
// for the time between them once it is done. Times of a device are relative to
// an event that it recorded when tracing began; what takes effect at once is
// timed by the host's clock. The two agree within the time that the host takes
// to see an event, some microseconds.
//
// cudaEventElapsedTime answers in milliseconds as a float, which is too coarse
// after some seconds: each device's reference event is therefore replaced by a
// recent one, whose time is known, again and again.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_TRACINGBACKEND_H
#define GRIDSPAN_RUNTIME_REPORT_TRACINGBACKEND_H

#include "runtime/backend/ForwardingBackend.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/ThreadSafety.h"
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <thread>

namespace gridspan {

class TracingBackend final : public ForwardingBackend, public HostSpanKeeper {
public:
  explicit TracingBackend(std::unique_ptr<Backend> Inner);
  ~TracingBackend() override;

  /// Returns all that has ended so far. Waits for nothing.
  Timeline timeline();
  void addHostSpan(Activity What, uint64_t Bytes,
                   std::chrono::steady_clock::time_point Begin) override;

  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override;
  cudaError_t createHostPagesFor(int Device, size_t Bytes,
                                 std::unique_ptr<Pages> &Out) override;
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Bytes) override;
  cudaError_t unmap(void *Address, size_t Bytes) override;
  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override;
  cudaError_t adoptStream(cudaStream_t Native,
                          std::unique_ptr<Stream> &Out) override;
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override;
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override;
  cudaError_t copyBehind(Stream &S, std::span<Event *const> Behind, void *Dst,
                         size_t DstPitch, const void *Src, size_t SrcPitch,
                         size_t Width, size_t Height) override;
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override;
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override;
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From,
                      uint64_t Count) override;
  cudaError_t copyArray(Stream &S, ArrayCopy &To,
                        cudaTextureObject_t From) override;
  cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                       Location To) override;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override;
  cudaError_t synchronize(Stream &S) override;
  cudaError_t synchronizeDevice(int Device) override;
  cudaError_t synchronizeAll() override;
  cudaError_t synchronize(Event &E) override { return inner().synchronize(E); }

private:
  struct Pending {
    TimelineSpan Span;
    int Device;
    std::unique_ptr<Event> Begin;
    std::unique_ptr<Event> End;
  };
  /// A point of a device's time that is known.
  struct Reference {
    std::unique_ptr<Event> At;
    double Microseconds = 0;
    std::vector<std::unique_ptr<Event>> Spare;
  };
  class StreamSpan;

  double now() const;
  TimelineSpan describe(Activity What, uint64_t Bytes) const;
  void addTrack(const Stream &S, const std::string &Name);
  std::unique_ptr<Event> takeEvent(int Device) REQUIRES(Lock);
  std::optional<double> timeOf(Event &E, const Reference &Base);
  bool resolve(Pending &P) REQUIRES(Lock);
  void collect() REQUIRES(Lock);

  const std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  Mutex Lock; ///< guards all below
  Timeline Record GUARDED_BY(Lock);
  std::set<std::string>
      KernelNames GUARDED_BY(Lock); ///< modules may be unloaded
  std::map<const Stream *, unsigned> StreamTracks GUARDED_BY(Lock);
  std::map<std::thread::id, unsigned> HostTracks GUARDED_BY(Lock);
  std::vector<unsigned>
      StreamsOfDevice GUARDED_BY(Lock); ///< how many there have been
  std::vector<Reference> References GUARDED_BY(Lock); ///< by device
  std::vector<Pending> Waiting GUARDED_BY(Lock);
  size_t
      CollectAt GUARDED_BY(Lock) = 1024; ///< how many waiting are worth a look
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_TRACINGBACKEND_H
