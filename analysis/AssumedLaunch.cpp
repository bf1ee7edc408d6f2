//===- AssumedLaunch.cpp - The launch that advice is about ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/AssumedLaunch.h"
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

std::array<uint32_t, 3> typicalBlock(const std::array<bool, 3> &Used,
                                     uint32_t MaxThreads) {
  std::array<uint32_t, 3> Block = {256, 1, 1};
  if (Used[1])
    Block = {32, 8, 1};
  if (Used[2])
    Block = {32, 4, 2};
  // Threads along x that do all the same are nobody's.
  if (!Used[0] && Used[1])
    Block = Used[2] ? std::array<uint32_t, 3>{1, 32, 8}
                    : std::array<uint32_t, 3>{1, 256, 1};
  uint32_t Threads = MaxThreads ? MaxThreads : 256;
  for (unsigned Axis : {2u, 1u, 0u})
    while (Block[Axis] > 1 && Block[0] * Block[1] * Block[2] > Threads)
      Block[Axis] /= 2;
  return Block;
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
