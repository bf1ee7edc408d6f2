//===- DeviceStreams.h - A stream of each device ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams of the runtime's own for copies by each device's own link.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_DEVICESTREAMS_H
#define GRIDSPAN_RUNTIME_BACKEND_DEVICESTREAMS_H

#include "runtime/backend/Backend.h"
#include <memory>
#include <vector>

namespace gridspan {

/// Makes the streams that Streams, by device, lacks. After an error those that
/// were made remain.
inline cudaError_t
createDeviceStreams(Backend &B, std::vector<std::unique_ptr<Stream>> &Streams) {
  while (Streams.size() < B.system().numDevices()) {
    std::unique_ptr<Stream> New;
    if (cudaError_t Error = B.createStream(static_cast<int>(Streams.size()),
                                           StreamKind::NonBlocking, 0, New))
      return Error;
    Streams.push_back(std::move(New));
  }
  return cudaSuccess;
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_DEVICESTREAMS_H
