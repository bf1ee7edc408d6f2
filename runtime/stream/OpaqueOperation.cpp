//===- OpaqueOperation.cpp - A library's work as one launch ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of an operand may be read and be written, so that chunks which touch a
// part of it come before the whole or behind it. The descriptor promises that
// the host sees nothing of it: the operands are memory of devices. Where they
// are paged meanwhile, they are used in place: the pointers are not marked to
// be redirected, as the launches' own arguments lead to the operands.
//
//===----------------------------------------------------------------------===//

#include "runtime/stream/OpaqueOperation.h"
#include <cassert>
#include <iterator>

namespace gridspan {

/// Parameters: the addresses, their bytes (uint64_t[MostOperands]), a const
/// Work *.
static constexpr unsigned TheSizes = OpaqueOperation::MostOperands;
static constexpr unsigned TheWork = TheSizes + 1;

/// What the block touches, relative to the pointers.
static void ranges(const GridspanBox *Box, GridspanRange *Out) {
  const auto *Bytes = static_cast<const uint64_t *>(Box->Args[TheSizes]);
  for (unsigned I = 0; I < OpaqueOperation::MostOperands; ++I) {
    Out[I] = {};
    if (Bytes[I])
      Out[I] = {0, static_cast<int64_t>(Bytes[I]), 0, 1, 0, 1, GridspanRangeMay,
                0};
  }
}

const GridspanKernel &OpaqueOperation::kernel() {
  static const char Stub = 0;
  static constexpr uint32_t Word = 8, Most = MostOperands;
  static const GridspanParam Params[] = {
      {0, Word},        {Word, Word},         {2 * Word, Word},
      {3 * Word, Word}, {4 * Word, 4 * Word}, {8 * Word, Word}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead | GridspanWrite, 0},
      {1, 0, GridspanRead | GridspanWrite, 0},
      {2, 0, GridspanRead | GridspanWrite, 0},
      {3, 0, GridspanRead | GridspanWrite, 0}};
  // Whoever writes comes behind earlier readers and writers.
  static const GridspanAccess Accesses[] = {
      {"", nullptr, 0, GridspanWrite, 0, 0},
      {"", nullptr, 1, GridspanWrite, 0, 1},
      {"", nullptr, 2, GridspanWrite, 0, 2},
      {"", nullptr, 3, GridspanWrite, 0, 3}};
  static_assert(std::size(Params) == Most + 2 && std::size(Pointers) == Most &&
                std::size(Accesses) == Most);
  static const GridspanKernel Opaque = [] {
    GridspanKernel K = {};
    K.HostStub = K.TiledStub = &Stub;
    K.Name = "library call";
    K.Params = Params;
    K.NumParams = std::size(Params);
    K.Pointers = Pointers;
    K.NumPointers = std::size(Pointers);
    K.Accesses = Accesses;
    K.NumAccesses = std::size(Accesses);
    K.Ranges = ranges;
    K.Flags = GridspanHostInvisible;
    return K;
  }();
  return Opaque;
}

OpaqueOperation::OpaqueOperation(std::span<const Operand> Operands,
                                 const Work &Of)
    : Shape(), Of(&Of) {
  assert(Operands.size() <= MostOperands && "operands do not fit");
  for (size_t I = 0; I < Operands.size(); ++I) {
    Begins[I] = Operands[I].At;
    Sizes[I] = Operands[I].Bytes;
  }
  Shape.Grid = Shape.Block = {1, 1, 1};
  for (unsigned I = 0; I < MostOperands; ++I)
    Values[I] = &Begins[I];
  Values[TheSizes] = Sizes.data();
  Values[TheWork] = &this->Of;
}

cudaError_t OpaqueOperation::run(Stream &S, void *const *Args) {
  return (**static_cast<const Work *const *>(Args[TheWork]))(S);
}

} // namespace gridspan
