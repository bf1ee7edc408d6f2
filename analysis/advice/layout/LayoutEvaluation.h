//===- LayoutEvaluation.h - A kernel with its data elsewhere ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the time of a launch with an array of records in another form.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_LAYOUTEVALUATION_H
#define GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_LAYOUTEVALUATION_H

#include "analysis/advice/layout/Layout.h"

namespace gridspan {

inline LayoutForm presentForm(const StructArray &Array) {
  return {Array.isApart() ? LayoutKind::Soa : LayoutKind::Structs, 1};
}

/// Returns the alignment of records of Bytes with which neighbours are vector
/// accesses.
unsigned alignmentFor(int64_t Bytes);

class LayoutEvaluation {
public:
  LayoutEvaluation(const KernelSites &Kernel, const WarpTrace &Trace,
                   const MachineModel &Machine,
                   llvm::ArrayRef<StructArray> Arrays)
      : Kernel(Kernel), Trace(Trace), Machine(Machine), Arrays(Arrays),
        Present(presentAddresses(Kernel)) {
    for (const StructArray &Array : Arrays)
      Forms.push_back(presentForm(Array));
  }

  /// Puts array Index into Form, leaves the others as they were set last, and
  /// returns the time that the launch takes.
  ResourceTimes timeWith(size_t Index, const LayoutForm &Form);
  double conversionSeconds(size_t Index, const LayoutForm &Form) const;

private:
  void place(const StructArray &Array, const LayoutForm &Form,
             std::vector<SiteAddress> &Out) const;
  /// Bytes that the launch touches of the records, by loads or stores.
  std::optional<double> touchedBytes(const StructArray &Array,
                                     const LayoutForm &Form,
                                     bool IsStore) const;
  double numRecords(const StructArray &Array,
                    std::optional<bool> IsStore) const;
  DramTraffic dramTraffic(const MemoryCounts &Counts,
                          llvm::ArrayRef<SiteAddress> Addresses) const;
  /// Instructions that the forms add, by level of Kernel.Work.
  std::vector<double> extraIssue(llvm::ArrayRef<SiteAddress> Addresses) const;

  const KernelSites &Kernel;
  const WarpTrace &Trace;
  const MachineModel &Machine;
  llvm::ArrayRef<StructArray> Arrays;
  std::vector<LayoutForm> Forms;
  std::vector<SiteAddress> Present;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_LAYOUTEVALUATION_H
