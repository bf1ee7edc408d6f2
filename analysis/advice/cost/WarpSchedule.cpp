//===- WarpSchedule.cpp - Cycles of a warp that runs alone ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiprocessors issue the instructions of a warp in order, but ptxas has
// ordered those of a block so that loads are early: an instruction starts when
// its operands are there, at most one in a cycle; a load does not pass a store
// or barrier that may change what it reads. A block ends when its last
// instruction has started; results may still be under way, and the next block
// waits for those that it uses. Iterations that ptxas joins (PtxUnroll) are one
// block here.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/WarpSchedule.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace llvm;

namespace gridspan {

namespace {

class Scheduler {
public:
  Scheduler(const LoadLatencies &Loads, const MachineModel &Machine)
      : Loads(Loads), Machine(Machine) {}

  /// The cycles of an execution of block number B, Copies of which are one.
  double run(const PtxBlock &Block, unsigned B, unsigned Copies);

  double LoadCycles = 0, WaitCycles = 0; ///< of the last run

private:
  double latencyOf(const PtxInstruction &I, unsigned B, unsigned At) const;

  const LoadLatencies &Loads;
  const MachineModel &Machine;
  /// The time at which a register is there, from the start of the block.
  DenseMap<unsigned, double> Ready;
};

} // namespace

static bool isExchangeLoop(const PtxInstruction &I) {
  return I.Kind == PtxInstruction::Atomic &&
         I.Space == PtxInstruction::Shared &&
         StringRef(I.Opcode).contains(".add.f");
}

double Scheduler::latencyOf(const PtxInstruction &I, unsigned B,
                            unsigned At) const {
  switch (I.Latency) {
  case LatencyClass::Int:
    return I.Steps * Machine.Int32Latency;
  case LatencyClass::Fp32:
    return I.Steps * Machine.Fp32Latency;
  case LatencyClass::Fp64:
    return I.Steps * Machine.Fp64Latency;
  case LatencyClass::Sfu:
    return I.Steps * Machine.SfuLatency;
  case LatencyClass::Shuffle:
    return I.Steps * Machine.ShuffleLatency;
  case LatencyClass::Constant:
    return Machine.ConstantLatency;
  case LatencyClass::Memory:
    return Loads[B][At];
  }
  return 0;
}

double Scheduler::run(const PtxBlock &Block, unsigned B, unsigned Copies) {
  double Issued = 0, Last = 0, Ordered = 0, Started = 0;
  std::vector<std::pair<double, double>> InFlight;
  const size_t Size = Block.Instructions.size();
  for (size_t Number = 0; Number != Size * Copies; ++Number) {
    const unsigned At = Number % Size;
    const PtxInstruction &I = Block.Instructions[At];
    double Count = std::accumulate(I.Count.begin(), I.Count.end(), 0.0);
    double Start = 0;
    for (unsigned Use : I.Uses)
      if (auto It = Ready.find(Use); It != Ready.end())
        Start = std::max(Start, It->second);
    if (I.isOrderedLoad())
      Start = std::max(Start, Ordered);
    // Addresses of stores are rarely known to differ from those before.
    if (I.isWrite()) {
      Start = std::max(Start, Ordered);
      Ordered = Start;
    }
    if (I.Kind == PtxInstruction::Barrier) {
      Start = std::max(Start, Started) + Machine.BarrierLatency;
      Ordered = Start;
    }
    Issued += Count;
    if (Count > 0) {
      Last = std::max(Last, Start + Count);
      Started = std::max(Started, Start);
    }
    double Latency = latencyOf(I, B, At);
    // A loop until the last lane has had its turn.
    if (isExchangeLoop(I))
      Last = std::max(Last, Start + Latency);
    if (I.Kind == PtxInstruction::Load && I.Space == PtxInstruction::Global)
      InFlight.emplace_back(Start, Start + Latency);
    for (unsigned Def : I.Defs)
      Ready[Def] = Start + Latency;
  }
  double Cycles = std::max(Issued, Last);
  for (auto &[Register, Time] : Ready)
    Time -= Cycles;
  llvm::sort(InFlight);
  LoadCycles = WaitCycles = 0;
  double End = 0;
  for (auto [From, To] : InFlight) {
    LoadCycles += To - From;
    WaitCycles += std::max(0.0, To - std::max(From, End));
    End = std::max(End, To);
  }
  LoadCycles /= Copies;
  WaitCycles /= Copies;
  return Cycles / Copies;
}

WarpSchedule scheduleWarp(const PtxKernel &Kernel, const LoadLatencies &Loads,
                          const MachineModel &Machine) {
  WarpSchedule Out;
  Scheduler S(Loads, Machine);
  for (unsigned B = 0; B != Kernel.Blocks.size(); ++B) {
    const PtxBlock &Block = Kernel.Blocks[B];
    // The second iteration waits for what the first one started.
    double LeftOver = S.run(Block, B, 1);
    if (Block.IsOwnSuccessor)
      LeftOver = S.run(Block, B, 1);
    double Cycles = LeftOver;
    for (unsigned I = 0; Block.UnrolledBy > 1 && I != 2; ++I)
      Cycles = S.run(Block, B, Block.UnrolledBy);
    Out.Cycles.push_back(Cycles);
    Out.LeftOver.push_back(LeftOver);
    Out.LoadCycles.push_back(S.LoadCycles);
    Out.WaitCycles.push_back(S.WaitCycles);
  }
  return Out;
}

double cyclesOf(const PtxKernel &Kernel, ArrayRef<unsigned> BlockOf,
                const WarpSchedule &Schedule, ArrayRef<double> Executions) {
  // How often a loop is entered: as often as what is before it.
  std::vector<double> Entries(Kernel.Blocks.size());
  for (unsigned B = 0; B != Kernel.Blocks.size(); ++B)
    for (unsigned S : Kernel.Blocks[B].Successors)
      if (S != B)
        Entries[S] += Executions[BlockOf[B]];
  double Sum = 0;
  for (unsigned B = 0; B != Kernel.Blocks.size(); ++B) {
    const double Times = Executions[BlockOf[B]];
    double LeftOver = 0;
    if (const unsigned By = Kernel.Blocks[B].UnrolledBy; By > 1)
      LeftOver = Entries[B] > 0
                     ? Entries[B] * std::fmod(Times / Entries[B], double(By))
                     : Times;
    LeftOver = std::min(LeftOver, Times);
    Sum += (Times - LeftOver) * Schedule.Cycles[B] +
           LeftOver * Schedule.LeftOver[B];
  }
  return Sum;
}

} // namespace gridspan
