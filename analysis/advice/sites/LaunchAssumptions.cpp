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
#include <set>

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

/// Returns the parameters, also extended or cut, that something is shifted by.
static std::set<ExprId> shiftAmounts(const ExprGraph &Graph) {
  std::set<ExprId> Out;
  for (const ExprNode &Node : Graph.nodes()) {
    if (Node.Kind != ExprKind::Shl && Node.Kind != ExprKind::LShr &&
        Node.Kind != ExprKind::AShr)
      continue;
    ExprId By = Node.Ops[1];
    while (Graph[By].Kind == ExprKind::ZExt ||
           Graph[By].Kind == ExprKind::SExt ||
           Graph[By].Kind == ExprKind::Trunc)
      By = Graph[By].Ops[0];
    if (Graph[By].Kind == ExprKind::Param)
      Out.insert(By);
  }
  return Out;
}

LaunchValues assumedLaunch(const KernelSites &Kernel,
                           const LaunchAssumptions &Known) {
  LaunchValues Launch;
  std::array<bool, 3> Used = {};
  const std::set<ExprId> Shifts = shiftAmounts(Kernel.Exprs);
  for (ExprId Id = 0, E = Kernel.Exprs.size(); Id != E; ++Id) {
    const ExprNode &Node = Kernel.Exprs[Id];
    if (Node.Kind == ExprKind::ThreadIdx || Node.Kind == ExprKind::BlockIdx)
      Used[Node.A] = true;
    if (Node.Kind != ExprKind::Param)
      continue;
    std::pair<unsigned, unsigned> Param = {unsigned(Node.A), unsigned(Node.B)};
    const int64_t *Given = Known.param(Kernel.Name, Param);
    int64_t Typical = Shifts.count(Id) ? TypicalShift : TypicalParameter;
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

LaunchAssumptions withLaunch(LaunchAssumptions Known, const std::string &Kernel,
                             const LaunchValues &Launch) {
  Known.Block.ByName[Kernel] = Launch.Block;
  Known.Grid.ByName[Kernel] = Launch.Grid;
  for (const auto &[Param, Value] : Launch.Params)
    Known.Params[Param].ByName[Kernel] = Value;
  return Known;
}

} // namespace gridspan
