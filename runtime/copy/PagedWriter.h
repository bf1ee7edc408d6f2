//===- PagedWriter.h - Copies from the host to paged memory -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the program copies to paged memory is copied to the host's copy by
// threads, while the bus has nothing to do. So at the same time the frames that
// a launch will begin with come to their devices: the launch has that much less
// to wait for. Out of pinned memory they come from the program's pages, and
// devices send them on to the host's copy, which threads then need not write.
//
// The frames are clean: the host's copy is complete, and they may leave any
// time. Which frames a launch wants is a guess; a wrong one costs nothing but
// bytes on an idle bus.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_COPY_PAGEDWRITER_H
#define GRIDSPAN_RUNTIME_COPY_PAGEDWRITER_H

#include "runtime/memory/Pager.h"
#include "runtime/support/ThreadSafety.h"

namespace gridspan {

class PagedWriter {
public:
  /// Devices that take part in out-of-core launches; before they are open, the
  /// first alone.
  PagedWriter(Backend &B, Pager &Frames, unsigned Devices)
      : B(B), Frames(Frames), Devices(Devices) {
    Streams.reserve(Devices);
  }

  /// Copies Bytes bytes from memory of the host to offset At of A; complete
  /// when it returns. overwrite() was told, and nothing that was enqueued uses
  /// A or the source. Thread-safe.
  cudaError_t write(Allocation &A, uint64_t At, const std::byte *Src,
                    uint64_t Bytes) REQUIRES_SHARED(PlacementLock::Held);

private:
  friend class PagedWrite;
  struct DeviceStreams {
    std::unique_ptr<Stream> In, Out;
  };
  bool createStreams(unsigned Count) EXCLUDES(Lock);

  Backend &B;
  Pager &Frames;
  const unsigned Devices;
  Mutex Lock; ///< for making Streams
  /// Streams by device. Those that createStreams() has made stay where they
  /// are: there is room for all.
  std::vector<DeviceStreams> Streams;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_COPY_PAGEDWRITER_H
