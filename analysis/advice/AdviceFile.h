//===- AdviceFile.h - Advice as data for other tools ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the findings on kernels into messages and JSON.
// docs/guide/advice-schema.md describes the form.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_ADVICEFILE_H
#define GRIDSPAN_ANALYSIS_ADVICE_ADVICEFILE_H

#include "analysis/advice/coalescing/Coalescing.h"
#include "analysis/advice/cost/Cost.h"
#include "analysis/advice/layout/Layout.h"
#include "analysis/advice/reduction/ReductionAdvice.h"
#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "analysis/advice/sites/ParameterNames.h"
#include "analysis/advice/sites/RepresentativeLaunch.h"
#include "llvm/Support/JSON.h"

namespace gridspan {

/// Raised when a reader of the old form would go wrong.
constexpr int AdviceVersion = 1;

/// The stable name of the problem that the site has, or "" if there is nothing
/// to say: "uncoalesced-access", "partly-coalesced-access", "bank-conflicts".
llvm::StringRef adviceRule(const KernelCoalescing &Kernel, size_t Site);

/// The problem in a sentence, with its numbers; for a site that has a rule.
std::string adviceMessage(const KernelCoalescing &Kernel, size_t Site);

/// Advice about a kernel as a whole, or about one of its arrays, as remarks and
/// files have it.
struct KernelAdvice {
  llvm::StringRef Rule; ///< stable: see docs/guide/advice-schema.md
  std::string Message, Advice;
  std::string Where;  ///< "file:line:col", or empty
  std::string Base;   ///< the array that it is about, as in MemorySite
  double Seconds = 0; ///< predicted, of a launch
  double Gain = 1;    ///< times as fast as it is, predicted
};

/// Everything that is known of a kernel.
struct KernelFacts {
  std::string Arch;
  const MachineModel *Machine = nullptr; ///< that the predictions are of
  /// Other sources may have the same one, as of a template.
  bool IsShared = false;
  KernelCoalescing Coalescing;
  KernelLayout Layout;
  SharedMemoryReuse Reuse;
  ReductionAdvice Reductions;
  RepresentativeLaunch Launch; ///< that all of these are about
  ParameterNames Names;        ///< that messages are shown with
  std::optional<KernelCost> Cost;
};

/// Returns what is to be said beyond single accesses.
std::vector<KernelAdvice> kernelAdvice(const KernelFacts &Kernel);

/// The compilation of a build that advice is about.
struct AdviceOrigin {
  std::string Source;    ///< as the compiler was told
  std::string Directory; ///< where relative paths start
  std::string Target;    ///< architecture of the code, "sm_90"
  std::string Build;     ///< hash of the code, or empty
};

llvm::json::Object adviceToJSON(const AdviceOrigin &Origin,
                                llvm::ArrayRef<KernelFacts> Kernels);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_ADVICEFILE_H
