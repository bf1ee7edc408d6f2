//===- DeviceObjects.h - What a backend makes on devices --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles that a backend gives out and its caller owns. Each belongs to the
// backend that made it and must not outlive it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_DEVICEOBJECTS_H
#define GRIDSPAN_RUNTIME_BACKEND_DEVICEOBJECTS_H

#include "runtime/backend/Location.h"
#include "runtime/support/FileDescriptor.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <driver_types.h>
#include <texture_types.h>

namespace gridspan {

/// Physical memory, owned. Precondition of its destructor, which frees it: no
/// part of it is mapped.
class Pages {
public:
  virtual ~Pages();
  virtual Location location() const = 0;
  virtual size_t bytes() const = 0;
};

/// Physical memory as other processes get it: bytes [Offset, Offset + Bytes) of
/// a file. Device names the device that has it, on this machine.
struct SharedPages {
  FileDescriptor File;
  uint64_t Offset = 0;
  uint64_t Bytes = 0;
  std::array<std::byte, 16> Device = {};
};

/// An in-order queue of one device, owned. Its destructor waits for its work.
class Stream {
public:
  virtual ~Stream();
  virtual int device() const = 0;
  /// Returns the handle by which the program and CUDA libraries know the
  /// stream.
  virtual cudaStream_t native() const = 0;
};

/// A point in a stream, owned.
class Event {
public:
  virtual ~Event();
  virtual cudaEvent_t native() const = 0;
};

/// An array of a device, or a mipmapped one, that is like an array of the
/// program, owned. Precondition of its destructor: no work uses it.
class ArrayCopy {
public:
  virtual ~ArrayCopy();
  /// Returns the bytes of all its elements.
  virtual size_t bytes() const = 0;
};

/// A texture object of a device, owned. Precondition of its destructor: no work
/// uses it.
class TextureCopy {
public:
  virtual ~TextureCopy();
  virtual cudaTextureObject_t handle() const = 0;
};

enum class StreamKind {
  LegacyDefault,    ///< ordered with all Blocking streams of its device
  PerThreadDefault, ///< ordered with the legacy default stream
  Blocking,         ///< cudaStreamCreate
  NonBlocking,      ///< cudaStreamNonBlocking; also for internal use
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_DEVICEOBJECTS_H
