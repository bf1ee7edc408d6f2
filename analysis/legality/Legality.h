//===- Legality.h - Conditions for splitting a grid -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides if the blocks of a grid may run on different devices, and says why
// not. Legality.def lists the necessary conditions.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_LEGALITY_H
#define GRIDSPAN_ANALYSIS_LEGALITY_LEGALITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include <string>

namespace llvm {
class Instruction;
class raw_ostream;
} // namespace llvm

namespace gridspan {

enum class RefusalKind : uint8_t {
#define GRIDSPAN_REFUSAL(Kind, Name, Text) Kind,
#include "analysis/legality/Legality.def"
};

/// Returns "grid-barrier", ...
llvm::StringRef refusalName(RefusalKind Kind);
/// Returns "it synchronizes the whole grid", ...
llvm::StringRef refusalText(RefusalKind Kind);

/// A necessary condition that does not hold.
struct Refusal {
  RefusalKind Kind;
  /// The first instruction that breaks it, or null where none is to blame.
  const llvm::Instruction *Where = nullptr;
  /// The function, variable or assembly text that breaks it, or empty.
  std::string Detail;

  /// Returns "cannot be split: it ... (detail) at file:line:col", as far as
  /// known.
  std::string message() const;
};

/// Bytes that the parameter of a tiled clone adds, and the room there is.
constexpr unsigned TileBytes = 24;
constexpr unsigned MaxParameterBytes = 4096;

/// Returns all reasons, one of each kind at most, in the order of Legality.def;
/// none when the blocks of Kernel may run on different devices.
llvm::SmallVector<Refusal, 2> checkLegality(const llvm::Function &Kernel,
                                            llvm::FunctionAnalysisManager &FAM);

/// The refusals of every kernel of a module.
class LegalityFacts {
public:
  void set(const llvm::Function &Kernel,
           llvm::SmallVector<Refusal, 2> Refusals) {
    OfKernel[&Kernel] = std::move(Refusals);
  }
  /// Returns what checkLegality() finds. Kernel must be one of the module's
  /// when it was analysed.
  llvm::ArrayRef<Refusal> of(const llvm::Function &Kernel) const {
    auto It = OfKernel.find(&Kernel);
    assert(It != OfKernel.end() && "not a kernel of the analysed module");
    return It->second;
  }

private:
  llvm::DenseMap<const llvm::Function *, llvm::SmallVector<Refusal, 2>>
      OfKernel; // looked up only, never walked
};

/// Checks all kernels of a module. It is a module analysis because a kernel's
/// legality depends on the functions that it calls and on the module's
/// variables.
class LegalityAnalysis : public llvm::AnalysisInfoMixin<LegalityAnalysis> {
public:
  using Result = LegalityFacts;
  Result run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

private:
  friend llvm::AnalysisInfoMixin<LegalityAnalysis>;
  static llvm::AnalysisKey Key;
};

/// Implements print<gridspan-legality>.
class LegalityPrinterPass : public llvm::PassInfoMixin<LegalityPrinterPass> {
public:
  explicit LegalityPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_LEGALITY_H
