//===- RequestSums.h - Sums over recorded requests --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the records that a recording clone has written (GridspanRecord) into
// requests, sectors and lines.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_REQUESTSUMS_H
#define GRIDSPAN_RUNTIME_REPORT_REQUESTSUMS_H

#include "gridspan/ABI.h"
#include <cstddef>
#include <functional>
#include <map>

namespace gridspan {

/// Sums over the requests at an access. Requests whose addresses were not kept
/// are taken to be like the kept one before them, and to touch sectors again as
/// often as the first ones did.
struct RequestSums {
  uint32_t Mode = 0;  ///< GridspanMode
  uint32_t Bytes = 0; ///< of a lane
  double Requests = 0;
  double Lanes = 0;
  double Sectors = 0; ///< of 32 bytes, different ones in a request
  double Lines = 0;   ///< of 128 bytes
  double Addresses = 0;
  double IdealSectors = 0; ///< if the lanes' bytes lay side by side
  /// Sectors that the warp had not touched before, as far as was kept: neither
  /// here nor at other accesses of the kind.
  double FreshSectors = 0;
  /// Of the largest allocation that was touched; 0: none is known.
  uint64_t ArrayBytes = 0;

  /// Adds Factor times the sums of Other, of the same access.
  void add(const RequestSums &Other, double Factor = 1);
};

/// Returns the bytes of the allocation that has the address; 0: not known.
using ArraySize = std::function<uint64_t(uint64_t Address)>;

/// Returns the sums over what Warps warps did at the kernel's probes, by the
/// number of the access. Precondition: Records has Warps times as many as
/// Recording has accesses.
std::map<uint32_t, RequestSums> sumRecords(const GridspanKernel &Recording,
                                           const GridspanRecord *Records,
                                           size_t Warps,
                                           const ArraySize &SizeOf);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_REQUESTSUMS_H
