//===- Descriptors.h - Data of a module for the runtime ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the constants of ABI.def for a module's kernels, and the constructor
// that registers them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_DESCRIPTORS_H
#define GRIDSPAN_PASSES_HOST_DESCRIPTORS_H

#include "analysis/summary/KernelSummary.h"
#include "passes/common/AbiConstants.h"
#include "llvm/ADT/ArrayRef.h"

namespace gridspan {

/// A kernel of the module, from all that is known of it.
struct DescribedKernel {
  std::string Name; ///< mangled device name
  llvm::Constant *HostStub = nullptr;
  llvm::Constant *TiledStub = nullptr;   ///< null: no clone is registered
  llvm::Constant *NoAliasStub = nullptr; ///< the same
  llvm::Constant *TiledNoAliasStub = nullptr;
  llvm::Constant *PackedStub = nullptr;        ///< of the one with packed rows
  llvm::Constant *RecordingStub = nullptr;     ///< of the one that records
  llvm::Constant *FormedStub = nullptr;        ///< of the one for records
  llvm::Constant *FormedNoAliasStub = nullptr; ///< its own
  const KernelSummary *Summary = nullptr;      ///< null: not analysed
  llvm::Constant *Cpu = nullptr;          ///< its GridspanCpuKernel, or null
  llvm::Constant *CpuNoAlias = nullptr;   ///< the same
  llvm::Constant *PackedCpu = nullptr;    ///< of PackedStub
  llvm::Constant *RecordingCpu = nullptr; ///< of RecordingStub
  llvm::Constant *FormedCpu = nullptr;    ///< of FormedStub
  llvm::Constant *FormedCpuNoAlias = nullptr; ///< of FormedNoAliasStub
};

/// Adds the GridspanModule of M with its kernels, and their range and work
/// functions. CpuModule is a GridspanCpuModule or null. Device is what the
/// device compilation said, or null.
llvm::GlobalVariable *emitDescriptors(llvm::Module &M, AbiConstants &Abi,
                                      llvm::ArrayRef<DescribedKernel> Kernels,
                                      const ModuleSummary *Device,
                                      llvm::Constant *CpuModule);

/// Adds a constructor that registers the GridspanModule, and has it
/// unregistered when the program ends or the library is closed.
void emitModuleConstructor(llvm::Module &M, llvm::GlobalVariable *Descriptor);

/// Has clang's constructor, which registers the fat binary and its variables,
/// run before those of the program. A process that only serves another one
/// (runtime/Ranks.h) runs none of the latter.
void registerFatbinEarly(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_DESCRIPTORS_H
