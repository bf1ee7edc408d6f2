//===- PackedBuffers.h - Device buffers for packed rows ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers of one device into which chunks of an out-of-core launch get the
// pieces of rows that they read (RowWindow.h), in turn. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDBUFFERS_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDBUFFERS_H

#include "runtime/backend/Backend.h"
#include "runtime/outofcore/OutOfCorePlan.h"

namespace gridspan {

/// The host's copy of an allocation, pinned in frames of FrameBytes.
struct PackedSource {
  const std::byte *Home;
  uint64_t Bytes;
  uint64_t FrameBytes;
};

class PackedBuffers {
public:
  PackedBuffers(Backend &B, int Device) : B(B), Device(Device) {}
  PackedBuffers(const PackedBuffers &) = delete;
  PackedBuffers &operator=(const PackedBuffers &) = delete;
  /// Whoever used the buffers is done.
  ~PackedBuffers();

  /// Makes OutOfCorePlan::NumPackedBuffers buffers of at least Bytes; pages of
  /// the host when the device has no room. Once.
  cudaError_t create(uint64_t Bytes);
  bool onHost() const { return Memory && Memory->location() == Host; }
  /// The buffer's address, a multiple of 256.
  std::byte *at(unsigned Buffer) const {
    return Base + Buffer * PackedBufferBytes;
  }

  /// Enqueues copies of the rows into the buffer.
  cudaError_t load(Stream &S, unsigned Buffer, const PackedRows &Rows,
                   const PackedSource &From);
  /// Returns the packing that tells the clone where the rows are.
  GridspanPacking packing(unsigned Buffer, const PackedRows &Rows,
                          const std::byte *Home) const;

private:
  std::byte *packedAt(unsigned Buffer, const PackedRows &Rows,
                      const std::byte *Home) const;

  Backend &B;
  const int Device;
  uint64_t PackedBufferBytes = 0;
  std::byte *Base = nullptr;
  std::unique_ptr<Pages> Memory;
  bool Mapped = false;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_PACKEDBUFFERS_H
