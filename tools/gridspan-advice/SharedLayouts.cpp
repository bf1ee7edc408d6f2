//===- SharedLayouts.cpp - One layout for a struct type -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of a kernel are of whole launches, so what forms save is added up, not
// the times: arrays of one kernel would count its launch twice. Only forms that
// every array could have are compared; an array that has the alignment already
// has no aligned form and stays as it is. Which fields could be split off
// differs from kernel to kernel.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/SharedLayouts.h"
#include "tools/gridspan-advice/TimeText.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace gridspan {

/// The least gain worth a finding, the same as for one kernel.
static constexpr double MinGain = 1.05;

using ArrayOfKernel = std::pair<size_t, const LayoutTable *>;

static double saves(const LayoutTable &A, const std::string &Layout) {
  for (const LayoutTime &L : A.Layouts)
    if (L.Layout == Layout)
      return A.Layouts.front().Seconds - L.Seconds;
  return 0;
}

static void choose(const std::vector<ArrayOfKernel> &Arrays,
                   const std::vector<Kernel> &Kernels, SharedLayout &Out) {
  std::set<std::string> Forms;
  for (const auto &[Index, A] : Arrays)
    for (const LayoutTime &L : A->Layouts)
      if (L.Layout != "split")
        Forms.insert(L.Layout);
  auto SavedIn = [&](size_t Of, const std::string &Form) {
    double Sum = 0;
    for (const auto &[Index, A] : Arrays)
      if (Index == Of)
        Sum += saves(*A, Form) * static_cast<double>(Kernels[Of].Launches);
    return Sum;
  };
  for (const std::string &Form : Forms) {
    double Sum = 0;
    for (size_t Index : Out.Kernels)
      Sum += SavedIn(Index, Form);
    if (Sum > Out.Saved) {
      Out.Saved = Sum;
      Out.Recommended = Form;
    }
  }
  if (Out.Seconds < MinGain * (Out.Seconds - Out.Saved)) {
    Out.Recommended.clear();
    Out.Saved = 0;
    return;
  }
  for (size_t Index : Out.Kernels)
    if (SavedIn(Index, Out.Recommended) < 0)
      Out.Losers.push_back(Kernels[Index].Name);
}

std::vector<SharedLayout> sharedLayouts(const std::vector<Kernel> &Kernels) {
  std::map<std::tuple<std::string, std::string, uint64_t>,
           std::vector<ArrayOfKernel>>
      ByType;
  for (size_t I = 0; I < Kernels.size(); ++I)
    for (const LayoutTable &A : Kernels[I].Arrays)
      if (!A.Type.empty() && !A.Layouts.empty())
        ByType[{A.Type, Kernels[I].Target, A.RecordBytes}].emplace_back(I, &A);
  std::vector<SharedLayout> Out;
  for (const auto &[Key, Arrays] : ByType) {
    SharedLayout L;
    std::tie(L.Type, L.Target, L.RecordBytes) = Key;
    for (const auto &[Index, A] : Arrays) {
      if (!L.Kernels.empty() && L.Kernels.back() == Index)
        continue;
      L.Kernels.push_back(Index);
      L.Seconds += A->Layouts.front().Seconds *
                   static_cast<double>(Kernels[Index].Launches);
    }
    if (L.Kernels.size() < 2)
      continue;
    choose(Arrays, Kernels, L);
    Out.push_back(std::move(L));
  }
  return Out;
}

std::string sharedLayoutText(const SharedLayout &L) {
  std::string Out = fmt::format("{} of {} bytes in {} kernels: ", L.Type,
                                L.RecordBytes, L.Kernels.size());
  if (L.Recommended.empty())
    return Out + "no other layout is faster for all together, " +
           timeText(L.Seconds);
  Out += fmt::format("{} for all, {} instead of {}", L.Recommended,
                     timeText(L.Seconds - L.Saved), timeText(L.Seconds));
  if (!L.Losers.empty())
    Out += fmt::format("; slower then: {}", fmt::join(L.Losers, ", "));
  return Out;
}

void addSharedLayouts(const std::vector<SharedLayout> &Layouts,
                      const std::vector<Kernel> &Kernels,
                      std::vector<Finding> &List) {
  for (Finding &F : List) {
    if (F.Rule != "data-layout")
      continue;
    for (const SharedLayout &L : Layouts)
      for (const LayoutTable &A : Kernels[F.Kernel].Arrays)
        if (A.Base == F.Base && A.Type == L.Type &&
            A.RecordBytes == L.RecordBytes &&
            Kernels[F.Kernel].Target == L.Target)
          F.Advice += "; " + sharedLayoutText(L);
  }
}

} // namespace gridspan
