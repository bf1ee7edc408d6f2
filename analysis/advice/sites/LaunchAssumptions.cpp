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

LaunchValues assumedLaunch(const KernelSites &Kernel,
                           const LaunchAssumptions &Known) {
  LaunchValues Launch;
  std::array<bool, 3> Used = {};
  for (const ExprNode &Node : Kernel.Exprs.nodes()) {
    if (Node.Kind == ExprKind::ThreadIdx || Node.Kind == ExprKind::BlockIdx)
      Used[Node.A] = true;
    if (Node.Kind != ExprKind::Param)
      continue;
    std::pair<unsigned, unsigned> Param = {unsigned(Node.A), unsigned(Node.B)};
    const int64_t *Given = Known.param(Kernel.Name, Param);
    Launch.Params[Param] = Given ? *Given : TypicalParameter;
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
