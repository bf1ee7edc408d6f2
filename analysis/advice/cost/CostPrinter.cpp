//===- CostPrinter.cpp - Prints predicted times ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     kernel NAME, block 256x1x1, grid 4x1x1: 2.9 us, limited by launch
//       blocks: 8 of 8 warps a multiprocessor (warps), 0.0038 waves, ...
//       warps: 32, instructions 19 each (fp32 1, ...), ... cycles alone, ...
//       moved: ...
//       microseconds: launch 2.2, latency 0.7, ...
//       assumed: ...
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/Cost.h"
#include "analysis/machine/PtxCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static format_object<double> number(double V) { return format("%.4g", V); }

static void printShape(raw_ostream &OS, const std::array<uint32_t, 3> &Shape) {
  OS << Shape[0] << 'x' << Shape[1] << 'x' << Shape[2];
}

void printCost(raw_ostream &OS, const KernelCost &C) {
  OS << "kernel " << C.Name;
  if (!C.Why.empty()) {
    OS << ": unknown, " << C.Why << '\n';
    return;
  }
  OS << ", block ";
  printShape(OS, C.Launch.Block);
  OS << ", grid ";
  printShape(OS, C.Launch.Grid);
  OS << ": " << number(C.Microseconds) << " us, limited by "
     << costLimitName(C.Limit) << "\n  blocks: " << C.ResidentBlocks << " with "
     << C.ResidentWarps << " warps on a multiprocessor, by "
     << occupancyLimitName(C.LimitedBy) << "; " << C.Registers << " registers"
     << (C.AreRegistersKnown ? "" : " (estimated)") << ", "
     << C.allSharedBytes() << " bytes of shared memory";
  if (C.Launch.DynamicShared)
    OS << " (" << C.Launch.DynamicShared << " dynamic)";
  OS << "; waves " << number(C.Waves) << '\n';
  OS << "  warps: " << number(C.Warps) << " with "
     << number(C.WarpInstructions / C.Warps) << " instructions (";
  ListSeparator Comma;
  for (unsigned P = 0; P != NumPipes; ++P)
    if (C.ByPipe[P] > 0)
      OS << Comma << pipeName(static_cast<Pipe>(P)) << ' '
         << number(C.ByPipe[P] / C.Warps);
  OS << "); alone " << number(C.WarpCycles) << " cycles, "
     << number(C.LoadsInFlight) << " loads under way\n";
  OS << "  moved: L1 " << number(C.L1Sectors * 32) << ", L2 read "
     << number(C.L2ReadSectors * 32) << " written "
     << number(C.L2WriteSectors * 32) << ", memory read "
     << number(C.MemoryReadBytes) << " written " << number(C.MemoryWriteBytes)
     << " bytes; different ones " << number(C.Footprint) << '\n';
  OS << "  microseconds:";
  for (unsigned L = 0; L != NumCostLimits; ++L)
    if (C.Bounds[L] > 0)
      OS << (L ? ", " : " ") << costLimitName(static_cast<CostLimit>(L)) << ' '
         << number(C.Bounds[L]);
  OS << '\n';
  double Flops = C.Flops32 + C.Flops64;
  if (Flops > 0) {
    OS << "  roofline: " << number(Flops / C.Microseconds * 1e-3) << " GFLOP/s";
    if (C.intensity() > 0)
      OS << ", " << number(C.intensity()) << " operations a byte of memory";
    OS << '\n';
  }
  for (const std::string &Assumption : C.Assumptions)
    OS << "  assumed: " << Assumption << '\n';
}

json::Object costToJSON(const KernelCost &C) {
  if (!C.Why.empty())
    return json::Object{{"unknown", C.Why}};
  json::Object Pipes, Bounds;
  for (unsigned P = 0; P != NumPipes; ++P)
    Pipes[pipeName(static_cast<Pipe>(P))] = C.ByPipe[P];
  for (unsigned L = 0; L != NumCostLimits; ++L)
    Bounds[costLimitName(static_cast<CostLimit>(L))] = C.Bounds[L];
  return json::Object{
      {"microseconds", C.Microseconds},
      {"idle_start_microseconds", C.IdleStartMicroseconds},
      {"limit", costLimitName(C.Limit)},
      {"assumptions", json::Array(C.Assumptions)},
      {"registers", C.Registers},
      {"registers_known", C.AreRegistersKnown},
      {"shared_bytes", int64_t(C.SharedBytes)},
      {"resident_blocks", C.ResidentBlocks},
      {"resident_warps", C.ResidentWarps},
      {"occupancy_limit", occupancyLimitName(C.LimitedBy)},
      {"waves", C.Waves},
      {"warps", C.Warps},
      {"instructions", C.WarpInstructions},
      {"pipes", std::move(Pipes)},
      {"flops32", C.Flops32},
      {"flops64", C.Flops64},
      {"global_requests", C.GlobalRequests},
      {"shared_passes", C.SharedPasses},
      {"l1_sectors", C.L1Sectors},
      {"l2_read_sectors", C.L2ReadSectors},
      {"l2_write_sectors", C.L2WriteSectors},
      {"atomic_lanes", C.AtomicLanes},
      {"footprint_bytes", C.Footprint},
      {"memory_read_bytes", C.MemoryReadBytes},
      {"memory_write_bytes", C.MemoryWriteBytes},
      {"warp_cycles", C.WarpCycles},
      {"block_cycles", C.BlockCycles},
      {"longest_warp_cycles", C.LongestCycles},
      {"warp_memory_cycles", C.MemoryCycles},
      {"block_memory_cycles", C.BlockMemoryCycles},
      {"longest_warp_memory_cycles", C.LongestMemoryCycles},
      {"loads_in_flight", C.LoadsInFlight},
      {"bounds", std::move(Bounds)},
      {"roofline_microseconds", C.RooflineMicroseconds},
      {"instruction_microseconds", C.InstructionMicroseconds},
  };
}

PreservedAnalyses CostPrinterPass::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (const KernelCost &Cost : predictCosts(M, FAM, Known, Options))
    printCost(OS, Cost);
  return PreservedAnalyses::all();
}

} // namespace gridspan
