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
// waits for those that it uses.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/WarpSchedule.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <numeric>

using namespace llvm;

namespace gridspan {

namespace {

class Scheduler {
public:
  Scheduler(const LoadLatencies &Loads, const MachineModel &Machine)
      : Loads(Loads), Machine(Machine) {}

  /// The cycles of block number B.
  double run(const PtxBlock &Block, unsigned B);

  double LoadCycles = 0, WaitCycles = 0; ///< of the last run

private:
  double latencyOf(const PtxInstruction &I, unsigned B, unsigned At) const;

  const LoadLatencies &Loads;
  const MachineModel &Machine;
  /// The time at which a register is there, from the start of the block.
  DenseMap<unsigned, double> Ready;
};

} // namespace

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

double Scheduler::run(const PtxBlock &Block, unsigned B) {
  double Issued = 0, Last = 0, Ordered = 0, Started = 0;
  std::vector<std::pair<double, double>> InFlight;
  for (unsigned At = 0; At != Block.Instructions.size(); ++At) {
    const PtxInstruction &I = Block.Instructions[At];
    double Count = std::accumulate(I.Count.begin(), I.Count.end(), 0.0);
    double Start = 0;
    for (unsigned Use : I.Uses)
      if (auto It = Ready.find(Use); It != Ready.end())
        Start = std::max(Start, It->second);
    if (I.Kind == PtxInstruction::Load && !I.IsReadOnly)
      Start = std::max(Start, Ordered);
    // Addresses of stores are rarely known to differ from those before.
    if (I.Kind == PtxInstruction::Store || I.Kind == PtxInstruction::Atomic) {
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
  return Cycles;
}

WarpSchedule scheduleWarp(const PtxKernel &Kernel, const LoadLatencies &Loads,
                          const MachineModel &Machine) {
  WarpSchedule Out;
  Scheduler S(Loads, Machine);
  for (unsigned B = 0; B != Kernel.Blocks.size(); ++B) {
    const PtxBlock &Block = Kernel.Blocks[B];
    double Cycles = S.run(Block, B);
    // The second iteration waits for what the first one started.
    if (Block.IsOwnSuccessor)
      Cycles = S.run(Block, B);
    Out.Cycles.push_back(Cycles);
    Out.LoadCycles.push_back(S.LoadCycles);
    Out.WaitCycles.push_back(S.WaitCycles);
  }
  return Out;
}

} // namespace gridspan
