//===- RangeCheck.cpp - Access ranges against a trace ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of a box of blocks must hold for every box, so the whole launch,
// quarters along each axis, and the corner blocks are compared. A box's touched
// bytes are the traced requests of its blocks. Where no range is known there is
// nothing to contradict.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-check-ranges/RangeCheck.h"
#include "tools/gridspan-check-ranges/Tiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace gridspan {

/// Returns all blocks, their quarters along each axis, and the first and last.
/// A kernel that gives its iterations to tiles has ranges of tiles only.
static std::vector<Box> boxesOf(const KernelSummary &Kernel,
                                const TracedLaunch &Launch) {
  std::vector<Box> Out = {tileOf(Launch)};
  if (Kernel.Flags & GridspanRepartitioned)
    return Out;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (Launch.BlockCount[Axis] > 1)
      append_range(Out, quartersOf(Out.front(), Axis));
  Box First = {Launch.BlockLo, {1, 1, 1}}, Last = First;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Last.Lo[Axis] += Launch.BlockCount[Axis] - 1;
  Out.push_back(First);
  Out.push_back(Last);
  return Out;
}

/// The first byte of the range that no span holds, or nothing.
static std::optional<uint64_t> firstUntouched(const Prediction &P,
                                              ArrayRef<Span> Touched) {
  for (int64_t Row = 0; Row != P.rows(); ++Row) {
    const auto [Lo, Hi] = P.row(Row);
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
      : Kernel(Kernel), Launch(Launch), Out(Out) {}

  void check(const Box &Blocks, ArrayRef<TracedRequest> Requests);

private:
  void checkSite(uint32_t Site, ArrayRef<Prediction> Predictions,
                 ArrayRef<const TracedRequest *> Requests);
  void violation(uint32_t Site, const Twine &Text) {
    Out.Violations.push_back({Kernel.Name, Launch.Id, Site, Text.str()});
  }

  const KernelSummary &Kernel;
  const TracedLaunch &Launch;
  RangeStatistics &Out;
};
} // namespace

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
  double TouchedBytes = bytesOf(Touched), PredictedBytes = 0;

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
  std::map<uint32_t, std::vector<Prediction>> Predictions;
  for (const Prediction &P : predict(Kernel, Launch, Blocks))
    Predictions[P.Access->Site].push_back(P);
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
  for (const Box &Blocks : boxesOf(Kernel, Launch))
    Checker.check(Blocks, Requests);
}

} // namespace gridspan
