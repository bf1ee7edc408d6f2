//===- CpuRegions.h - Code between barriers ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is the code from the entry of a kernel, or from a barrier, up to the
// next barriers or to the end. Where all threads of a block that have not ended
// get to the same barrier, a region can run for one thread after the other,
// without a stack for each of them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_CPUREGIONS_H
#define GRIDSPAN_PASSES_CPU_REGIONS_CPUREGIONS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>
#include <set>

namespace gridspan {

enum class RegionRefusal {
#define GRIDSPAN_REGION_REFUSAL(Kind, Name, Text) Kind,
#include "passes/cpu/regions/CpuRegions.def"
};

/// Returns the stable name, and a text for people.
llvm::StringRef refusalName(RegionRefusal R);
llvm::StringRef refusalText(RegionRefusal R);

struct CpuRegion {
  /// The barrier in front; null for the kernel's entry.
  llvm::CallBase *Barrier = nullptr;
  /// The numbers of the regions that may come next.
  std::set<unsigned> Next;
  /// True if threads may end in it.
  bool Ends = false;
  /// True if some threads may end in it while others go on to a barrier.
  bool EndsApart = false;
};

struct CpuRegions {
  /// Set if the kernel has no regions.
  std::optional<RegionRefusal> Refusal;
  /// The entry's, then those of the barriers in the order of the code.
  llvm::SmallVector<CpuRegion, 4> Regions;
  /// True if some threads may end in a region while others do not.
  bool SomeEnd = false;
};

/// Finds the regions of a kernel with thread parameters, whose operations have
/// become host code. Changes nothing.
CpuRegions findRegions(llvm::Function &Kernel);

/// Emits a barrier of all threads of the block that Kernel, a kernel with
/// thread parameters, runs in.
void emitBarrier(llvm::Function &Kernel, llvm::IRBuilderBase &B);

/// Prints the regions of Kernel, or why it has none. Form says what was done to
/// it before.
void printRegions(llvm::raw_ostream &OS, llvm::StringRef Kernel,
                  llvm::StringRef Form, const CpuRegions &R);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_CPUREGIONS_H
