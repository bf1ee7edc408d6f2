//===- LaunchAssumptions.cpp - The launch that advice is about ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks a kernel up by its mangled name first, then by its plain name, then
// among what is said of all kernels. The rest is from LaunchDefaults.def.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/LaunchAssumptions.h"
#include "llvm/Demangle/Demangle.h"
#include <algorithm>
#include <map>

using namespace llvm;

namespace gridspan {

std::array<std::string, 3> kernelNames(const std::string &Mangled) {
  std::string Plain = demangle(Mangled);
  return {"", Plain.substr(0, Plain.find('(')), Mangled};
}

const int64_t *
LaunchAssumptions::param(const std::string &Mangled,
                         std::pair<unsigned, unsigned> Param) const {
  auto It = Params.find(Param);
  return It == Params.end() ? nullptr : It->second.find(Mangled);
}

bool LaunchAssumptions::isGiven(const std::string &Mangled,
                                std::pair<unsigned, unsigned> Param) const {
  auto It = AssumedParams.find(Mangled);
  return param(Mangled, Param) &&
         (It == AssumedParams.end() || !It->second.count(Param));
}

namespace {
/// A number as Constant + Sign * From.
struct PlainSum {
  ExprId From;
  int64_t Constant = 0, Sign = 1;
};

/// The amounts by which something can be shifted, of a parameter.
struct ShiftBounds {
  int64_t Least = 0, Most = INT64_MAX;
};
} // namespace

/// Takes conversions and constants that are added or subtracted off a number.
static PlainSum plainSumOf(const ExprGraph &Graph, ExprId Number) {
  PlainSum Sum{Number};
  while (true) {
    const ExprNode &Node = Graph[Sum.From];
    if (Node.Kind == ExprKind::ZExt || Node.Kind == ExprKind::SExt ||
        Node.Kind == ExprKind::Trunc) {
      Sum.From = Node.Ops[0];
      continue;
    }
    if (Node.Kind != ExprKind::Add && Node.Kind != ExprKind::Sub)
      return Sum;
    std::optional<int64_t> Left = Graph.constantValue(Node.Ops[0]);
    std::optional<int64_t> Right = Graph.constantValue(Node.Ops[1]);
    if (!Left == !Right)
      return Sum;
    const bool IsMinus = Node.Kind == ExprKind::Sub;
    Sum.Constant += Sum.Sign * (Left ? *Left : IsMinus ? -*Right : *Right);
    if (Left && IsMinus)
      Sum.Sign = -Sum.Sign;
    Sum.From = Node.Ops[Left ? 1 : 0];
  }
}

/// Returns the parameters that something is shifted by, also next to constants,
/// and between which values each shift is one: by less than the width.
static std::map<ExprId, ShiftBounds> shiftAmounts(const ExprGraph &Graph) {
  std::map<ExprId, ShiftBounds> Out;
  for (const ExprNode &Node : Graph.nodes()) {
    if (Node.Kind != ExprKind::Shl && Node.Kind != ExprKind::LShr &&
        Node.Kind != ExprKind::AShr)
      continue;
    PlainSum Amount = plainSumOf(Graph, Node.Ops[1]);
    if (Graph[Amount.From].Kind != ExprKind::Param)
      continue;
    ShiftBounds &Bounds = Out[Amount.From];
    int64_t AtZero = -Amount.Sign * Amount.Constant;
    int64_t AtWidth = AtZero + Amount.Sign * (int64_t(Node.Width) - 1);
    Bounds.Least = std::max(Bounds.Least, std::min(AtZero, AtWidth));
    Bounds.Most = std::min(Bounds.Most, std::max(AtZero, AtWidth));
  }
  return Out;
}

/// Returns a logarithm of a size for which all shifts are defined, if there is
/// one.
static int64_t typicalShift(const ShiftBounds &Bounds) {
  if (Bounds.Least > Bounds.Most)
    return TypicalShift;
  return std::clamp(TypicalShift, Bounds.Least, Bounds.Most);
}

LaunchValues assumedLaunch(const KernelSites &Kernel,
                           const LaunchAssumptions &Known) {
  LaunchValues Launch;
  std::array<bool, 3> Used = {};
  const std::map<ExprId, ShiftBounds> Shifts = shiftAmounts(Kernel.Exprs);
  for (ExprId Id = 0, E = Kernel.Exprs.size(); Id != E; ++Id) {
    const ExprNode &Node = Kernel.Exprs[Id];
    if (Node.Kind == ExprKind::ThreadIdx || Node.Kind == ExprKind::BlockIdx)
      Used[Node.A] = true;
    if (Node.Kind != ExprKind::Param)
      continue;
    std::pair<unsigned, unsigned> Param = {unsigned(Node.A), unsigned(Node.B)};
    const int64_t *Given = Known.param(Kernel.Name, Param);
    auto Shift = Shifts.find(Id);
    int64_t Typical =
        Shift == Shifts.end() ? TypicalParameter : typicalShift(Shift->second);
    Launch.Params[Param] = Given ? *Given : Typical;
  }
  const auto *Block = Known.Block.find(Kernel.Name);
  Launch.Block = Block ? *Block : typicalBlock(Used, Kernel.MaxThreads);
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (Used[Axis])
      Launch.Grid[Axis] =
          (TypicalParameter + Launch.Block[Axis] - 1) / Launch.Block[Axis];
  if (const auto *Grid = Known.Grid.find(Kernel.Name))
    Launch.Grid = *Grid;
  if (const uint64_t *Bytes = Known.DynamicShared.find(Kernel.Name))
    Launch.DynamicShared = *Bytes;
  return Launch;
}

LaunchAssumptions
withLaunch(LaunchAssumptions Known, const std::string &Kernel,
           const LaunchValues &Launch,
           const std::set<std::pair<unsigned, unsigned>> &Assumed) {
  Known.AssumedParams[Kernel] = Assumed;
  Known.Block.ByName[Kernel] = Launch.Block;
  Known.Grid.ByName[Kernel] = Launch.Grid;
  for (const auto &[Param, Value] : Launch.Params)
    Known.Params[Param].ByName[Kernel] = Value;
  return Known;
}

} // namespace gridspan
