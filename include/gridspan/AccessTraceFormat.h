//===- AccessTraceFormat.h - Records of an access trace file ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/design/access-trace.md describes the file. Plain data, shared by the
// writer in the runtime and by the reader in the tools.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ACCESSTRACEFORMAT_H
#define GRIDSPAN_ACCESSTRACEFORMAT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridspan {

constexpr std::string_view TraceMagic = "GridspanTrace1\r\n";
static_assert(TraceMagic.size() == 16);

enum class TraceRecordKind : uint32_t { Launch = 1, Request = 2 };

/// A launch on one device; its requests follow, in any order.
struct TracedLaunch {
  uint32_t Id = 0; ///< unique in the file
  uint32_t Device = 0;
  std::array<uint32_t, 3> GridDim = {};    ///< of the program's launch
  std::array<uint32_t, 3> BlockDim = {};   ///< threads
  std::array<uint32_t, 3> BlockLo = {};    ///< first block that ran here
  std::array<uint32_t, 3> BlockCount = {}; ///< blocks that ran here
  std::string Kernel;                      ///< mangled name, of the original
  std::vector<std::byte> Parameters;       ///< values at GridspanParam::Offset
};

/// The accesses of the lanes of one warp at one site in the same iterations of
/// the loops around it: the n-th request of the warp at the site. Lanes that do
/// not get there in these iterations are not in LaneMask.
struct TracedRequest {
  uint32_t Launch = 0;
  std::array<uint32_t, 3> Block = {}; ///< index in the program's grid
  uint32_t Site = 0;                  ///< GridspanAccess::Site
  uint32_t Mode = 0;                  ///< one GridspanMode bit
  uint32_t Bytes = 0;                 ///< per lane
  uint32_t Warp = 0;                  ///< of the block
  uint32_t Occurrence = 0;            ///< n, from 0
  uint32_t LaneMask = 0;
  std::vector<uint64_t> Addresses; ///< one for each bit of LaneMask, ascending
};

} // namespace gridspan

#endif // GRIDSPAN_ACCESSTRACEFORMAT_H
