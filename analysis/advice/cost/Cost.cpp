//===- Cost.cpp - Predicted time of a kernel's launch ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/design/cost-model.md is the description. In the order of the
// computation: blocks that fit a multiprocessor; executions of each basic block
// (KernelWalk); what L1 and L2 have to do (L1Traffic, LaunchFootprint); how
// long a warp takes alone (WarpSchedule); the time that each part of the GPU
// needs for its share; and all of them joined as a p-norm, which is the longest
// where one stands out, and more than each where several are alike.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/Cost.h"
#include "analysis/advice/cost/BackendCode.h"
#include "analysis/advice/cost/LaunchFootprint.h"
#include "analysis/advice/cost/LoadWaits.h"
#include "analysis/advice/cost/LocalMemory.h"
#include "analysis/advice/cost/MeasuredCost.h"
#include "analysis/advice/cost/WarpSchedule.h"
#include "analysis/advice/warpsim/L1Model.h"
#include "analysis/advice/warpsim/L1Traffic.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace llvm;

namespace gridspan {

StringRef costLimitName(CostLimit Limit) {
  static constexpr StringLiteral Names[NumCostLimits] = {
      "launch", "blocks", "latency",   "issue",   "fp32", "fp64",
      "int",    "sfu",    "load unit", "atomics", "L2",   "memory"};
  return Names[unsigned(Limit)];
}

StringRef occupancyLimitName(OccupancyLimit Limit) {
  static constexpr StringLiteral Names[] = {"warps", "blocks", "registers",
                                            "shared memory"};
  return Names[unsigned(Limit)];
}

double KernelCost::intensity() const {
  double Bytes = MemoryReadBytes + MemoryWriteBytes;
  return Bytes > 0 ? (Flops32 + Flops64) / Bytes : 0;
}

namespace {

/// One kernel and launch.
class Prediction {
public:
  Prediction(const BackendKernel &Code, const KernelSummary &Summary,
             const MachineModel &Machine, const MeasuredSites &Measured,
             KernelCost &Cost)
      : Code(Code), Kernel(Code.Sites), Summary(Summary), Machine(Machine),
        Measured(Measured), Cost(Cost), Walk(Code.Sites, Cost.Launch, Machine) {
  }

  void run();

private:
  void occupancy();
  void instructions();
  void memory();
  void latency();
  double latencyBound();
  void bounds();
  void join();
  double memoryShare() const;
  double missLatency() const;
  double mostBytes(bool IsWritten) const;
  double requestsOf(unsigned Site) const;
  double &bound(CostLimit Limit) { return Cost.Bounds[unsigned(Limit)]; }
  double microseconds(double Cycles) const {
    return Cycles / Machine.ClockGHz * 1e-3;
  }
  double pipe(Pipe P) const { return Cost.ByPipe[unsigned(P)]; }

  const BackendKernel &Code;
  const KernelSites &Kernel;
  const KernelSummary &Summary;
  const MachineModel &Machine;
  const MeasuredSites &Measured;
  KernelCost &Cost;
  KernelWalk Walk;
  LaunchCounts Counts;
  std::vector<L1Rates> Rates;
  LocalTraffic Local;
  double LoadUnitCycles = 0, AtomicCycles = 0, L2Seconds = 0;
  double Sums = 0; ///< of what is counted in Pipe::Int
};

} // namespace

void Prediction::occupancy() {
  unsigned Threads =
      Cost.Launch.Block[0] * Cost.Launch.Block[1] * Cost.Launch.Block[2];
  unsigned Warps = divideCeil(Threads, WarpSize);
  // Registers are given out to warps by 256 (CUDA occupancy calculator, compute
  // capability 8 and 9).
  unsigned OfWarp = alignTo(std::max(Cost.Registers, 16u) * WarpSize,
                            Machine.RegisterGranule);
  // A scheduler has its own quarter of the registers.
  unsigned WarpsByRegisters =
      Machine.Registers / Machine.Schedulers / OfWarp * Machine.Schedulers;
  const std::pair<unsigned, OccupancyLimit> Limits[] = {
      {Machine.MaxWarps / Warps, OccupancyLimit::Warps},
      {Machine.MaxBlocks, OccupancyLimit::Blocks},
      {WarpsByRegisters / Warps, OccupancyLimit::Registers},
      {Machine.blocksByShared(Cost.allSharedBytes()),
       OccupancyLimit::SharedMemory}};
  Cost.ResidentBlocks = ~0u;
  for (auto [Blocks, Limit] : Limits)
    if (Blocks < Cost.ResidentBlocks) {
      Cost.ResidentBlocks = Blocks;
      Cost.LimitedBy = Limit;
    }
  Cost.ResidentWarps = Cost.ResidentBlocks * Warps;
  Cost.Waves = double(Walk.numBlocks()) / (double(Machine.Multiprocessors) *
                                           std::max(1u, Cost.ResidentBlocks));
}

/// Returns true for sums of integers, which either pipe can do: IADD3 or IMAD.
static bool isSum(const PtxInstruction &I) {
  const StringRef Opcode = I.Opcode;
  return Opcode.starts_with("add.s") || Opcode.starts_with("sub.s");
}

void Prediction::instructions() {
  Counts = Walk.count();
  if (useMeasuredCounts(Kernel, Measured, Counts))
    Cost.Assumptions.emplace_back(
        "branches and trip counts that follow from data are as in the sample "
        "that the run has recorded");
  Cost.Warps = double(Walk.numBlocks()) * Walk.warpsPerBlock();
  if (!Counts.AreTripCountsKnown)
    Cost.Assumptions.push_back(
        formatv("{0} iterations of a loop whose trip count is not known",
                UnknownTrips));
  if (!Counts.AreGuardsKnown)
    Cost.Assumptions.emplace_back(
        "both sides of a branch that depends on data");
  for (unsigned B = 0; B != Code.Ptx.Blocks.size(); ++B) {
    const PtxBlock &Block = Code.Ptx.Blocks[B];
    BlockCount Count = Counts.Blocks[Code.BlockOf[B]];
    if (Block.PredicatedIn >= 0)
      Count.Warps = Counts.Blocks[Code.BlockOf[Block.PredicatedIn]].Warps;
    for (const PtxInstruction &I : Block.Instructions) {
      for (unsigned P = 0; P != NumPipes; ++P) {
        Cost.ByPipe[P] += Count.Warps * I.Count[P];
        Cost.WarpInstructions += Count.Warps * I.Count[P];
      }
      if (isSum(I))
        Sums += Count.Warps * I.Count[unsigned(Pipe::Int)];
      Cost.Flops32 += Count.Lanes * I.Flops32;
      Cost.Flops64 += Count.Lanes * I.Flops64;
    }
  }
}

/// Returns the requests of the site in the launch.
double Prediction::requestsOf(unsigned Site) const {
  return Counts.Blocks[Kernel.Sites[Site].Block].Warps * Rates[Site].Requests;
}

/// Returns the bytes that pass between L2 and memory if L2 keeps nothing, for
/// what stores write or for what others read; infinity if no traced warp gets
/// to one of them.
double Prediction::mostBytes(bool IsWritten) const {
  double Sum = 0;
  for (unsigned I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    const L1Rates &R = Rates[I];
    const double Requests = requestsOf(I);
    if (Site.Space != MemorySpace::Global || Requests == 0 ||
        (Site.Kind == (IsWritten ? SiteKind::Load : SiteKind::Store)))
      continue;
    if (R.Units == 0)
      return std::numeric_limits<double>::infinity();
    const bool IsLoad = Site.Kind == SiteKind::Load;
    Sum += Requests * std::min((IsLoad ? R.MissedSectors : R.Units) *
                                   Machine.DramFetchBytes,
                               (IsLoad ? R.MissedLines : R.Lines) * LineBytes);
  }
  return Sum;
}

/// Returns true if ptxas adds up the operands of a warp, and has one lane do
/// the atomic: where all lanes have one address, and nobody needs the old
/// value.
static bool isReducedInWarp(const MemorySite &Site, const L1Rates &R) {
  return !Site.IsFloatAtomic && !Site.IsResultUsed && Site.Size == 4 &&
         R.IsKnown && R.Addresses == 1;
}

void Prediction::memory() {
  uint64_t OfBlock = Cost.allSharedBytes();
  uint64_t Shared =
      Cost.ResidentBlocks * (OfBlock + Machine.SharedBytesReserved);
  // The driver takes a little more for shared memory than is used.
  uint64_t L1 =
      OfBlock ? Machine.L1Bytes - std::min(Machine.L1Bytes, Shared * 9 / 8)
              : Machine.L1Bytes - (Machine.L1Bytes >> 4);
  Rates = l1RatesOf(Kernel, Walk, Machine, L1, Cost.ResidentBlocks);
  useMeasuredRates(Kernel, Measured, L1, Machine, Rates);
  const double Together = std::min(
      1.0, std::ceil(double(Walk.numBlocks()) / Machine.Multiprocessors) /
               Cost.ResidentBlocks);
  Local =
      localTraffic(Code, Counts, Together * Cost.ResidentWarps, L1, Machine);
  LoadUnitCycles += Local.LoadUnitCycles;
  Cost.L1Sectors += Local.L1Sectors;
  Cost.L2ReadSectors += Local.L2ReadSectors;
  Cost.UsedSectors += Local.L2ReadSectors;
  Cost.L2WriteSectors += Local.L2WriteSectors;
  uint64_t Wave = uint64_t(Machine.Multiprocessors) * Cost.ResidentBlocks;
  MemoryTraffic Traffic = memoryTraffic(Summary, Cost.Launch, Wave, Machine,
                                        measuredSizes(Kernel, Measured));
  Cost.Footprint = Traffic.Footprint;
  // Where ranges are far wider than what is touched, requests say more.
  Cost.MemoryReadBytes =
      std::min(Traffic.ReadBytes, Traffic.FilledBytes + mostBytes(false));
  Cost.MemoryWriteBytes = std::min(Traffic.WriteBytes, mostBytes(true));

  // A line request to L2 of 1 to 4 sectors.
  double Whole = LineBytes / (Machine.L2GBs * 1e9);
  double Single = 1 / (Machine.L2GSectors * 1e9);
  double OfSector = std::max(0.0, Whole - Single) / 3;
  double OfLine = std::max(0.0, Single - OfSector);
  L2Seconds +=
      Whole / SectorsOfLine * (Local.L2ReadSectors + Local.L2WriteSectors);
  bool IsRandom = false;
  double Throughput = 0, InTurn = 0; // cycles and operations of atomics
  for (unsigned I = 0; I != Kernel.Sites.size(); ++I) {
    const MemorySite &Site = Kernel.Sites[I];
    const L1Rates &R = Rates[I];
    double Requests = requestsOf(I);
    if (Requests == 0)
      continue;
    IsRandom |= !R.IsKnown && !R.IsMeasured;
    if (Site.Space == MemorySpace::Shared) {
      Cost.SharedPasses += Requests * R.Units;
      if (isExchangeLoop(Site)) {
        // All whose turn it is not try again.
        const double Tries =
            Requests * R.Units *
            (1 + warpsInTurn(Kernel, Site, Walk.warpsPerBlock())) / 2;
        Cost.WarpInstructions += Tries * ExchangeInstructions;
        Cost.ByPipe[unsigned(Pipe::Control)] += Tries * ExchangeInstructions;
      }
      LoadUnitCycles +=
          Requests * R.Units *
          (Site.Kind == SiteKind::Atomic ? Machine.SharedAtomicCycles
                                         : WarpSize / Machine.SharedLanes);
      continue;
    }
    Cost.GlobalRequests += Requests;
    // One at least, for sites that no traced warp gets to as well.
    LoadUnitCycles += Requests * std::max(1.0, R.Cycles);
    if (Site.Kind == SiteKind::Load) {
      Cost.L1Sectors += Requests * R.Units;
      Cost.L2ReadSectors += Requests * R.MissedSectors;
      Cost.UsedSectors += Requests * R.UsedSectors;
      L2Seconds +=
          Requests * (OfLine * R.MissedLines + OfSector * R.MissedSectors);
      LoadUnitCycles += Requests * R.MissedSectors * Machine.L2SectorCycles;
      if (!R.IsKnown)
        Cost.MemoryReadBytes += bytesFromMemory(
            Requests * R.MissedSectors * SectorBytes, R.ArrayBytes, Machine);
      continue;
    }
    if (Site.Kind == SiteKind::Store) {
      Cost.L2WriteSectors += Requests * R.Units;
      double OfStore = OfLine * R.Lines + OfSector * R.Units;
      // A sector that a request writes in part costs more.
      if (double(Site.Piece) * R.Addresses < 0.9 * SectorBytes * R.Units)
        OfStore = Single * R.Lines +
                  (1 / (Machine.L2WriteGSectors * 1e9) - Single) * R.Units;
      L2Seconds += Requests * OfStore;
      if (!R.IsKnown)
        Cost.MemoryWriteBytes += bytesFromMemory(
            Requests * R.Units * SectorBytes, R.ArrayBytes, Machine);
      continue;
    }
    // What all lanes do to one address, ptxas lets one lane do.
    const double Lanes = isReducedInWarp(Site, R) ? 1 : R.Lanes;
    Cost.AtomicLanes += Requests * R.Lanes;
    Throughput += Requests * std::max(Lanes / Machine.AtomicsPerCycle,
                                      R.Units / Machine.AtomicSectorsPerCycle);
    // Different addresses of one sector at once; of lanes on one address,
    // integers are joined on the way if nobody needs what was there before.
    bool IsJoined = !Site.IsFloatAtomic && !Site.IsResultUsed;
    double OfAddress = R.Addresses > 0 ? R.Lanes / R.Addresses : R.Lanes;
    InTurn += Requests * R.Units * (IsJoined ? 1 : OfAddress) *
              (Site.IsFloatAtomic ? std::max(1.0, Site.Piece / 4.0) : 1);
  }
  // A line's operations are done in turn, by the part of L2 that has it; lines
  // of resident blocks beside each other.
  double Lines =
      InTurn > 0 ? atomicLines(Summary, Cost.Launch, Wave, Machine) : 0;
  AtomicCycles = Throughput;
  if (Lines > 0)
    AtomicCycles =
        std::max(Throughput, InTurn / (Lines * Machine.AtomicsReturnPerCycle));
  if (IsRandom)
    Cost.Assumptions.emplace_back(
        "random addresses, in memory, where they are not known");
}

/// Returns the share of requests to L2 that memory has to serve.
double Prediction::memoryShare() const {
  const double L2Bytes =
      (Cost.L2ReadSectors + Cost.L2WriteSectors) * SectorBytes;
  const double Bytes = Cost.MemoryReadBytes + Cost.MemoryWriteBytes;
  return L2Bytes > 0 ? std::min(1.0, Bytes / L2Bytes) : 0;
}

/// Returns the latency of a request that misses L1.
double Prediction::missLatency() const {
  return Machine.L2Latency +
         memoryShare() * (Machine.DramLatency - Machine.L2Latency);
}

void Prediction::latency() {
  auto ScheduleWith = [&](double Factor) {
    return scheduleWarp(Code.Ptx,
                        loadWaits(Code, Rates, Local, Factor * missLatency(),
                                  Walk.warpsPerBlock(), Machine),
                        Machine);
  };
  const WarpSchedule Schedule = ScheduleWith(1), Slower = ScheduleWith(2);
  auto CyclesOf = [&](const std::vector<double> &Warp,
                      const WarpSchedule &Schedule) {
    return cyclesOf(Code.Ptx, Code.BlockOf, Schedule, Warp);
  };
  const size_t OfBlock =
      Counts.OfWarps.size() / std::max<size_t>(1, Counts.BlockShares.size());
  for (size_t B = 0; B != Counts.BlockShares.size(); ++B) {
    double Most = 0, MostMemory = 0;
    for (size_t W = B * OfBlock; W != (B + 1) * OfBlock; ++W) {
      const double Cycles = CyclesOf(Counts.OfWarps[W], Schedule);
      if (Cycles <= Most)
        continue;
      Most = Cycles;
      MostMemory = CyclesOf(Counts.OfWarps[W], Slower) - Cycles;
    }
    Cost.BlockCycles += Counts.BlockShares[B] * Most;
    Cost.BlockMemoryCycles += Counts.BlockShares[B] * MostMemory;
    if (Most <= Cost.LongestCycles)
      continue;
    Cost.LongestCycles = Most;
    Cost.LongestMemoryCycles = MostMemory;
  }
  std::vector<double> Mean;
  for (const BlockCount &Count : Counts.Blocks)
    Mean.push_back(Count.Warps / Cost.Warps);
  Cost.WarpCycles = CyclesOf(Mean, Schedule);
  Cost.MemoryCycles = CyclesOf(Mean, Slower) - Cost.WarpCycles;
  double LoadCycles = 0, WaitCycles = 0;
  for (unsigned B = 0; B != Code.Ptx.Blocks.size(); ++B) {
    LoadCycles += Mean[Code.BlockOf[B]] * Schedule.LoadCycles[B];
    WaitCycles += Mean[Code.BlockOf[B]] * Schedule.WaitCycles[B];
  }
  Cost.LoadsInFlight = WaitCycles > 0 ? LoadCycles / WaitCycles : 0;
}

/// Returns how many rounds of resident blocks a multiprocessor goes through.
/// Blocks that start together end together; later they drift apart, and a last
/// round that is not full costs only its share.
static double roundsOf(double Waves) {
  if (Waves <= 1)
    return 1;
  return Waves + (std::ceil(Waves) - Waves) * std::exp(1 - Waves);
}

/// Returns the time of the warps of all rounds, the other bounds being there. A
/// request waits longer than one that is alone by the share of the time in
/// which what it passes through is in use, and for those of its warp that are
/// under way to other rows of memory.
double Prediction::latencyBound() {
  auto With = [&](double Slower) {
    // A block makes room for the next one when its last warp has ended.
    double Mean = Cost.BlockCycles + Slower * Cost.BlockMemoryCycles;
    double Longest = Cost.LongestCycles + Slower * Cost.LongestMemoryCycles;
    return microseconds(roundsOf(Cost.Waves) * (Mean + Machine.FitBlockCycles) +
                        std::max(0.0, Longest - Mean));
  };
  const double InUse = bound(CostLimit::Issue) + bound(CostLimit::LoadUnit) +
                       bound(CostLimit::L2) + bound(CostLimit::Memory);
  const double OtherRows = 1 - 1 / std::max(1.0, Cost.LoadsInFlight);
  const double Share =
      std::max(std::min(1.0, InUse / With(0)), memoryShare() * OtherRows);
  return With((Machine.FitLatency - 1) * Share);
}

void Prediction::bounds() {
  double Blocks = double(Walk.numBlocks()), Sms = Machine.Multiprocessors;
  // The share of the multiprocessor that has most.
  double Share = 1 / Sms;
  if (Blocks < Sms * Cost.ResidentBlocks)
    Share = std::ceil(Blocks / Sms) / Blocks;
  auto OfPipe = [&](double Instructions, double Lanes) {
    return Machine.FitIssue *
           microseconds(Share * Instructions * WarpSize / Lanes);
  };
  bound(CostLimit::Launch) = Machine.FitLaunchMicroseconds;
  bound(CostLimit::Blocks) = Blocks * Machine.BlockNanoseconds * 1e-3;
  bound(CostLimit::Issue) =
      OfPipe(Cost.WarpInstructions, double(Machine.Schedulers) * WarpSize);
  bound(CostLimit::Fp32) =
      OfPipe(pipe(Pipe::Fp32) + pipe(Pipe::Imad), Machine.Fp32);
  bound(CostLimit::Fp64) = OfPipe(pipe(Pipe::Fp64), Machine.Fp64);
  // ptxas makes products of some sums, so that both pipes have as much to do.
  const double Int = pipe(Pipe::Int), Imad = pipe(Pipe::Imad);
  const double Balanced = std::max(Int - Sums, std::min(Int, (Int + Imad) / 2));
  bound(CostLimit::Int) =
      std::max(OfPipe(Balanced, Machine.Int32), OfPipe(Imad, Machine.Imad));
  bound(CostLimit::Sfu) = OfPipe(pipe(Pipe::Sfu), Machine.Sfu);
  double Shuffles = pipe(Pipe::Shuffle) * WarpSize / Machine.Shuffle;
  bound(CostLimit::LoadUnit) =
      Machine.FitLoadUnit * microseconds(Share * (LoadUnitCycles + Shuffles));
  bound(CostLimit::Atomics) = microseconds(AtomicCycles);
  bound(CostLimit::L2) = Machine.FitL2 * L2Seconds * 1e6;
  double Bytes = Cost.MemoryReadBytes + Cost.MemoryWriteBytes;
  if (Bytes > 0) {
    double Written = Cost.MemoryWriteBytes / Bytes;
    double Rate =
        Written < 0.5
            ? Machine.DramReadGBs +
                  2 * Written * (Machine.DramCopyGBs - Machine.DramReadGBs)
            : Machine.DramCopyGBs + (2 * Written - 1) * (Machine.DramWriteGBs -
                                                         Machine.DramCopyGBs);
    bound(CostLimit::Memory) = Machine.FitMemory * Bytes / Rate * 1e-3;
  }

  bound(CostLimit::Latency) = latencyBound();

  double Peak32 = Machine.Fp32 * 2 * Sms * Machine.ClockGHz * 1e3;
  double Peak64 = Machine.Fp64 * 2 * Sms * Machine.ClockGHz * 1e3;
  Cost.RooflineMicroseconds =
      std::max({Cost.Flops32 / Peak32, Cost.Flops64 / Peak64,
                Cost.Footprint / (Machine.DramReadGBs * 1e3)}) +
      Machine.LaunchMicroseconds;
  Cost.InstructionMicroseconds =
      Machine.LaunchMicroseconds +
      microseconds(Cost.WarpInstructions / Machine.Schedulers / Sms);
}

void Prediction::join() {
  double P = Machine.FitSharpness, Sum = 0, Most = 0;
  for (unsigned L = unsigned(CostLimit::Blocks); L != NumCostLimits; ++L) {
    Sum += std::pow(Cost.Bounds[L], P);
    if (Cost.Bounds[L] > Most) {
      Most = Cost.Bounds[L];
      Cost.Limit = static_cast<CostLimit>(L);
    }
  }
  double Alone = bound(CostLimit::Launch) + std::pow(Sum, 1 / P);
  Cost.Microseconds = std::max(Machine.LaunchMicroseconds, Alone);
  Cost.IdleStartMicroseconds =
      std::max(0.0, Machine.EventMicroseconds - Machine.LaunchMicroseconds);
  if (Most < bound(CostLimit::Launch) || Alone < Machine.LaunchMicroseconds)
    Cost.Limit = CostLimit::Launch;
}

void Prediction::run() {
  if (Code.Ptx.Blocks.empty()) {
    Cost.Why = "the back end wrote no code for it";
    return;
  }
  occupancy();
  if (Cost.ResidentBlocks == 0) {
    Cost.Why = formatv("a block needs more {0} than a multiprocessor has",
                       occupancyLimitName(Cost.LimitedBy));
    return;
  }
  instructions();
  memory();
  latency();
  bounds();
  join();
}

std::vector<KernelCost> predictCosts(Module &M, FunctionAnalysisManager &FAM,
                                     const LaunchAssumptions &Known,
                                     const CostOptions &Options) {
  SmallVector<Function *, 8> Kernels = kernelsOf(M);
  if (Kernels.empty())
    return {};
  StringRef Arch = architectureOf(*Kernels.front());
  const MachineModel &Machine = machineModelFor(Arch, Options.Machine);
  std::string Why;
  std::vector<BackendKernel> Codes = backendKernels(
      M, Arch.empty() ? StringRef(Machine.Arch) : Arch, Options.Ptxas, Why);
  std::vector<KernelCost> Out;
  unsigned Index = 0;
  for (Function *Kernel : Kernels) {
    KernelCost &Cost = Out.emplace_back();
    Cost.Name = Kernel->getName().str();
    if (Codes.empty()) {
      Cost.Why = Why;
      continue;
    }
    BackendKernel &Code = Codes[Index++];
    KernelAnalyses Analyses = KernelAnalyses::get(*Kernel, FAM);
    // The launch by the kernel as written: unrolled code may use fewer axes.
    const KernelSites Written = collectMemorySites(*Kernel, Analyses);
    Cost.Launch = assumedLaunch(Written, Known);
    static const MeasuredKernel None;
    auto Found = Known.Measured.find(Cost.Name);
    const MeasuredSites Measured(
        Found == Known.Measured.end() ? None : Found->second, Written);
    LaunchValues Executed = assumedLaunch(Code.Sites, Known);
    Cost.Launch.Params.insert(Executed.Params.begin(), Executed.Params.end());
    Cost.SharedBytes = Code.SharedBytes;
    const unsigned *Given = Options.Registers.find(Cost.Name);
    Cost.Registers = Given ? *Given : Code.Registers;
    Cost.AreRegistersKnown = Cost.Registers != 0;
    if (!Cost.AreRegistersKnown)
      Cost.Registers = Code.Ptx.Registers;
    if (!Cost.AreRegistersKnown && !Why.empty())
      Cost.Assumptions.push_back("an estimate of the registers (" + Why + ")");
    if (Code.Sites.UsesDynamicShared && !Known.DynamicShared.find(Cost.Name))
      Cost.Assumptions.emplace_back(
          "no bytes of dynamic shared memory, although "
          "the kernel has an array there");
    KernelSummary Summary = summarizeKernel(*Kernel, Analyses);
    Prediction(Code, Summary, Machine, Measured, Cost).run();
    Cost.Executed = std::move(Code.Sites);
  }
  return Out;
}

} // namespace gridspan
