//===- Main.cpp - Print an access trace -----------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line a record, in the order of the file.
//
//===----------------------------------------------------------------------===//

#include "tools/access-trace/AccessTraceReader.h"
#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace gridspan;

static void print(const TracedLaunch &L) {
  std::printf("launch %u: %s on device %u, grid %ux%ux%u, block %ux%ux%u, "
              "blocks %ux%ux%u from (%u, %u, %u)\n",
              L.Id, L.Kernel.c_str(), L.Device, L.GridDim[0], L.GridDim[1],
              L.GridDim[2], L.BlockDim[0], L.BlockDim[1], L.BlockDim[2],
              L.BlockCount[0], L.BlockCount[1], L.BlockCount[2], L.BlockLo[0],
              L.BlockLo[1], L.BlockLo[2]);
}

static void print(const TracedRequest &R) {
  const char *Mode = R.Mode == 1 ? "read" : R.Mode == 2 ? "write" : "atomic";
  std::printf("launch %u block (%u, %u, %u) warp %u site %u #%u: %s %u bytes, "
              "lanes %08x:",
              R.Launch, R.Block[0], R.Block[1], R.Block[2], R.Warp, R.Site,
              R.Occurrence, Mode, R.Bytes, R.LaneMask);
  for (const uint64_t Address : R.Addresses)
    std::printf(" %" PRIx64, Address);
  std::printf("\n");
}

static constexpr const char *Usage = R"(Usage: gridspan-trace FILE

Prints a trace of accesses (GRIDSPAN_TRACE_ACCESS=FILE) of the CPU device, a line
for each launch and for each request of a warp, in the order of the file.

  --help               print this text
)";

int main(int Argc, char **Argv) {
  if (Argc == 2 && !std::strcmp(Argv[1], "--help")) {
    std::printf("%s", Usage);
    return 0;
  }
  if (Argc != 2) {
    std::fprintf(stderr, "%s", Usage);
    return 2;
  }
  AccessTraceReader Reader(Argv[1]);
  while (true) {
    auto Record = Reader.next();
    if (const auto *Launch = std::get_if<TracedLaunch>(&Record))
      print(*Launch);
    else if (const auto *Request = std::get_if<TracedRequest>(&Record))
      print(*Request);
    else
      break;
  }
  if (Reader.error().empty())
    return 0;
  std::fprintf(stderr, "gridspan-trace: %s\n", Reader.error().c_str());
  return 1;
}
