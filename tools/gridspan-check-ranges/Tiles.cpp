//===- Tiles.cpp - Predicted and touched bytes of a tile ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A range is planes of rows of bytes at two pitches, relative to its pointer. A
// span lies in it if it lies in one of its rows; rows may touch, so the row is
// found by division of the span's start.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-check-ranges/Tiles.h"
#include "analysis/summary/Evaluate.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;

namespace gridspan {

std::vector<Span> merged(std::vector<Span> Spans) {
  llvm::sort(Spans);
  std::vector<Span> Out;
  for (const Span &S : Spans) {
    if (!Out.empty() && S.Lo <= Out.back().Hi)
      Out.back().Hi = std::max(Out.back().Hi, S.Hi);
    else
      Out.push_back(S);
  }
  return Out;
}

double bytesOf(const std::vector<Span> &Spans) {
  double Sum = 0;
  for (const Span &S : Spans)
    Sum += static_cast<double>(S.Hi - S.Lo);
  return Sum;
}

bool Box::contains(const std::array<uint32_t, 3> &Block) const {
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (Block[Axis] - Lo[Axis] >= Count[Axis])
      return false;
  return true;
}

Box tileOf(const TracedLaunch &Launch) {
  return {Launch.BlockLo, Launch.BlockCount};
}

std::vector<Box> quartersOf(const Box &Blocks, unsigned Axis) {
  std::vector<Box> Out;
  uint32_t Count = Blocks.Count[Axis], Quarters = std::min(Count, 4U);
  for (uint32_t I = 0; I != Quarters; ++I) {
    Box Quarter = Blocks;
    uint32_t First = uint64_t(Count) * I / Quarters;
    uint32_t Last = uint64_t(Count) * (I + 1) / Quarters;
    Quarter.Lo[Axis] += First;
    Quarter.Count[Axis] = Last - First;
    Out.push_back(Quarter);
  }
  return Out;
}

bool Prediction::contains(const Span &S) const {
  if (Range.State == GridspanRangeUnknown)
    return true;
  if (Range.State == GridspanRangeEmpty)
    return false;
  auto Lo = static_cast<int64_t>(S.Lo - Base) - Range.Lo;
  auto Hi = static_cast<int64_t>(S.Hi - Base) - Range.Lo;
  if (Lo < 0)
    return false;
  // Rows may touch each other, so an element may end in the next one.
  const int64_t Plane = Range.Planes == 1 ? 0 : Lo / Range.PlanePitch;
  Lo -= Plane * Range.PlanePitch;
  Hi -= Plane * Range.PlanePitch;
  const int64_t Row = Range.RowsPerPlane == 1 ? 0 : Lo / Range.Pitch;
  return Plane < Range.Planes && Row < Range.RowsPerPlane &&
         Hi - Row * Range.Pitch <= Range.RowBytes;
}

double Prediction::bytes() const {
  return static_cast<double>(rows()) * static_cast<double>(Range.RowBytes);
}

Span Prediction::row(int64_t Row) const {
  const int64_t Plane = Row / Range.RowsPerPlane;
  const int64_t InPlane = Row % Range.RowsPerPlane;
  // The pitches mean nothing where there is one.
  uint64_t Lo = Base + Range.Lo + (Plane ? Plane * Range.PlanePitch : 0) +
                (InPlane ? InPlane * Range.Pitch : 0);
  return {Lo, Lo + Range.RowBytes};
}

std::vector<Prediction> predict(const KernelSummary &Kernel,
                                const TracedLaunch &Launch, const Box &Blocks) {
  std::vector<void *> Args;
  for (const ParamSummary &P : Kernel.Params)
    Args.push_back(const_cast<std::byte *>(Launch.Parameters.data()) +
                   P.Offset);
  GridspanBox Abi = {};
  Abi.Args = Args.data();
  llvm::copy(Launch.GridDim, Abi.GridDim);
  llvm::copy(Launch.BlockDim, Abi.BlockDim);
  llvm::copy(Blocks.Lo, Abi.BlockLo);
  llvm::copy(Blocks.Count, Abi.BlockCount);

  std::vector<Prediction> Out;
  for (const AccessSummary &A : Kernel.Accesses) {
    Prediction P = {&A, {}, 0};
    P.Range.State = GridspanRangeUnknown;
    if (A.Pointer >= 0) {
      const PointerSummary &Pointer = Kernel.Pointers[A.Pointer];
      std::memcpy(&P.Base,
                  static_cast<std::byte *>(Args[Pointer.Param]) +
                      Pointer.ByteOffset,
                  sizeof(P.Base));
      P.Range = evaluateRange(Kernel, A, Abi);
    }
    Out.push_back(P);
  }
  return Out;
}

} // namespace gridspan
