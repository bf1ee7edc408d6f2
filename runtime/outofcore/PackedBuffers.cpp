//===- PackedBuffers.cpp - Device buffers for packed rows -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows come by two-dimensional copies, in pieces, as other copies of an
// out-of-core launch do (OutOfCoreFrames.cpp). No copy reads from two frames:
// each is pinned by itself, and drivers do not promise copies from memory that
// was not pinned as one.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/PackedBuffers.h"
#include <algorithm>

namespace gridspan {

static constexpr uint64_t RowPiece = uint64_t(16) << 20;
/// Limit of a driver's two-dimensional copy (cudaDeviceProp::memPitch).
static constexpr uint64_t MostPitch = uint64_t(INT32_MAX);

PackedBuffers::~PackedBuffers() {
  const uint64_t Bytes = OutOfCorePlan::NumPackedBuffers * PackedBufferBytes;
  if (Mapped)
    (void)B.unmap(Base, Bytes);
  if (Base)
    B.release(Base, Bytes);
}

cudaError_t PackedBuffers::create(uint64_t Bytes) {
  const uint64_t Page = B.system().PageSize;
  PackedBufferBytes = (Bytes + Page - 1) / Page * Page;
  const uint64_t All = OutOfCorePlan::NumPackedBuffers * PackedBufferBytes;
  void *Address = nullptr;
  if (cudaError_t Error = B.reserve(All, Address))
    return Error;
  Base = static_cast<std::byte *>(Address);
  cudaError_t Error = B.createPages(Device, All, Memory);
  if (Error == cudaErrorMemoryAllocation)
    Error = B.createHostPagesFor(Device, All, Memory);
  if (!Error)
    Error = B.map(Base, *Memory, 0, All);
  Mapped = !Error;
  return Error;
}

std::byte *PackedBuffers::packedAt(unsigned Buffer, const PackedRows &Rows,
                                   const std::byte *Home) const {
  return at(Buffer) + Rows.At +
         Rows.Window.packedOffset(reinterpret_cast<uintptr_t>(Home));
}

GridspanPacking PackedBuffers::packing(unsigned Buffer, const PackedRows &Rows,
                                       const std::byte *Home) const {
  return packingFor(Rows.Window, reinterpret_cast<uintptr_t>(Home),
                    reinterpret_cast<uintptr_t>(packedAt(Buffer, Rows, Home)));
}

cudaError_t PackedBuffers::load(Stream &S, unsigned Buffer,
                                const PackedRows &Rows,
                                const PackedSource &From) {
  const RowWindow &W = Rows.Window;
  std::byte *Dst = packedAt(Buffer, Rows, From.Home);
  const uint64_t Pitch = W.packedPitch();
  const uint64_t Piece = std::max<uint64_t>(1, RowPiece / W.Width);
  for (uint64_t R = 0; R < W.Rows;) {
    const int64_t Lo = W.Lo + static_cast<int64_t>(R * W.Pitch);
    const int64_t Hi = Lo + static_cast<int64_t>(W.Width);
    const uint64_t Begin = static_cast<uint64_t>(std::max<int64_t>(Lo, 0));
    const uint64_t Frame = Begin / From.FrameBytes * From.FrameBytes;
    const uint64_t End = std::min(Frame + From.FrameBytes, From.Bytes);
    // Rows that lie in this frame from end to end.
    uint64_t Whole = 0;
    if (Lo >= 0 && static_cast<uint64_t>(Hi) <= End && W.Pitch <= MostPitch)
      Whole = std::min(
          {(End - static_cast<uint64_t>(Hi)) / W.Pitch + 1, W.Rows - R, Piece});
    if (Whole > 1) {
      if (cudaError_t Error = B.copy2D(S, Dst + R * Pitch, Pitch,
                                       From.Home + Lo, W.Pitch, W.Width, Whole))
        return Error;
      R += Whole;
      continue;
    }
    // A row by itself, cut to the allocation and by its frames.
    for (uint64_t At = Begin;
         static_cast<int64_t>(At) < Hi && At < From.Bytes;) {
      const uint64_t Next =
          std::min({At / From.FrameBytes * From.FrameBytes + From.FrameBytes,
                    static_cast<uint64_t>(Hi), From.Bytes});
      if (cudaError_t Error =
              B.copy(S, Dst + R * Pitch + (static_cast<int64_t>(At) - Lo),
                     From.Home + At, Next - At))
        return Error;
      At = Next;
    }
    ++R;
  }
  return cudaSuccess;
}

} // namespace gridspan
