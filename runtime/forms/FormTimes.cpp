//===- FormTimes.cpp - Whether launches gain by another order -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few times of each order are a count and the least of them.
//
//===----------------------------------------------------------------------===//

#include "runtime/forms/FormTimes.h"
#include <algorithm>

namespace gridspan {

/// Times of each order, with the first one.
static constexpr unsigned TimesOfOrder = 3;
/// Kernels and grids that are told apart.
static constexpr size_t MostKeys = 16;
/// Questions until what has no times yet is left out.
static constexpr unsigned MostQuestions = 64;
/// Launches that take longer by less are as quick.
static constexpr double Margin = 1.03;

const FormTimes::Times &FormTimes::timesOf(const Key &Of,
                                           RecordOrder In) const {
  static const Times None;
  const auto It = All.find(Of);
  if (It == All.end())
    return None;
  return In == RecordOrder::AsMade ? It->second.AsMade : It->second.ByFields;
}

bool FormTimes::isLeftOut(const Key &Of) const {
  return All.size() >= MostKeys && !All.count(Of);
}

bool FormTimes::wants(const Key &Of, RecordOrder In) const {
  return !isLeftOut(Of) && timesOf(Of, In).Count < TimesOfOrder;
}

void FormTimes::add(const Key &Of, RecordOrder In, double Seconds) {
  if (isLeftOut(Of))
    return;
  Both &Known = All[Of];
  Times &To = In == RecordOrder::AsMade ? Known.AsMade : Known.ByFields;
  if (++To.Count > 1)
    To.Least = To.Count == 2 ? Seconds : std::min(To.Least, Seconds);
}

bool FormTimes::isKnown(const Key &Of) const {
  return !wants(Of, RecordOrder::AsMade);
}

bool FormTimes::isSlower() {
  double Before = 0, After = 0;
  bool Waits = false;
  for (const auto &[Of, Known] : All) {
    if (Known.AsMade.Count < TimesOfOrder || Known.ByFields.Count == 0)
      continue;
    // What this kernel gains may make up for another's loss.
    if (Known.ByFields.Count < TimesOfOrder) {
      Waits = true;
      continue;
    }
    Before += Known.AsMade.Least;
    After += Known.ByFields.Least;
  }
  const bool IsSlower = After > Margin * Before;
  return IsSlower && (!Waits || ++Questions > MostQuestions);
}

} // namespace gridspan
