//===- TraceReplay.h - Memory traffic of a trace ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a WarpTrace through the load and store units and the L1 cache of a
// multiprocessor, with the data where a list of addresses says.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_TRACEREPLAY_H
#define GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_TRACEREPLAY_H

#include "analysis/advice/warpsim/WarpTrace.h"

namespace gridspan {

/// The address of a field of records; From is its offset in the present record.
struct FieldAddress {
  int64_t From = 0;
  uint64_t Base = 0;
  int64_t TileBytes = 0, Stride = 0, FieldOffset = 0;
};

/// The address of the data of one site. Its offset points at record R of the
/// array: R = offset / RecordBytes. The field of that record is at
/// Base + R / Tile * TileBytes + R % Tile * Stride + FieldOffset.
struct SiteAddress {
  bool IsMerged = false; ///< part of another site's wider access
  uint64_t Base = 0;
  int64_t RecordBytes = 0; ///< 0: the data stays as it is
  int64_t Tile = 1, TileBytes = 0, Stride = 0, FieldOffset = 0;
  /// The fields that a loop selects for the site, by From. They count instead
  /// of the numbers here; empty if no loop selects.
  std::vector<FieldAddress> Selected;
  unsigned Bytes = 4;  ///< of a lane in one instruction: 1 to 16
  unsigned Pieces = 1; ///< instructions, each Bytes further on
  unsigned Array = 0;  ///< for the counts: any small number
};

/// Sums over the launch.
struct ArrayTraffic {
  double LoadBytes = 0;  ///< sectors that L1 does not have
  double StoreBytes = 0; ///< sectors that stores touch
};

struct MemoryCounts {
  double Requests = 0;      ///< warp instructions
  double L1Cycles = 0;      ///< of all load and store units together
  double AtomicLanes = 0;   ///< atomic operations
  double AtomicSectors = 0; ///< sectors of their requests
  /// Operations that wait for another one of their warp on the same address,
  /// where addresses are known.
  double SameAddress = 0;
  /// Operations on addresses that depend on loaded data: they may be spread
  /// over many lines or meet in few, which bounds of the address may say.
  double ScatteredLanes = 0;
  /// ScatteredLanes by line of 128 bytes, where bounds say how many lines there
  /// are.
  double LanesOfLine = 0;
  /// Operations on floating-point numbers on an address of another lane: they
  /// are not added up on the way.
  double OrderedLanes = 0;
  double Loads = 0, L1Hits = 0; ///< sectors asked for, and found
  std::vector<ArrayTraffic> Arrays;
  std::vector<double> Sectors; ///< by site: of a request, on average
  /// Rows of memory that a request brings in on average, by site, without those
  /// of earlier requests of the warp in this iteration.
  std::vector<double> Rows;
  std::vector<double> HitShare; ///< by site: of its load sectors in L1;
                                ///< negative: it has no requests of its own

  double loadBytes() const;
  double storeBytes() const;
};

/// Addresses by site; sites of shared memory and unknown size are skipped.
MemoryCounts replayTrace(const KernelSites &Kernel, const WarpTrace &Trace,
                         const MachineModel &Machine,
                         llvm::ArrayRef<SiteAddress> Addresses);

/// Everything as the source has it: arrays by the order of their bases.
std::vector<SiteAddress> presentAddresses(const KernelSites &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_WARPSIM_TRACEREPLAY_H
