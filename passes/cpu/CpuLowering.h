//===- CpuLowering.h - Device code as host code -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the device module of a CUDA file into functions of its host module that
// the CPU device runs. Everything it adds has internal linkage and a name that
// starts with "__gridspan_cpu."; a device function's is that and its name.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_CPU_CPULOWERING_H
#define GRIDSPAN_PASSES_CPU_CPULOWERING_H

#include "gridspan/CpuCodes.h"
#include "passes/cpu/regions/CpuRegions.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
class raw_ostream;
} // namespace llvm

namespace gridspan {

/// Contents of a GridspanCpuKernel.
struct CpuKernelCode {
  std::string
      Name; ///< mangled device name; a tiled clone is an entry of its own
  llvm::Function *Run = nullptr;       ///< null when Unsupported
  llvm::Function *RunTraced = nullptr; ///< null when Unsupported or not wanted
  std::string Unsupported; ///< names the instruction and its location, or empty
  /// Set if threads of the kernel wait for each other and are fibers.
  std::optional<RegionRefusal> WhyFibers;
  bool IsUnoptimized = false;     ///< Run is, for there is too much code
  llvm::DiagnosticLocation Where; ///< of the kernel, where it is known
  uint64_t StaticSharedBytes = 0;
  uint32_t Flags = 0; ///< GridspanCpuKernelFlags
};

/// Contents of a GridspanCpuVariable.
struct CpuVariable {
  std::string Name; ///< device symbol name
  uint64_t Offset;  ///< in the image
  uint64_t Size;
};

/// Contents of a GridspanCpuModule, and the kernels.
struct CpuModuleCode {
  std::vector<CpuKernelCode> Kernels;    ///< in the device module's order
  llvm::GlobalVariable *Image = nullptr; ///< null when there are no variables
  llvm::Function *Relocate = nullptr;    ///< null when not needed
  uint64_t ImageSize = 0;
  uint64_t ImageAlign = 1;
  std::vector<CpuVariable> Variables;

  const CpuKernelCode *kernel(llvm::StringRef Name) const;
};

struct CpuLoweringOptions {
  bool Trace = true; ///< also make RunTraced
  /// The most that the codes of a kernel are made for.
  VectorLevel Vectors = VectorLevel::Avx2;
  /// Instructions of the kernels that are optimized, together.
  uint64_t MaxOptimized = std::numeric_limits<uint64_t>::max();
  /// Receives for each kernel with barriers how its threads run, if not null.
  llvm::raw_ostream *Regions = nullptr;
  /// Receives which loops neighbouring threads take together, if not null.
  llvm::raw_ostream *Tiles = nullptr;
};

/// Returns what the plugin's options say.
CpuLoweringOptions cpuLoweringOptions();

/// Lowers Device, NVPTX IR in Host's context, into Host. An instruction that
/// cannot be lowered is a warning in Host's context and
/// CpuKernelCode::Unsupported of the kernels that reach it; an error is
/// returned when nothing of the module can be used, and Host is unchanged then.
llvm::Expected<CpuModuleCode>
lowerForCpu(std::unique_ptr<llvm::Module> Device, llvm::Module &Host,
            const CpuLoweringOptions &Options = {});

} // namespace gridspan

#endif // GRIDSPAN_PASSES_CPU_CPULOWERING_H
