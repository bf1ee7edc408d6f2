//===- LoadWaits.cpp - How long a warp waits for loads --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of the PTX belong to the accesses of their block in order; where the
// numbers differ, to the mean of them. Loads of a block wait for L2 as often as
// those of one array together, since neighbours wait for the same sectors.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/LoadWaits.h"
#include <algorithm>
#include <map>
#include <numeric>

using namespace llvm;

namespace gridspan {

bool isExchangeLoop(const MemorySite &Site) {
  return Site.Space == MemorySpace::Shared && Site.Kind == SiteKind::Atomic &&
         Site.IsFloatAtomic;
}

double warpsInTurn(const KernelSites &Kernel, const MemorySite &Site,
                   unsigned WarpsPerBlock) {
  return Site.Offset != NoExpr && Kernel.Exprs.isUniform(Site.Offset)
             ? WarpsPerBlock
             : 1;
}

/// Returns the cycles from one exchange that succeeds on an address to the
/// next: what was exchanged is loaded, added to and exchanged.
static double exchangeCycles(const MachineModel &Machine) {
  // The last two are the comparison and the branch.
  return 2 * Machine.SharedLatency + Machine.Fp32Latency +
         3 * Machine.Int32Latency;
}

/// Returns how often the loads of a block have to wait for L2.
static double waitShareOf(const KernelSites &Kernel, ArrayRef<L1Rates> Rates,
                          unsigned Block) {
  std::map<std::string, double> ByBase;
  double Most = 0;
  for (unsigned S = 0; S != Kernel.Sites.size(); ++S) {
    const MemorySite &Site = Kernel.Sites[S];
    if (Site.Block != Block || Site.Space != MemorySpace::Global ||
        Site.Kind != SiteKind::Load)
      continue;
    double &Sum = ByBase[Site.Base];
    Sum = std::min(1.0, Sum + Rates[S].WaitShare);
    Most = std::max(Most, Sum);
  }
  return Most;
}

LoadLatencies loadWaits(const BackendKernel &Code, ArrayRef<L1Rates> Rates,
                        const LocalTraffic &Local, double Miss,
                        unsigned WarpsPerBlock, const MachineModel &Machine) {
  const KernelSites &Kernel = Code.Sites;
  auto FromL1 = [&](double WaitShare) {
    return Machine.L1Latency +
           WaitShare * std::max(0.0, Miss - Machine.L1Latency);
  };
  auto LatencyAt = [&](unsigned S, double WaitShare) {
    const L1Rates &R = Rates[S];
    const MemorySite &Site = Kernel.Sites[S];
    if (isExchangeLoop(Site))
      return R.Units * warpsInTurn(Kernel, Site, WarpsPerBlock) *
             exchangeCycles(Machine);
    // Further lines and passes come one after the other.
    if (Site.Space == MemorySpace::Shared)
      return Machine.SharedLatency + 2 * std::max(0.0, R.Units - 1);
    if (Site.Kind == SiteKind::Atomic)
      return Miss;
    return FromL1(WaitShare) + std::max(R.Lines, R.Passes) - 1;
  };
  LoadLatencies Out;
  for (unsigned B = 0; B != Code.Ptx.Blocks.size(); ++B) {
    const auto &Instructions = Code.Ptx.Blocks[B].Instructions;
    const double WaitShare = waitShareOf(Kernel, Rates, Code.BlockOf[B]);
    std::vector<double> &List = Out.emplace_back(Instructions.size());
    for (MemorySpace Space : {MemorySpace::Global, MemorySpace::Shared}) {
      SmallVector<double, 16> OfSites;
      for (unsigned S = 0; S != Kernel.Sites.size(); ++S)
        if (Kernel.Sites[S].Block == Code.BlockOf[B] &&
            Kernel.Sites[S].Space == Space &&
            Kernel.Sites[S].Kind != SiteKind::Store)
          OfSites.push_back(LatencyAt(S, WaitShare));
      SmallVector<unsigned, 16> OfBlock;
      for (unsigned I = 0; I != Instructions.size(); ++I) {
        const PtxInstruction &Instruction = Instructions[I];
        if (Instruction.Kind != PtxInstruction::Load &&
            Instruction.Kind != PtxInstruction::Atomic)
          continue;
        if (Instruction.Space == PtxInstruction::Local)
          List[I] = FromL1(Local.MissShare);
        else if ((Instruction.Space == PtxInstruction::Shared) ==
                 (Space == MemorySpace::Shared))
          OfBlock.push_back(I);
      }
      double Mean = Space == MemorySpace::Shared ? Machine.SharedLatency : Miss;
      if (!OfSites.empty())
        Mean = std::accumulate(OfSites.begin(), OfSites.end(), 0.0) /
               double(OfSites.size());
      for (unsigned I = 0; I != OfBlock.size(); ++I)
        List[OfBlock[I]] = OfSites.size() == OfBlock.size() ? OfSites[I] : Mean;
    }
  }
  return Out;
}

} // namespace gridspan
