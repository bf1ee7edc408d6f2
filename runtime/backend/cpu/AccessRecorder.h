//===- AccessRecorder.h - Records the accesses of a launch ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the accesses of each block and writes them to the file that
// GRIDSPAN_TRACE_ACCESS names, when the block has ended.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSRECORDER_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSRECORDER_H

#include "runtime/backend/cpu/AccessTrace.h"
#include "runtime/backend/cpu/CpuLaunch.h"
#include <map>
#include <memory>

namespace gridspan {

class AccessRecorder {
public:
  /// Returns null when nothing is to be recorded. Prints once if a kernel has
  /// no code for it.
  static std::unique_ptr<AccessRecorder> create(const CpuLaunch &Launch);

  /// Notes an access; see BlockTrace::record.
  void record(const GridspanCpuBlock &Block, uint32_t Thread, uint32_t Site,
              uint32_t Mode, uint64_t Address, uint64_t Bytes,
              uint64_t Iterations);
  /// Writes the accesses of the block.
  void endBlock(const GridspanCpuBlock &Block);

private:
  AccessRecorder(AccessTraceFile &File, const CpuLaunch &Launch);

  AccessTraceFile &File;
  const CpuLaunch &Launch;
  uint32_t Id;
  /// Traces of the blocks in flight.
  std::map<const GridspanCpuBlock *, BlockTrace> Blocks;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_ACCESSRECORDER_H
