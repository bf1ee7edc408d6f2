//===- WarpRequest.h - Memory requests of one warp --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One memory instruction of one warp is a request: the addresses of its active
// lanes, all of one size. These functions count what a GPU does with it. They
// are exact for compute capability 9.0: every request of bench/probes/
// warp_requests.cu gives the numbers that Nsight Compute reports on an H200.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINE_WARPREQUEST_H
#define GRIDSPAN_ANALYSIS_MACHINE_WARPREQUEST_H

#include "gridspan/WarpSize.h"
#include <array>
#include <cstdint>

namespace gridspan {

constexpr unsigned SectorBytes = 32;
constexpr unsigned LineBytes = 128;
constexpr unsigned SharedBanks = 32;
constexpr unsigned SharedBankBytes = 4;
/// The widest access of one lane.
constexpr unsigned MaxLaneBytes = 16;

/// The addresses of a warp's active lanes; Size bytes each, 1 to 16, a power of
/// two that divides every address.
struct WarpRequest {
  uint32_t Active = 0; ///< one bit per lane
  unsigned Size = 4;
  std::array<uint64_t, WarpSize> Address = {};

  void add(unsigned Lane, uint64_t At) {
    Active |= 1u << Lane;
    Address[Lane] = At;
  }
  bool isActive(unsigned Lane) const { return Active >> Lane & 1; }
  unsigned activeLanes() const { return __builtin_popcount(Active); }
};

/// Returns the different 32-byte sectors that a global request touches. Nsight
/// Compute calls that memory_l2_theoretical_sectors_global.
unsigned sectorsOf(const WarpRequest &Request);

/// Returns the sectors that as many lanes would need side by side, or the
/// sectors touched if those are fewer (lanes that share addresses):
/// memory_l2_theoretical_sectors_global_ideal.
unsigned idealSectorsOf(const WarpRequest &Request);

/// Returns the different 128-byte lines: memory_l1_tag_requests_global.
unsigned linesOf(const WarpRequest &Request);

enum class SharedAccess { Load, Store, Atomic };

/// Returns the passes over the banks of shared memory that a request takes.
unsigned sharedWavefrontsOf(const WarpRequest &Request, SharedAccess Kind);

/// Returns the passes that as many lanes would need without conflicts, or the
/// passes taken if those are fewer: memory_l1_wavefronts_shared_ideal.
unsigned idealSharedWavefrontsOf(const WarpRequest &Request, SharedAccess Kind);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINE_WARPREQUEST_H
