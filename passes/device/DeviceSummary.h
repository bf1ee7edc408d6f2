//===- DeviceSummary.h - Facts about a device module ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first act of the device pass: all that is found out about the kernels of
// a module, as data. The clones are made from it (DeviceClones.h), the remarks
// are printed from it (DeviceRemarks.h), and the summaries in it are embedded.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_DEVICESUMMARY_H
#define GRIDSPAN_PASSES_DEVICE_DEVICESUMMARY_H

#include "analysis/gridstride/GridStride.h"
#include "analysis/legality/Legality.h"
#include "analysis/legality/NoAlias.h"
#include "analysis/legality/OutOfCoreArguments.h"
#include "analysis/legality/RecordForms.h"
#include "analysis/legality/Reductions.h"
#include "analysis/summary/KernelSummary.h"
#include "llvm/IR/PassManager.h"
#include <optional>
#include <string>
#include <vector>

namespace gridspan {

/// A kernel and all that is known of it.
struct DeviceKernel {
  llvm::Function *Original = nullptr;
  /// Summary as launches see it: that of Body, where there is one.
  KernelSummary Summary;
  /// Reasons why the grid may not be split.
  llvm::SmallVector<Refusal, 2> Refusals;
  /// True if the kernel gets a tiled clone.
  bool IsSplit = false;
  /// Copy of the kernel with its grid-stride loops rewritten, which the tiled
  /// clone is made from; null where no loop is. DeviceClones.h removes it.
  llvm::Function *Body = nullptr;
  /// Reasons why loops of the kernel keep their distribution.
  std::vector<StrideRefusal> StrideRefusals;
  /// Arguments of a kernel that may be split which cannot be out-of-core.
  llvm::SmallVector<NotOutOfCore, 4> InMemory;
  /// Arguments of such a kernel that it has atomics on.
  llvm::SmallVector<ReducedArgument, 2> Reductions;
  /// Facts for a clone without aliasing arguments; nothing if not asked for.
  std::optional<NoAliasFacts> NoAlias;
  /// The arrays of records of Original; nothing if not asked for.
  std::optional<KernelRecords> Records;
};

/// The kernels of a module, in its order.
struct DeviceSummary {
  std::string Id;         ///< unique in the program
  std::string Build;      ///< moduleBuild() of the module
  bool IsAnalysed = true; ///< false at -O0
  std::vector<DeviceKernel> Kernels;
};

/// Returns what is known of kernels that are not optimized: their parameters.
DeviceSummary describeDevice(llvm::Module &M);

/// Analyses the kernels of M, whose accesses are numbered. No function of M is
/// changed; bodies are added, see DeviceKernel::Body.
DeviceSummary summarizeDevice(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_DEVICESUMMARY_H
