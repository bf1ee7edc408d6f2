//===- Cost.h - Predicted time of a kernel's launch -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts what a launch asks of each part of a GPU, and how long it takes.
// docs/design/cost-model.md describes the method. Times are of a launch among
// others of the same kernel on one stream, with its data where the one before
// left it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COST_COST_H
#define GRIDSPAN_ANALYSIS_ADVICE_COST_COST_H

#include "analysis/advice/coalescing/Coalescing.h"
#include "analysis/machine/MachineModel.h"
#include "llvm/Support/JSON.h"

namespace gridspan {

/// The parts of a GPU that can keep a launch from being faster.
enum class CostLimit {
  Launch,  ///< starting it
  Blocks,  ///< starting its blocks
  Latency, ///< warps wait: for memory, for results, for each other
  Issue,   ///< instructions of all kinds
  Fp32,    ///< with 32-bit integer multiplications
  Fp64,
  Int,
  Sfu,      ///< special functions and conversions
  LoadUnit, ///< L1, shared memory, shuffles
  Atomics,
  L2,
  Memory,
};
constexpr unsigned NumCostLimits = 12;
/// "launch", "latency", ...
llvm::StringRef costLimitName(CostLimit Limit);

/// The resource that bounds the blocks on a multiprocessor.
enum class OccupancyLimit { Warps, Blocks, Registers, SharedMemory };
llvm::StringRef occupancyLimitName(OccupancyLimit Limit);

struct KernelCost {
  std::string Name; ///< mangled
  LaunchValues Launch;
  std::string Why;      ///< why there is no prediction, or empty
  KernelSites Executed; ///< of the optimized code; none if there is no code
  /// Sentences on what was assumed because it is not known.
  std::vector<std::string> Assumptions;

  unsigned Registers = 0; ///< of a thread
  bool AreRegistersKnown = false;
  uint64_t SharedBytes = 0;                       ///< static, of a block
  unsigned ResidentBlocks = 0, ResidentWarps = 0; ///< of a multiprocessor
  OccupancyLimit LimitedBy = OccupancyLimit::Warps;
  double Waves = 0; ///< blocks by those that fit the GPU

  // Of the whole launch.
  double Warps = 0, WarpInstructions = 0;
  std::array<double, 8> ByPipe = {}; ///< as Pipe in PtxCode.h
  double Flops32 = 0, Flops64 = 0;
  double GlobalRequests = 0, SharedPasses = 0;
  double L1Sectors = 0;                         ///< asked of L1 by loads
  double L2ReadSectors = 0, L2WriteSectors = 0; ///< of 32 bytes
  /// Of those read, as far as their bytes are used while they are in L1.
  double UsedSectors = 0;
  double AtomicLanes = 0;
  double Footprint = 0; ///< different bytes
  double MemoryReadBytes = 0, MemoryWriteBytes = 0;

  double WarpCycles = 0;    ///< of a warp that is alone, in the mean
  double BlockCycles = 0;   ///< of the longest one of a block, in the mean
  double LongestCycles = 0; ///< of the longest one looked at
  double MemoryCycles = 0;  ///< by which these grow if L2 and memory take twice
  double BlockMemoryCycles = 0; ///< as long
  double LongestMemoryCycles = 0;
  double LoadsInFlight = 0; ///< of it, while it waits for one, in the mean

  /// Microseconds by CostLimit, before they are joined; and joined.
  std::array<double, NumCostLimits> Bounds = {};
  double Microseconds = 0;
  /// By which events around the launch say more where its stream had nothing to
  /// do before.
  double IdleStartMicroseconds = 0;
  CostLimit Limit = CostLimit::Launch;

  // The simplest estimates, to compare with.
  double RooflineMicroseconds = 0;    ///< operations, or different bytes
  double InstructionMicroseconds = 0; ///< instructions by issue rate

  /// Floating-point operations for each byte moved to or from memory; 0: none
  /// moved.
  double intensity() const;

  /// Static and dynamic, of a block.
  uint64_t allSharedBytes() const { return SharedBytes + Launch.DynamicShared; }
};

struct CostOptions {
  const MachineModel *Machine = nullptr;
  /// Registers of a thread, where they are known.
  OfKernels<unsigned> Registers;
  /// The program that is asked for the others; empty: they are estimated.
  std::string Ptxas;
};

/// The kernels of M in module order.
std::vector<KernelCost> predictCosts(llvm::Module &M,
                                     llvm::FunctionAnalysisManager &FAM,
                                     const LaunchAssumptions &Known,
                                     const CostOptions &Options);

llvm::json::Object costToJSON(const KernelCost &Cost);

void printCost(llvm::raw_ostream &OS, const KernelCost &Cost);

/// print<gridspan-cost>
class CostPrinterPass : public llvm::PassInfoMixin<CostPrinterPass> {
public:
  CostPrinterPass(llvm::raw_ostream &OS, LaunchAssumptions Known,
                  CostOptions Options)
      : OS(OS), Known(std::move(Known)), Options(std::move(Options)) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
  LaunchAssumptions Known;
  CostOptions Options;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COST_COST_H
