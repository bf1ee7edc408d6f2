//===- HostVisibility.h - Signals from a kernel to the host -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that has not waited for a kernel knows nothing of it, unless the
// kernel tells: by an access that the host may look for while the kernel runs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_HOSTVISIBILITY_H
#define GRIDSPAN_ANALYSIS_LEGALITY_HOSTVISIBILITY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace llvm {
class Function;
class Instruction;
class raw_ostream;
} // namespace llvm

namespace gridspan {

enum class HostSignalKind : uint8_t {
#define GRIDSPAN_HOST_SIGNAL(Kind, Name, Text) Kind,
#include "analysis/legality/HostVisibility.def"
};

llvm::StringRef hostSignalName(HostSignalKind Kind);
llvm::StringRef hostSignalText(HostSignalKind Kind);

struct HostSignal {
  HostSignalKind Kind;
  const llvm::Instruction *Where;
};

/// Returns the first thing by which the kernel might tell the host how far it
/// is; nothing: it cannot, but for atomics that the summary lists as accesses,
/// for whoever launches it to see where they lead.
std::optional<HostSignal> findHostSignal(const llvm::Function &Kernel);

/// The signals of every kernel of a module.
class HostSignalFacts {
public:
  void set(const llvm::Function &Kernel, std::optional<HostSignal> Signal) {
    OfKernel[&Kernel] = Signal;
  }
  /// Returns what findHostSignal() finds. Kernel must be one of the module's
  /// when it was analysed.
  const std::optional<HostSignal> &of(const llvm::Function &Kernel) const {
    auto It = OfKernel.find(&Kernel);
    assert(It != OfKernel.end() && "not a kernel of the analysed module");
    return It->second;
  }

private:
  llvm::DenseMap<const llvm::Function *, std::optional<HostSignal>>
      OfKernel; // looked up only, never walked
};

/// Looks for signals in all kernels of a module, and in what they call.
class HostSignalAnalysis : public llvm::AnalysisInfoMixin<HostSignalAnalysis> {
public:
  using Result = HostSignalFacts;
  Result run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

private:
  friend llvm::AnalysisInfoMixin<HostSignalAnalysis>;
  static llvm::AnalysisKey Key;
};

/// Implements print<gridspan-host-signals>.
class HostSignalsPrinterPass
    : public llvm::PassInfoMixin<HostSignalsPrinterPass> {
public:
  explicit HostSignalsPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_HOSTVISIBILITY_H
