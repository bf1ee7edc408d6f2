//===- OtherLaunches.cpp - Launches that get to a site --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that are tried are those of which the conditions speak: constants
// that a parameter is compared with, and their neighbours, as a mode is one of
// a few. Then there are 0 and 1, as flags are, and a size that is many times
// the assumed one. Each is tried in the site's conditions and loops, by looking
// at few requests: a launch that executes it is found, or not, and what the
// site does there is evaluated like that of any launch.
//
// Sites under the same conditions have one answer.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/coalescing/OtherLaunches.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

/// Values that are tried for a site at most.
static constexpr size_t MaxValues = 24;
/// Requests that are looked at to see whether there is one, about.
static constexpr unsigned FewRequests = 256;
/// By what factor a size is larger than the assumed one.
static constexpr int64_t LargerSize = 16;

OtherLaunches::OtherLaunches(const KernelSites &Kernel,
                             const LaunchAssumptions &Known,
                             const LaunchValues &Launch,
                             const TrafficOptions &Options)
    : Kernel(Kernel), Known(Known), Launch(Launch), Options(Options) {
  this->Options.MaxRequests = std::min(Options.MaxRequests, FewRequests);
}

/// Returns the parameter that the value is by conversions, or null.
static const ExprNode *parameterOf(const ExprGraph &Graph, ExprId Id) {
  while (Graph[Id].Kind == ExprKind::ZExt || Graph[Id].Kind == ExprKind::SExt ||
         Graph[Id].Kind == ExprKind::Trunc)
    Id = Graph[Id].Ops[0];
  return Graph[Id].Kind == ExprKind::Param ? &Graph[Id] : nullptr;
}

std::vector<ParameterValue> OtherLaunches::valuesFor(const Way &Path) const {
  const ExprGraph &Graph = Kernel.Exprs;
  std::vector<ParameterValue> Compared, Plain;
  auto Add = [&](std::vector<ParameterValue> &To, const ExprNode &Param,
                 int64_t Value) {
    auto Number = std::pair(unsigned(Param.A), unsigned(Param.B));
    if (Known.isGiven(Kernel.Name, Number))
      return;
    auto It = Launch.Params.find(Number);
    bool IsAssumed = It != Launch.Params.end() && It->second == Value;
    bool IsThere = any_of(To, [&](const ParameterValue &Other) {
      return Other.Param == Number.first && Other.ByteOffset == Number.second &&
             Other.Value == Value;
    });
    if (!IsAssumed && !IsThere)
      To.push_back({Number.first, Number.second, Value});
  };
  for (ExprId Id : Graph.below(Path)) {
    const ExprNode &Node = Graph[Id];
    if (Node.Kind == ExprKind::Param)
      for (int64_t Value :
           {int64_t(0), int64_t(1), TypicalParameter * LargerSize})
        Add(Plain, Node, Value);
    if (Node.Kind != ExprKind::ICmp)
      continue;
    for (unsigned Side : {0, 1})
      if (const ExprNode *Param = parameterOf(Graph, Node.Ops[Side]))
        if (auto Constant = Graph.constantValue(Node.Ops[1 - Side]))
          for (int64_t Step : {0, 1, -1})
            Add(Compared, *Param, *Constant + Step);
  }
  append_range(Compared, Plain);
  if (Compared.size() > MaxValues)
    Compared.resize(MaxValues);
  return Compared;
}

LaunchValues OtherLaunches::with(const ParameterValue &Changed) const {
  LaunchValues Out = Launch;
  Out.Params[{Changed.Param, Changed.ByteOffset}] = Changed.Value;
  return Out;
}

LaunchMemo &OtherLaunches::memoOf(const ParameterValue &Changed) {
  return Memos[{Changed.Param, Changed.ByteOffset, Changed.Value}];
}

bool OtherLaunches::isExecuted(const MemorySite &Site,
                               const ParameterValue &Changed) {
  SiteTraffic T = evaluateTraffic(Kernel.Exprs, Site, with(Changed), Options,
                                  &memoOf(Changed));
  // What a lane that gets there has for an address may be unknown.
  return T.Sums ? T.Sums->Requests > 0 : true;
}

std::optional<ParameterValue> OtherLaunches::executing(const MemorySite &Site) {
  Way Path(Site.Guards.begin(), Site.Guards.end());
  for (const SiteLoop &Loop : Site.Loops)
    for (ExprId Id : {Loop.BackedgeTaken, Loop.Stay})
      if (Id != NoExpr)
        Path.push_back(Id);
  auto [It, IsNew] = Found.try_emplace(Path, std::nullopt);
  if (!IsNew)
    return It->second;
  for (const ParameterValue &Value : valuesFor(Path))
    if (isExecuted(Site, Value)) {
      It->second = Value;
      break;
    }
  return It->second;
}

} // namespace gridspan
