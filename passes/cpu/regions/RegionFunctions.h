//===- RegionFunctions.h - Regions as functions of a thread -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns each region of a kernel into a function that runs it for one thread and
// says where the thread is then.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_REGIONS_REGIONFUNCTIONS_H
#define GRIDSPAN_PASSES_CPU_REGIONS_REGIONFUNCTIONS_H

#include "passes/cpu/regions/CpuRegions.h"
#include "passes/cpu/regions/RegionValues.h"

namespace gridspan {

/// The functions have the kernel's parameters, then for each variable a
/// pointer: to the array of all threads' variables or, if it is uniform, to
/// where its new value is stored; then a pointer to the number that a reduction
/// of a barrier counts in, the thread's linear index as 64 bits, and the values
/// of uniform variables before the region. They return the number of the region
/// that the thread goes on with, or 0 if it has ended.
struct RegionFunctions {
  CpuRegions Regions; ///< Barrier is null in all of them
  llvm::SmallVector<llvm::Function *> Functions;
  /// Of each variable: the type, and whether all threads share it.
  struct Variable {
    llvm::Type *Ty = nullptr;
    llvm::Align Alignment;
    uint64_t Stride = 0; ///< bytes in the array of all threads'
    bool IsUniform = false;
  };
  llvm::SmallVector<Variable> Variables;
  /// Of a region behind a reduction: its kind (BarrierReduction), and the
  /// uniform variable that the region finds the result in.
  struct Reduction {
    uint64_t Kind = 0;
    std::optional<unsigned> Result;
  };
  llvm::SmallVector<std::optional<Reduction>> Reductions;

  /// The number of the parameter that is the first variable's pointer.
  unsigned firstVariable(unsigned Region) const {
    return Functions[Region]->arg_size() - Variables.size() - 2 -
           llvm::count_if(Variables,
                          [](const Variable &V) { return V.IsUniform; });
  }
};

/// Returns true if nothing is left of a region but what it decides for all
/// threads, and it does not matter which of them does it: it does not ask who
/// it is, nor read what differs among them.
bool isForBlock(const RegionFunctions &R, unsigned Region);

/// Precondition: Kernel has regions. Consumes it.
RegionFunctions makeRegionFunctions(llvm::Function &Kernel);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_REGIONS_REGIONFUNCTIONS_H
