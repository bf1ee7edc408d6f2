//===- RangeCheck.cpp - Access ranges against a trace --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeCheck.h"
#include "gridspan/Analysis/Evaluate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;

namespace gridspan {

namespace {

/// Half-open range of addresses.
struct Span {
  uint64_t Lo, Hi;
  bool operator<(const Span &O) const { return Lo < O.Lo; }
};

/// A range of an access in absolute addresses.
struct Prediction {
  const AccessSummary *Access;
  GridspanRange Range;
  uint64_t Base;

  bool contains(const Span &S) const {
    if (Range.State == GridspanRangeUnknown)
      return true;
    if (Range.State == GridspanRangeEmpty)
      return false;
    auto Lo = static_cast<int64_t>(S.Lo - Base) - Range.Lo;
    auto Hi = static_cast<int64_t>(S.Hi - Base) - Range.Lo;
    if (Lo < 0)
      return false;
    if (Range.Rows == 1)
      return Hi <= Range.RowBytes;
    // Rows may touch each other, so an element may end in the next one.
    int64_t Row = Lo / Range.Pitch;
    return Row < Range.Rows && Hi - Row * Range.Pitch <= Range.RowBytes;
  }

  double bytes() const {
    return static_cast<double>(Range.Rows) *
           static_cast<double>(Range.RowBytes);
  }
};

/// Blocks [Lo, Lo + Count) of a launch.
struct Box {
  std::array<uint32_t, 3> Lo, Count;

  bool contains(const std::array<uint32_t, 3> &Block) const {
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (Block[Axis] - Lo[Axis] >= Count[Axis])
        return false;
    return true;
  }
};

} // namespace

/// The whole launch, its quarters along each axis, its first and last block.
static std::vector<Box> boxesOf(const TracedLaunch &Launch) {
  std::vector<Box> Out = {{Launch.BlockLo, Launch.BlockCount}};
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    uint32_t Count = Launch.BlockCount[Axis];
    if (Count < 2)
      continue;
    uint32_t Parts = std::min(Count, 4U);
    for (uint32_t Part = 0; Part != Parts; ++Part) {
      Box Quarter = Out.front();
      uint32_t First = uint64_t(Count) * Part / Parts;
      uint32_t Last = uint64_t(Count) * (Part + 1) / Parts;
      Quarter.Lo[Axis] += First;
      Quarter.Count[Axis] = Last - First;
      Out.push_back(Quarter);
    }
  }
  Box First = {Launch.BlockLo, {1, 1, 1}}, Last = First;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Last.Lo[Axis] += Launch.BlockCount[Axis] - 1;
  Out.push_back(First);
  Out.push_back(Last);
  return Out;
}

/// Sorted, disjoint, not adjacent.
static std::vector<Span> merged(std::vector<Span> Spans) {
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

/// The first byte of the range that no span holds, or nothing.
static std::optional<uint64_t> firstUntouched(const Prediction &P,
                                              ArrayRef<Span> Touched) {
  for (int64_t Row = 0; Row != P.Range.Rows; ++Row) {
    uint64_t Lo =
        P.Base + P.Range.Lo + (P.Range.Rows == 1 ? 0 : Row * P.Range.Pitch);
    uint64_t Hi = Lo + P.Range.RowBytes;
    auto It = llvm::upper_bound(
        Touched, Lo, [](uint64_t At, const Span &S) { return At < S.Lo; });
    if (It == Touched.begin())
      return Lo;
    --It;
    if (It->Hi < Hi)
      return std::max(Lo, It->Hi);
  }
  return std::nullopt;
}

namespace {
class LaunchChecker {
public:
  LaunchChecker(const KernelSummary &Kernel, const TracedLaunch &Launch,
                RangeStatistics &Out)
      : Kernel(Kernel), Launch(Launch), Out(Out) {
    for (const ParamSummary &P : Kernel.Params)
      Args.push_back(const_cast<std::byte *>(Launch.Parameters.data()) +
                     P.Offset);
  }

  void check(const Box &Blocks, ArrayRef<TracedRequest> Requests);

private:
  GridspanBox toAbi(const Box &Blocks) const;
  uint64_t baseOf(const AccessSummary &Access) const;
  void checkSite(uint32_t Site, ArrayRef<Prediction> Predictions,
                 ArrayRef<const TracedRequest *> Requests);
  void violation(uint32_t Site, const Twine &Text) {
    Out.Violations.push_back({Kernel.Name, Launch.Id, Site, Text.str()});
  }

  const KernelSummary &Kernel;
  const TracedLaunch &Launch;
  RangeStatistics &Out;
  std::vector<void *> Args;
};
} // namespace

GridspanBox LaunchChecker::toAbi(const Box &Blocks) const {
  GridspanBox Out = {};
  Out.Args = Args.data();
  llvm::copy(Launch.GridDim, Out.GridDim);
  llvm::copy(Launch.BlockDim, Out.BlockDim);
  llvm::copy(Blocks.Lo, Out.BlockLo);
  llvm::copy(Blocks.Count, Out.BlockCount);
  return Out;
}

/// The pointer that the access's offset is relative to; 0 when it is unknown.
uint64_t LaunchChecker::baseOf(const AccessSummary &Access) const {
  uint64_t Base = 0;
  if (Access.Pointer < 0)
    return Base;
  const PointerSummary &P = Kernel.Pointers[Access.Pointer];
  std::memcpy(&Base, static_cast<std::byte *>(Args[P.Param]) + P.ByteOffset,
              sizeof(Base));
  return Base;
}

void LaunchChecker::checkSite(uint32_t Site, ArrayRef<Prediction> Predictions,
                              ArrayRef<const TracedRequest *> Requests) {
  std::vector<Span> Touched;
  for (const TracedRequest *R : Requests)
    for (uint64_t Address : R->Addresses) {
      Span S = {Address, Address + R->Bytes};
      Touched.push_back(S);
      bool Found = any_of(Predictions, [&](const Prediction &P) {
        return P.Access->Mode == R->Mode && P.contains(S);
      });
      if (Found)
        continue;
      violation(Site, formatv("block ({0}, {1}, {2}) touches {3:x}, which is "
                              "in no range of the site",
                              R->Block[0], R->Block[1], R->Block[2], Address));
      return;
    }
  Touched = merged(std::move(Touched));
  double TouchedBytes = 0, PredictedBytes = 0;
  for (const Span &S : Touched)
    TouchedBytes += static_cast<double>(S.Hi - S.Lo);

  bool Unknown = false, Exact = false;
  for (const Prediction &P : Predictions) {
    if (P.Range.State == GridspanRangeEmpty)
      continue;
    if (P.Range.State == GridspanRangeUnknown) {
      Unknown = true;
      continue;
    }
    PredictedBytes += P.bytes();
    if (P.Range.State != GridspanRangeExact)
      continue;
    Exact = true;
    if (std::optional<uint64_t> At = firstUntouched(P, Touched))
      violation(Site, formatv("the range is said to be exact, but {0:x} is "
                              "not touched",
                              *At));
  }
  // A site that a box never reaches says nothing about tightness.
  if (Touched.empty())
    return;
  ++Out.Checks;
  Out.Unknown += Unknown;
  Out.Exact += Exact && !Unknown;
  if (!Unknown)
    Out.Tightness.push_back(PredictedBytes / TouchedBytes);
}

void LaunchChecker::check(const Box &Blocks, ArrayRef<TracedRequest> Requests) {
  GridspanBox AbiBox = toAbi(Blocks);
  std::map<uint32_t, std::vector<Prediction>> Predictions;
  for (const AccessSummary &A : Kernel.Accesses) {
    Prediction P = {&A, {}, baseOf(A)};
    P.Range.State = GridspanRangeUnknown;
    if (A.Pointer >= 0)
      P.Range = evaluateRange(Kernel, A, AbiBox);
    Predictions[A.Site].push_back(P);
  }
  std::map<uint32_t, std::vector<const TracedRequest *>> BySite;
  for (const TracedRequest &R : Requests)
    if (Blocks.contains(R.Block))
      BySite[R.Site].push_back(&R);
  for (const auto &[Site, Made] : BySite)
    if (!Predictions.count(Site))
      violation(Site, "the site is not in the summary");
  for (const auto &[Site, Expected] : Predictions)
    checkSite(Site, Expected, BySite[Site]);
}

void checkLaunch(const KernelSummary &Kernel, const TracedLaunch &Launch,
                 const std::vector<TracedRequest> &Requests,
                 RangeStatistics &Out) {
  ++Out.Launches;
  LaunchChecker Checker(Kernel, Launch, Out);
  for (const Box &Blocks : boxesOf(Launch))
    Checker.check(Blocks, Requests);
}

} // namespace gridspan
