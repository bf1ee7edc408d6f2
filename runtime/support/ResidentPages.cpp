//===- ResidentPages.cpp - Pages of a range that exist --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See mincore(2), which gives a byte for each page.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/ResidentPages.h"
#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace gridspan {

bool isResident(const void *Address) {
  const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto At = reinterpret_cast<uintptr_t>(Address) / Page * Page;
  unsigned char Present = 0;
  return mincore(reinterpret_cast<void *>(At), Page, &Present) == 0 &&
         (Present & 1);
}

static constexpr uint64_t Piece = uint64_t(256) << 20;

uint64_t residentBytes(const void *Address, uint64_t Bytes) {
  const auto Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  auto *At = static_cast<std::byte *>(const_cast<void *>(Address));
  std::vector<unsigned char> Present(std::min(Piece, Bytes) / Page);
  uint64_t Pages = 0;
  for (uint64_t Lo = 0; Lo < Bytes; Lo += Piece) {
    const uint64_t Here = std::min(Piece, Bytes - Lo);
    if (mincore(At + Lo, Here, Present.data()))
      return 0;
    Pages += static_cast<uint64_t>(
        std::count_if(Present.begin(), Present.begin() + Here / Page,
                      [](unsigned char P) { return P & 1; }));
  }
  return Pages * Page;
}

} // namespace gridspan
