//===- MemoryBarrier.cpp - mbarriers as words -----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes are signed, because a copy may be complete before it is expected.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/calls/MemoryBarrier.h"

using namespace gridspan;

constexpr unsigned CountBits = MbarrierCountBits;
constexpr unsigned ByteBits = 21;
constexpr unsigned ExpectedShift = CountBits;
constexpr unsigned BytesShift = 2 * CountBits;
constexpr unsigned PhaseShift = BytesShift + ByteBits;
static_assert(PhaseShift == 61, "three bits are left");

static uint32_t field(uint64_t Word, unsigned Shift, unsigned Bits) {
  return Word >> Shift & ((uint64_t(1) << Bits) - 1);
}

static uint64_t place(uint32_t Value, unsigned Shift, unsigned Bits) {
  return (Value & ((uint64_t(1) << Bits) - 1)) << Shift;
}

MemoryBarrier MemoryBarrier::unpack(uint64_t Word) {
  MemoryBarrier Out;
  Out.Pending = field(Word, 0, CountBits);
  Out.Expected = field(Word, ExpectedShift, CountBits);
  constexpr unsigned Sign = 32 - ByteBits;
  Out.Bytes = int32_t(field(Word, BytesShift, ByteBits) << Sign) >> Sign;
  Out.Phase = field(Word, PhaseShift, 64 - PhaseShift);
  return Out;
}

uint64_t MemoryBarrier::pack() const {
  return place(Pending, 0, CountBits) |
         place(Expected, ExpectedShift, CountBits) |
         place(Bytes, BytesShift, ByteBits) |
         place(Phase, PhaseShift, 64 - PhaseShift);
}

void MemoryBarrier::completeIfDone() {
  if (Pending != 0 || Bytes != 0)
    return;
  Pending = Expected;
  ++Phase;
}

void MemoryBarrier::arrive(uint32_t Count, int32_t MoreBytes, bool Drops) {
  Bytes += MoreBytes;
  Pending -= Count;
  if (Drops)
    Expected -= Count;
  completeIfDone();
}

void MemoryBarrier::transfer(int32_t MoreBytes) {
  Bytes += MoreBytes;
  if (MoreBytes < 0)
    completeIfDone();
}

uint64_t gridspan::makeMemoryBarrier(uint32_t Count) {
  MemoryBarrier Out;
  Out.Pending = Out.Expected = Count;
  return Out.pack();
}

bool gridspan::isPhaseComplete(uint64_t Word, uint64_t Before) {
  return Word >> PhaseShift != Before >> PhaseShift;
}

bool gridspan::isParityComplete(uint64_t Word, uint32_t Parity) {
  return (Word >> PhaseShift & 1) != (Parity & 1);
}
