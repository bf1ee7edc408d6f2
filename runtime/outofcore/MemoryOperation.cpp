//===- MemoryOperation.cpp - Fills and copies as launches -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are as small as the smallest frames, since a chunk is some blocks.
// Both operations have the same parameters, so that one reads them without
// asking which it is.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/MemoryOperation.h"
#include <algorithm>

namespace gridspan {

static constexpr uint64_t BlockBytes = 4096;

namespace {
/// Parameters of both: (void *Dst, const void *Src, uint64_t Bytes, int Byte).
enum Parameter { Dst, Src, Bytes, Byte };
} // namespace

template <typename T> static T value(void *const *Args, Parameter P) {
  return *static_cast<const T *>(Args[P]);
}

/// What the blocks of a box touch, relative to the pointers.
static void blockRanges(const GridspanBox *Box, GridspanRange *Out) {
  const auto [Lo, Hi] =
      MemoryOperation::part(Box->Args, Box->BlockLo[0], Box->BlockCount[0]);
  const auto First = static_cast<int64_t>(Lo);
  const auto Length = static_cast<int64_t>(Hi - Lo);
  Out[0] = {First, Length, 0, 1, 0, 1, GridspanRangeExact, 0};
  if (Lo == Hi)
    Out[0].State = GridspanRangeEmpty;
}

static void fillRanges(const GridspanBox *Box, GridspanRange *Out) {
  blockRanges(Box, Out);
}

static void copyRanges(const GridspanBox *Box, GridspanRange *Out) {
  blockRanges(Box, Out);
  Out[1] = Out[0];
}

static const GridspanKernel &describe(bool Fills) {
  static const char FillStub = 0, CopyStub = 0;
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {Dst, 0, GridspanWrite, GridspanRedirectable},
      {Src, 0, GridspanRead, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"", nullptr, 0, GridspanWrite, 1, 0},
      {"", nullptr, 1, GridspanRead, 1, 1}};
  static const auto Make = [](const char *Name, const void *Stub,
                              GridspanRangeFn Ranges, uint32_t Count) {
    GridspanKernel K = {};
    K.HostStub = K.TiledStub = Stub;
    K.Name = Name;
    K.Params = Params;
    K.NumParams = std::size(Params);
    K.Pointers = Pointers;
    K.NumPointers = Count;
    K.Accesses = Accesses;
    K.NumAccesses = Count;
    K.Ranges = Ranges;
    K.Flags = GridspanHostInvisible;
    return K;
  };
  static const GridspanKernel Fill =
      Make("cudaMemset", &FillStub, fillRanges, 1);
  static const GridspanKernel Copy =
      Make("cudaMemcpy", &CopyStub, copyRanges, 2);
  return Fills ? Fill : Copy;
}

bool MemoryOperation::isFill(const GridspanKernel &Kernel) {
  return &Kernel == &describe(true);
}

bool MemoryOperation::isOne(const GridspanKernel &Kernel) {
  return isFill(Kernel) || &Kernel == &describe(false);
}

void MemoryOperation::setShape() {
  const uint64_t Blocks = (Values.Bytes + BlockBytes - 1) / BlockBytes;
  Shape.Grid = {static_cast<unsigned>(Blocks), 1, 1};
  Shape.Block = {1, 1, 1};
  Values.Addresses[gridspan::Dst] = &Values.Dst;
  Values.Addresses[gridspan::Src] = &Values.Src;
  Values.Addresses[gridspan::Bytes] = &Values.Bytes;
  Values.Addresses[gridspan::Byte] = &Values.Byte;
}

MemoryOperation::MemoryOperation(void *Dst, int Byte, uint64_t Bytes)
    : Kernel(&describe(true)), Shape(), Values{Dst, nullptr, Bytes, Byte, {}} {
  setShape();
}

MemoryOperation::MemoryOperation(void *Dst, const void *Src, uint64_t Bytes)
    : Kernel(&describe(false)), Shape(), Values{Dst, Src, Bytes, 0, {}} {
  setShape();
}

uint64_t MemoryOperation::bytes(void *const *Args) {
  return value<uint64_t>(Args, Bytes);
}

MemoryOperation::Part MemoryOperation::part(void *const *Args, uint32_t First,
                                            uint32_t Count) {
  const uint64_t All = bytes(Args), Lo = std::min(All, First * BlockBytes);
  return {Lo, std::min(All, Lo + Count * BlockBytes)};
}

cudaError_t MemoryOperation::run(Backend &B, Stream &S,
                                 const GridspanKernel &Kernel,
                                 void *const *Args, Part What) {
  const uint64_t Length = What.Hi - What.Lo;
  auto *const To = value<std::byte *>(Args, Dst) + What.Lo;
  if (isFill(Kernel))
    return B.fill(S, To, value<int>(Args, Byte), Length);
  return B.copy(S, To, value<const std::byte *>(Args, Src) + What.Lo, Length);
}

} // namespace gridspan
