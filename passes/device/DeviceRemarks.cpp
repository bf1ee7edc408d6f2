//===- DeviceRemarks.cpp - Remarks about kernels --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A printer: every fact comes from the summary. For each kernel the order is:
// loops that keep their distribution, splitting, arguments that cannot be
// out-of-core, the clone for arguments that do not overlap.
//
//===----------------------------------------------------------------------===//

#include "passes/device/DeviceRemarks.h"
#include "analysis/nvptx/SourceLocation.h"
#include "passes/common/Options.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

/// The name of the pass in remarks: -Rpass=gridspan, -Rpass-missed=gridspan.
#define DEBUG_TYPE "gridspan"

namespace gridspan {

/// Returns the place of a remark about the kernel itself.
static DiagnosticLocation locationOf(const Function &Kernel) {
  if (const DISubprogram *Subprogram = Kernel.getSubprogram())
    return DiagnosticLocation(Subprogram);
  return {};
}

/// Returns the place of Where, or the kernel's if it has none.
static DiagnosticLocation locationOf(const Function &Kernel,
                                     const Instruction *Where) {
  if (Where)
    if (const DILocation *Loc = userLocation(*Where))
      return DiagnosticLocation(DebugLoc(Loc));
  return locationOf(Kernel);
}

static StringRef inspectionRefusalText(StringRef Name) {
  return StringSwitch<StringRef>(Name)
#define GRIDSPAN_INSPECTION_REFUSAL(Id, Name, Text) .Case(Name, Text)
#include "analysis/symbolic/Inspection.def"
      .Default("");
}

/// Returns "argument 2 (name)", "the pointer at byte 8 of argument 1".
static std::string nameOf(const Function &Kernel, const PointerSummary &P) {
  const Argument &A = *Kernel.getArg(P.Param);
  std::string Out = A.hasByValAttr()
                        ? formatv("the pointer at byte {0} of ", P.ByteOffset)
                        : std::string();
  Out += formatv("argument {0}", P.Param + 1);
  return A.hasName() ? formatv("{0} ({1})", Out, A.getName()) : Out;
}

namespace {

/// Prints the remarks about one kernel.
class KernelRemarks {
public:
  KernelRemarks(const DeviceKernel &K, OptimizationRemarkEmitter &ORE)
      : K(K), Kernel(*K.Original), Name(demangle(Kernel.getName())), ORE(ORE) {}

  void emitLoops();
  void emitRefusals();
  void emitSplittable();
  void emitNotOutOfCore();
  void emitReductions();
  void emitNoAlias();
  void emitRecords();

private:
  OptimizationRemark passed(StringRef Remark) const {
    OptimizationRemark R(DEBUG_TYPE, Remark, locationOf(Kernel), entry());
    R << "kernel " << ore::NV("Kernel", Name);
    return R;
  }
  OptimizationRemarkMissed missed(StringRef Remark,
                                  DiagnosticLocation Where) const {
    OptimizationRemarkMissed R(DEBUG_TYPE, Remark, Where, entry());
    R << "kernel " << ore::NV("Kernel", Name);
    return R;
  }
  const BasicBlock *entry() const { return &Kernel.getEntryBlock(); }

  const DeviceKernel &K;
  const Function &Kernel;
  const std::string Name;
  OptimizationRemarkEmitter &ORE;
};

} // namespace

void KernelRemarks::emitLoops() {
  for (const StrideRefusal &R : K.StrideRefusals)
    ORE.emit(OptimizationRemarkMissed(DEBUG_TYPE, strideRefusalName(R.Kind),
                                      locationOf(Kernel, R.Where),
                                      R.L->getHeader())
             << "kernel " << ore::NV("Kernel", Name) << ": "
             << ore::NV("Reason", R.message()));
}

void KernelRemarks::emitRefusals() {
  for (const Refusal &R : K.Refusals)
    ORE.emit(missed(refusalName(R.Kind), locationOf(Kernel, R.Where))
             << " " << ore::NV("Reason", R.message()));
}

void KernelRemarks::emitSplittable() {
  const std::vector<AccessSummary> &Accesses = K.Summary.Accesses;
  StringSet<> Said;
  for (const AccessSummary &A : Accesses)
    if (!A.WhyNotInspected.empty() && Said.insert(A.WhyNotInspected).second)
      ORE.emit(missed(A.WhyNotInspected, locationOf(Kernel))
               << " loads indices that are not inspected: "
               << ore::NV("Reason", inspectionRefusalText(A.WhyNotInspected)));
  unsigned Unknown =
      count_if(Accesses, [](const AccessSummary &A) { return !A.Why.empty(); });
  ORE.emit(passed("splittable")
           << " can be split over devices: "
           << ore::NV("Accesses", unsigned(Accesses.size()))
           << " global memory accesses, " << ore::NV("Unknown", Unknown)
           << " with an unknown range");
}

void KernelRemarks::emitNotOutOfCore() {
  for (const NotOutOfCore &N : K.InMemory) {
    OptimizationRemarkMissed Remark =
        missed(outOfCoreRefusalName(N.Why), locationOf(Kernel));
    if (N.Pointer < 0)
      Remark << " cannot be streamed: ";
    else
      Remark << " cannot stream "
             << ore::NV("Argument",
                        nameOf(Kernel, K.Summary.Pointers[N.Pointer]))
             << ": ";
    Remark << ore::NV("Reason", outOfCoreRefusalText(N.Why));
    if (N.Access < K.Summary.Accesses.size()) {
      const AccessSummary &A = K.Summary.Accesses[N.Access];
      if (!A.Where.empty())
        Remark << " at " << ore::NV("Where", A.Where);
      if (!A.Why.empty())
        Remark << " (" << ore::NV("Why", A.Why) << ")";
    }
    ORE.emit(Remark);
  }
}

void KernelRemarks::emitReductions() {
  for (const ReducedArgument &R : K.Reductions) {
    const std::string Argument = nameOf(Kernel, K.Summary.Pointers[R.Pointer]);
    if (R.Kind != GridspanReduction::None)
      ORE.emit(passed("private-copies")
               << " may reduce into private copies of "
               << ore::NV("Argument", Argument) << " by "
               << ore::NV("Operation", operationName(R.Kind)));
    else
      ORE.emit(missed(reductionRefusalName(R.Why), locationOf(Kernel, R.Where))
               << " gets no private copies of " << ore::NV("Argument", Argument)
               << ": " << ore::NV("Reason", reductionRefusalText(R.Why)));
  }
}

void KernelRemarks::emitNoAlias() {
  if (!K.NoAlias)
    return;
  const std::optional<NoAliasRefusal> &Refusal = K.NoAlias->Refusal;
  if (!Refusal) {
    ORE.emit(passed("noalias-clone")
             << " has a clone for arguments that do not overlap");
    return;
  }
  // For most kernels nothing is missed: only who asks for clones wants to know.
  if (*Refusal == NoAliasRefusal::NoClobberedLoad &&
      !NoAliasOption.getNumOccurrences())
    return;
  ORE.emit(missed(noAliasRefusalName(*Refusal), locationOf(Kernel))
           << " has no clone for distinct arguments: "
           << ore::NV("Reason", noAliasRefusalText(*Refusal)));
}

void KernelRemarks::emitRecords() {
  if (!K.Records)
    return;
  const KernelRecords &Records = *K.Records;
  if (Records.Refusal && !Records.Pointers.empty())
    ORE.emit(missed(recordRefusalName(*Records.Refusal),
                    locationOf(Kernel, Records.Where))
             << " has no clone for records in other forms: "
             << ore::NV("Reason", recordRefusalText(*Records.Refusal)));
  for (const RecordPointer &P : Records.Pointers) {
    const std::string Argument =
        nameOf(Kernel, K.Summary.Pointers[P.Uses.Pointer]);
    if (P.Uses.Refusal)
      ORE.emit(missed(recordRefusalName(*P.Uses.Refusal),
                      locationOf(Kernel, P.Uses.Where))
               << " keeps the order of " << ore::NV("Argument", Argument)
               << ": "
               << ore::NV("Reason", recordRefusalText(*P.Uses.Refusal)));
    else if (P.Form.RecordBytes)
      ORE.emit(
          passed("formed-records")
          << " may find the records of " << ore::NV("Argument", Argument)
          << ", of " << ore::NV("Bytes", P.Form.RecordBytes) << " bytes, as "
          << ore::NV("Fields", unsigned(P.Form.Fields.size())) << " arrays");
  }
}

/// Emits the one remark about a module that is not optimized.
static void emitNotAnalysed(const Function &First,
                            OptimizationRemarkEmitter &ORE) {
  ORE.emit(OptimizationRemarkMissed(DEBUG_TYPE, "not-analysed",
                                    locationOf(First), &First.getEntryBlock())
           << "kernels are not analysed at -O0, nothing is split");
}

void emitRemarks(const DeviceSummary &Device, FunctionAnalysisManager &FAM) {
  for (const DeviceKernel &K : Device.Kernels) {
    auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(*K.Original);
    if (!Device.IsAnalysed)
      return emitNotAnalysed(*K.Original, ORE);
    KernelRemarks Remarks(K, ORE);
    Remarks.emitLoops();
    if (K.Refusals.empty()) {
      Remarks.emitSplittable();
      Remarks.emitNotOutOfCore();
      Remarks.emitReductions();
    } else {
      Remarks.emitRefusals();
    }
    Remarks.emitNoAlias();
    Remarks.emitRecords();
  }
}

} // namespace gridspan
