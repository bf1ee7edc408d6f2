//===- RecordForms.h - Forms for arrays of records --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses, for all kernels of a module together, how arrays of records may lie
// in memory: as an array for each field (struct of arrays). Kernels that meet
// at one buffer have to agree, and buffers are not known to the compiler. So
// all records of one type have one form.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_RECORDFORMS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_RECORDFORMS_H

#include "analysis/legality/RecordUses.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gridspan {

/// A pointer to records, and the form that its kernel can follow.
struct RecordPointer {
  RecordUses Uses;
  /// With RecordBytes 0 if Uses.Refusal is set, or the record is one field.
  FormSummary Form;
};

/// The pointers to records of one kernel.
struct KernelRecords {
  llvm::Function *Kernel = nullptr;
  const KernelSummary *Summary = nullptr; ///< of Kernel as it is
  /// Set if none of them may be formed.
  std::optional<RecordRefusal> Refusal;
  const llvm::Instruction *Where = nullptr; ///< what is refused, if it is one
  std::vector<RecordPointer> Pointers;

  /// Returns true if the kernel is to have a clone.
  bool hasForms() const;
};

/// Finds the records of a kernel. Dependent: its blocks may depend on each
/// other, as checkLegality() says.
KernelRecords findRecords(llvm::Function &Kernel, const KernelSummary &Summary,
                          bool Dependent);

/// Chooses the forms. Refuses what cannot follow them.
void chooseForms(llvm::MutableArrayRef<KernelRecords> Kernels);

/// Implements print<gridspan-records>.
class RecordsPrinterPass : public llvm::PassInfoMixin<RecordsPrinterPass> {
public:
  explicit RecordsPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_RECORDFORMS_H
