//===- LoadWaits.cpp - How long a warp waits for loads --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of the PTX belong to the accesses of their block in order; where the
// numbers differ, to the mean of them. Loads of a block that are under way
// together wait for L2 as often as those of one array together, since
// neighbours wait for the same sectors. A load is not under way together with
// one that it has to wait for: whose value its address needs, or a store that
// it does not pass.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/LoadWaits.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
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

std::vector<unsigned> turnsOf(const PtxBlock &Block) {
  std::vector<unsigned> Out;
  DenseMap<unsigned, unsigned> Ready; // the turn from which a register is there
  unsigned Ordered = 0;
  for (const PtxInstruction &I : Block.Instructions) {
    unsigned Turn = 0;
    for (unsigned Use : I.Uses)
      Turn = std::max(Turn, Ready.lookup(Use));
    if (I.isWrite() || I.isOrderedLoad())
      Turn = std::max(Turn, Ordered);
    if (I.isWrite())
      Ordered = Turn;
    Out.push_back(Turn);
    const bool IsFromMemory = I.Latency == LatencyClass::Memory;
    for (unsigned Def : I.Defs)
      Ready[Def] = Turn + IsFromMemory;
  }
  return Out;
}

/// Returns for each of the sites, which are of one block and have the turns,
/// how often it waits for L2.
static SmallVector<double, 16> waitShares(const KernelSites &Kernel,
                                          ArrayRef<L1Rates> Rates,
                                          ArrayRef<unsigned> Sites,
                                          ArrayRef<unsigned> Turns) {
  std::map<std::pair<unsigned, StringRef>, double> ByBase;
  std::map<unsigned, double> Most; // by turn
  for (auto [S, Turn] : zip_equal(Sites, Turns)) {
    if (Kernel.Sites[S].Kind != SiteKind::Load)
      continue;
    double &Sum = ByBase[{Turn, Kernel.Sites[S].Base}];
    Sum = std::min(1.0, Sum + Rates[S].WaitShare);
    Most[Turn] = std::max(Most[Turn], Sum);
  }
  SmallVector<double, 16> Out;
  for (unsigned Turn : Turns)
    Out.push_back(Most[Turn]);
  return Out;
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
    const std::vector<unsigned> Turns = turnsOf(Code.Ptx.Blocks[B]);
    std::vector<double> &List = Out.emplace_back(Instructions.size());
    for (MemorySpace Space : {MemorySpace::Global, MemorySpace::Shared}) {
      SmallVector<unsigned, 16> Sites, OfBlock;
      for (unsigned S = 0; S != Kernel.Sites.size(); ++S)
        if (Kernel.Sites[S].Block == Code.BlockOf[B] &&
            Kernel.Sites[S].Space == Space &&
            Kernel.Sites[S].Kind != SiteKind::Store)
          Sites.push_back(S);
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
      SmallVector<unsigned, 16> TurnOf(Sites.size(), 0);
      if (Sites.size() == OfBlock.size())
        for (size_t I = 0; I != Sites.size(); ++I)
          TurnOf[I] = Turns[OfBlock[I]];
      SmallVector<double, 16> OfSites;
      for (auto [S, WaitShare] :
           zip_equal(Sites, waitShares(Kernel, Rates, Sites, TurnOf)))
        OfSites.push_back(LatencyAt(S, WaitShare));
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
