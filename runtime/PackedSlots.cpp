//===- PackedSlots.cpp - Device buffers for packed rows -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows come by two-dimensional copies, in pieces, as other copies of a streamed
// launch do (StreamExecutor.cpp). A first or last row of which a part is
// outside of the allocation is copied by itself.
//
//===----------------------------------------------------------------------===//

#include "PackedSlots.h"
#include <algorithm>

namespace gridspan {

static constexpr uint64_t CopyPiece = uint64_t(16) << 20;
/// Of a driver's two-dimensional copy (cudaDeviceProp::memPitch).
static constexpr uint64_t MostPitch = uint64_t(INT32_MAX);

PackedSlots::~PackedSlots() {
  const uint64_t Bytes = StreamPlan::NumSlots * SlotBytes;
  if (Mapped)
    (void)B.unmap(Base, Bytes);
  if (Base)
    B.release(Base, Bytes);
}

cudaError_t PackedSlots::create(uint64_t Bytes) {
  const uint64_t Page = B.system().PageSize;
  SlotBytes = (Bytes + Page - 1) / Page * Page;
  const uint64_t All = StreamPlan::NumSlots * SlotBytes;
  void *Address = nullptr;
  if (cudaError_t Error = B.reserve(All, Address))
    return Error;
  Base = static_cast<std::byte *>(Address);
  cudaError_t Error = B.createPages(Device, All, Memory);
  if (Error == cudaErrorMemoryAllocation)
    Error = B.createPages(Host, All, Memory);
  if (!Error)
    Error = B.map(Base, *Memory, 0, All);
  Mapped = !Error;
  return Error;
}

std::byte *PackedSlots::packedAt(unsigned Slot, const PackedRows &Rows,
                                 const std::byte *Home) const {
  return at(Slot) + Rows.At +
         Rows.Window.packedOffset(reinterpret_cast<uintptr_t>(Home));
}

GridspanPacking PackedSlots::packing(unsigned Slot, const PackedRows &Rows,
                                     const std::byte *Home) const {
  return packingFor(Rows.Window, reinterpret_cast<uintptr_t>(Home),
                    reinterpret_cast<uintptr_t>(packedAt(Slot, Rows, Home)));
}

cudaError_t PackedSlots::load(Stream &S, unsigned Slot, const PackedRows &Rows,
                              const std::byte *Home, uint64_t Bytes) {
  const RowWindow &W = Rows.Window;
  std::byte *Dst = packedAt(Slot, Rows, Home);
  const uint64_t Pitch = W.packedPitch();
  // Row R by itself, cut to the allocation.
  auto CopyRow = [&](uint64_t R) {
    const int64_t Lo = W.Lo + static_cast<int64_t>(R * W.Pitch);
    const int64_t From = std::max<int64_t>(Lo, 0);
    const int64_t To = std::min<int64_t>(Lo + static_cast<int64_t>(W.Width),
                                         static_cast<int64_t>(Bytes));
    return From < To ? B.copy(S, Dst + R * Pitch + (From - Lo), Home + From,
                              static_cast<size_t>(To - From))
                     : cudaSuccess;
  };
  auto IsWhole = [&](uint64_t R) {
    const int64_t Lo = W.Lo + static_cast<int64_t>(R * W.Pitch);
    return Lo >= 0 && Lo + W.Width <= Bytes && W.Pitch <= MostPitch;
  };
  const uint64_t Piece = std::max<uint64_t>(1, CopyPiece / W.Width);
  for (uint64_t R = 0; R < W.Rows;) {
    uint64_t End = std::min(W.Rows, R + Piece);
    if (!IsWhole(R) || R + 1 == End) {
      if (cudaError_t Error = CopyRow(R))
        return Error;
      ++R;
      continue;
    }
    // Only the last rows may end behind the allocation.
    while (!IsWhole(End - 1))
      --End;
    if (cudaError_t Error =
            B.copy2D(S, Dst + R * Pitch, Pitch,
                     Home + W.Lo + static_cast<int64_t>(R * W.Pitch), W.Pitch,
                     W.Width, End - R))
      return Error;
    R = End;
  }
  return cudaSuccess;
}

} // namespace gridspan
