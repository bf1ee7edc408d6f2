//===- GridExtension.cpp - Longer grids for several devices ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler has shown that all indices of the loops are between a parameter
// or a constant and another, and the threads of the grid beyond that. So none
// wraps if no parameter is within some more than 2^26 of an end of its type,
// read as signed or as unsigned. Which parameters are meant is not known here:
// all of the size of an index are looked at, whatever they are.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/GridExtension.h"
#include <cstring>

namespace gridspan {

/// The most threads of a longer grid, well within the margin.
static constexpr uint64_t MaxThreads = uint64_t(1) << 26;

static bool isNearAnEnd(const void *Scalar, uint32_t Size) {
  uint64_t Bits = 0;
  std::memcpy(&Bits, Scalar, Size);
  const uint64_t Upper = Bits >> (8 * Size - 5);
  return Upper == 0b01111 || Upper == 0b10000 || Upper == 0b11111;
}

bool isExtensible(const GridspanKernel &Kernel, unsigned Axis,
                  void *const *Args) {
  if (!(Kernel.Flags & (uint32_t(GridspanElasticX) << Axis)))
    return false;
  for (uint32_t I = 0; I < Kernel.NumParams; ++I) {
    const uint32_t Size = Kernel.Params[I].Size;
    if ((Size == 4 || Size == 8) && isNearAnEnd(Args[I], Size))
      return false;
  }
  return true;
}

GridspanBox boxFor(const GridspanKernel &Kernel, const GridspanBox &Unsplit,
                   unsigned Axis, unsigned Devices, const SystemInfo &System) {
  uint64_t Threads = 1;
  for (unsigned I = 0; I < 3; ++I)
    Threads *= uint64_t(Unsplit.GridDim[I]) * Unsplit.BlockDim[I];
  const uint64_t Held = System.Devices[0].residentThreads();
  const uint64_t Length = uint64_t(Unsplit.GridDim[Axis]) * Devices;
  const uint64_t Longest = Axis == 0 ? INT32_MAX : UINT16_MAX;
  if (Threads >= Held * Devices || Threads * Devices > MaxThreads ||
      Length > Longest || !isExtensible(Kernel, Axis, Unsplit.Args))
    return Unsplit;
  GridspanBox Box = Unsplit;
  Box.GridDim[Axis] = Box.BlockCount[Axis] = uint32_t(Length);
  return Box;
}

} // namespace gridspan
