//===- Layout.h - Which data layout serves a kernel best --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the time of a launch for each array of records behind a kernel: as
// it is, padded and aligned, as a struct of arrays, and in tiles of records.
// Recommends a form only if it gains. Does the same for arrays that are
// accessed at the same indices, which might be one of structs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_LAYOUT_H
#define GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_LAYOUT_H

#include "analysis/advice/coalescing/Coalescing.h"
#include "analysis/advice/layout/StructArrays.h"
#include "analysis/advice/warpsim/ResourceModel.h"

namespace gridspan {

enum class LayoutKind {
  Structs, ///< an array of structs, aligned as their fields are
  Aligned, ///< padded and aligned, so that neighbours are one vector access
  Soa,     ///< an array for each field
  Tiled,   ///< groups of Tile records, in each an array for each field
  Split,   ///< only the fields that are touched, as an aligned struct
};

struct LayoutForm {
  LayoutKind Kind = LayoutKind::Structs;
  unsigned Tile = 1;
  bool operator==(const LayoutForm &) const = default;
};

/// "array of structs", "tiles of 32 records", ...
std::string layoutName(const LayoutForm &Form);
/// "aos", "aligned", "soa", "tiled32", "split"
std::string layoutKey(const LayoutForm &Form);

enum class LayoutReason {
#define GRIDSPAN_LAYOUT_REASON(Kind, Name, Text) Kind,
#include "analysis/advice/layout/LayoutReasons.def"
};
llvm::StringRef layoutReasonName(LayoutReason Reason);
llvm::StringRef layoutReasonText(LayoutReason Reason);

struct FormTime {
  LayoutForm Form;
  ResourceTimes Time; ///< of the whole launch
};

struct ArrayLayout {
  StructArray Array;
  std::vector<FormTime> Forms; ///< the present one first
  size_t Best = 0;             ///< index of the recommended form; 0: stay
  LayoutReason Reason = LayoutReason::None; ///< why Best is 0
  double ConversionSeconds = 0; ///< to make the best form from the present one
  std::string Where;            ///< of an access, "file:line:col" or empty

  double gain() const {
    return Forms.front().Time.seconds() / Forms[Best].Time.seconds();
  }
};

struct KernelLayout {
  KernelSites Kernel;
  LaunchValues Launch;
  WarpTrace Trace;
  std::vector<ArrayLayout> Arrays;
  std::vector<StructRefusal> Refusals;
};

struct LayoutOptions {
  /// Launches over which data that is converted at run time must pay; 0: the
  /// source is changed, nothing is converted.
  double ConvertedFor = 0;
  /// The machine, where the architecture does not decide.
  const MachineModel *Machine = nullptr;
};

/// Kernel: of the module before accesses are joined (not VectorizedCopy), as
/// what is joined depends on the layout.
KernelLayout analyzeLayout(KernelSites Kernel, const LaunchAssumptions &Known,
                           const MachineModel &Machine,
                           const LayoutOptions &Options = {});

/// Returns what the array's accesses waste, and what to do; empty if nothing.
std::string layoutMessage(const KernelLayout &Kernel, const ArrayLayout &A);
std::string layoutAdvice(const ArrayLayout &A);
/// Fields that are hot, rarely touched, never touched, in words; may be empty.
std::string fieldUse(const StructArray &A);

void printLayout(llvm::raw_ostream &OS, const KernelLayout &Kernel);

/// print<gridspan-layout>
class LayoutPrinterPass : public llvm::PassInfoMixin<LayoutPrinterPass> {
public:
  LayoutPrinterPass(llvm::raw_ostream &OS, LaunchAssumptions Known,
                    LayoutOptions Options)
      : OS(OS), Known(std::move(Known)), Options(Options) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
  LaunchAssumptions Known;
  LayoutOptions Options;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_LAYOUT_H
