//===- L1Model.h - The L1 cache and load unit of a GPU ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one model of L1: L1Traffic and TraceReplay run their requests through it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_L1MODEL_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_L1MODEL_H

#include "analysis/machine/MachineModel.h"
#include "analysis/machine/WarpRequest.h"
#include <vector>

namespace gridspan {

constexpr unsigned SectorsOfLine = LineBytes / SectorBytes;

class L1Model {
public:
  /// Bytes: what is left of the cache beside shared memory, or a share of it.
  L1Model(uint64_t Bytes, const MachineModel &Machine);

  enum Result {
    Hit,
    Pending, ///< another request of this round has asked for it
    Miss,
  };
  /// Looks a sector up, which is there afterwards.
  Result load(uint64_t Sector, uint32_t Round) {
    return use(Sector, Round, 0, 0).Found;
  }
  struct Use {
    Result Found;
    unsigned FetchedBy; ///< the reader that missed it
    unsigned NewBytes;  ///< that nobody has used since then
  };
  /// The same for a reader that uses some bytes of it, of which each is a bit.
  Use use(uint64_t Sector, uint32_t Round, unsigned Reader, uint32_t Bytes);

private:
  struct Part {
    uint32_t Round = 0; ///< that fetched it
    uint32_t Bytes = 0; ///< used since then
    unsigned Reader = 0;
  };
  struct Line {
    uint64_t At = ~uint64_t(0), Used = 0;
    uint8_t Valid = 0; ///< a bit for each sector
    std::array<Part, SectorsOfLine> Parts = {};
  };
  unsigned Ways;
  std::vector<Line> Lines; ///< set by set
  uint64_t Clock = 0;
};

/// Returns the cycles of the load unit for a request of global memory that
/// hits. Passes: over the banks.
double loadUnitCycles(unsigned Passes, unsigned Lines,
                      const MachineModel &Machine);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_L1MODEL_H
