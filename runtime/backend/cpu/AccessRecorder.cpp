//===- AccessRecorder.cpp - Records the accesses of a launch --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cooperative launches have several blocks in flight, so that each has a
// BlockTrace of its own.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/AccessRecorder.h"
#include "runtime/support/ThreadSafety.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace gridspan;

/// Returns the file of GRIDSPAN_TRACE_ACCESS, opened at the first launch; null
/// without it.
static AccessTraceFile *traceFile() {
  static const std::unique_ptr<AccessTraceFile> File =
      []() -> std::unique_ptr<AccessTraceFile> {
    const char *Path = std::getenv("GRIDSPAN_TRACE_ACCESS");
    if (!Path || !*Path)
      return nullptr;
    std::unique_ptr<AccessTraceFile> Out = AccessTraceFile::create(Path);
    if (!Out) {
      std::fprintf(stderr, "gridspan: GRIDSPAN_TRACE_ACCESS: %s: %s\n", Path,
                   std::strerror(errno));
      std::exit(1);
    }
    return Out;
  }();
  return File.get();
}

static void explainNoTrace(const std::string &Kernel) {
  static Mutex Lock;
  static std::set<std::string> Told;
  MutexLock Guard(Lock);
  if (Told.insert(Kernel).second)
    std::fprintf(stderr,
                 "gridspan: %s was compiled without code to trace accesses\n",
                 Kernel.c_str());
}

std::unique_ptr<AccessRecorder>
AccessRecorder::create(const CpuLaunch &Launch) {
  AccessTraceFile *File = traceFile();
  if (!File)
    return nullptr;
  if (!Launch.Code->RunTraced) {
    explainNoTrace(Launch.Kernel->Name);
    return nullptr;
  }
  return std::unique_ptr<AccessRecorder>(new AccessRecorder(*File, Launch));
}

AccessRecorder::AccessRecorder(AccessTraceFile &File, const CpuLaunch &Launch)
    : File(File), Launch(Launch) {
  TracedLaunch L;
  L.Device = Launch.Device;
  std::copy_n(Launch.Tile.Grid, 3, L.GridDim.begin());
  L.BlockDim = {Launch.Block.x, Launch.Block.y, Launch.Block.z};
  std::copy_n(Launch.Tile.Origin, 3, L.BlockLo.begin());
  L.BlockCount = {Launch.Grid.x, Launch.Grid.y, Launch.Grid.z};
  L.Kernel = Launch.Kernel->Name;
  L.Parameters = Launch.Parameters;
  Id = File.beginLaunch(std::move(L));
}

void AccessRecorder::record(const GridspanCpuBlock &Block, uint32_t Thread,
                            uint32_t Site, uint32_t Mode, uint64_t Address,
                            uint64_t Bytes, uint64_t Iterations) {
  auto It = Blocks.find(&Block);
  if (It == Blocks.end()) {
    const std::array<uint32_t, 3> Index = {
        Block.BlockIdxX + Launch.Tile.Origin[0],
        Block.BlockIdxY + Launch.Tile.Origin[1],
        Block.BlockIdxZ + Launch.Tile.Origin[2]};
    It = Blocks.try_emplace(&Block, File, Id, Index).first;
  }
  It->second.record(Thread, Site, Mode, Address, Bytes, Iterations);
}

void AccessRecorder::endBlock(const GridspanCpuBlock &Block) {
  auto It = Blocks.find(&Block);
  if (It == Blocks.end())
    return;
  It->second.finish();
  Blocks.erase(It);
}
