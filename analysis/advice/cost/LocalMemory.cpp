//===- LocalMemory.cpp - What arrays of threads cost ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of 4 bytes of the lanes of a warp are side by side (Programming Guide,
// "Local Memory"), so that a warp that accesses one index touches a line for
// each word. Where lanes have different indices it touches more, which is not
// known here.
//
// L1 has the arrays of all resident warps. Of more than it can hold it has a
// share: what is written comes back from L2, and goes there before.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/cost/LocalMemory.h"
#include "analysis/advice/warpsim/L1Model.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

static constexpr double WordBytes = 4;

/// Returns the bytes of a lane: ld.local.v2.f64 has 16.
static double bytesOf(StringRef Opcode) {
  double Elements = 1, Bits = 32;
  SmallVector<StringRef, 8> Parts;
  Opcode.split(Parts, '.');
  for (StringRef Part : Parts) {
    unsigned Number = 0;
    if (Part.size() < 2 || Part.drop_front().getAsInteger(10, Number))
      continue;
    (Part.front() == 'v' ? Elements : Bits) = Number;
  }
  return Elements * Bits / 8;
}

LocalTraffic localTraffic(const BackendKernel &Code, const LaunchCounts &Counts,
                          double ResidentWarps, uint64_t L1Bytes,
                          const MachineModel &Machine) {
  LocalTraffic Out;
  const double Footprint =
      double(Code.Ptx.LocalBytes) * WarpSize * ResidentWarps;
  if (Footprint > double(L1Bytes))
    Out.MissShare = 1 - double(L1Bytes) / Footprint;
  for (unsigned B = 0; B != Code.Ptx.Blocks.size(); ++B) {
    const double Warps = Counts.Blocks[Code.BlockOf[B]].Warps;
    for (const PtxInstruction &I : Code.Ptx.Blocks[B].Instructions) {
      if (I.Space != PtxInstruction::Local)
        continue;
      const double Lines = std::max(1.0, bytesOf(I.Opcode) / WordBytes);
      Out.LoadUnitCycles +=
          Warps * loadUnitCycles(unsigned(Lines), unsigned(Lines), Machine);
      const bool IsLoad = I.Kind == PtxInstruction::Load;
      if (IsLoad)
        Out.L1Sectors += Warps * Lines * SectorsOfLine;
      (IsLoad ? Out.L2ReadSectors : Out.L2WriteSectors) +=
          Warps * Lines * SectorsOfLine * Out.MissShare;
    }
  }
  Out.LoadUnitCycles += Out.L2ReadSectors * Machine.L2SectorCycles;
  return Out;
}

} // namespace gridspan
