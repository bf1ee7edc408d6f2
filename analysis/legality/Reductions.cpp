//===- Reductions.cpp - Arguments that are reduced into -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a pointer to all of its uses, which must be atomics of one operation.
//
// Sound because the operations are associative and commutative, and change what
// is there only. So what is there at the end of the launch does not depend on
// where partial results were. Nothing in the launch sees what is there before:
// the kernel reads nothing through this pointer and uses no result, it has no
// pointers of unknown origin, and whether other arguments lead to the same
// memory is looked at with each launch. Atomics of system scope could be seen
// from outside while the kernel runs, and are refused. Others outside would
// rely on an order of kernels that CUDA does not promise.
//
// Counting up or down with a bound (atomicInc, atomicDec) is addition modulo
// 2^32 if the bound is 2^32 - 1.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Reductions.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/SystemScope.h"
#include "analysis/summary/Access.h"
#include "analysis/summary/KernelParams.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name, Text;
} Refusals[] = {
#define GRIDSPAN_REDUCTION_REFUSAL(Kind, Name, Text) {Name, Text},
#include "analysis/legality/Reductions.def"
};

StringRef reductionRefusalName(ReductionRefusal R) {
  return Refusals[unsigned(R)].Name;
}

StringRef reductionRefusalText(ReductionRefusal R) {
  return Refusals[unsigned(R)].Text;
}

StringRef operationName(GridspanReduction Kind) {
  switch (Kind) {
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined)               \
  case GridspanReduction::Kind:                                                \
    return Name;
#include "gridspan/Reductions.def"
  case GridspanReduction::None:
    break;
  }
  return "";
}

static GridspanReduction operationFromName(StringRef Name) {
  return StringSwitch<GridspanReduction>(Name)
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined)               \
  .Case(Name, GridspanReduction::Kind)
#include "gridspan/Reductions.def"
      .Default(GridspanReduction::None);
}

static bool isAllOnes(const Value *V) {
  const auto *Constant = dyn_cast<ConstantInt>(V);
  return Constant && Constant->isMinusOne();
}

namespace {

/// Looks at the uses of one pointer.
class UseChecker {
public:
  void visit(const Use &U);
  void refuse(ReductionRefusal Why, const Instruction *Where) {
    if (IsRefused)
      return;
    Out.Why = Why;
    Out.Where = Where;
    IsRefused = true;
  }
  ReducedArgument take(unsigned Pointer) {
    Out.Pointer = Pointer;
    if (IsRefused)
      Out.Kind = GridspanReduction::None;
    return Out;
  }

private:
  void visitAtomic(const Instruction &I, GridspanReduction Kind,
                   ReductionRefusal WhyNone);
  void visitRMW(const AtomicRMWInst &RMW);
  void visitIntrinsic(const IntrinsicInst &I, const Use &U);

  ReducedArgument Out = {};
  bool IsRefused = false;
};

} // namespace

/// Kind is None if the atomic is refused for WhyNone.
void UseChecker::visitAtomic(const Instruction &I, GridspanReduction Kind,
                             ReductionRefusal WhyNone) {
  if (Kind == GridspanReduction::None)
    return refuse(WhyNone, &I);
  if (!I.use_empty())
    return refuse(ReductionRefusal::ResultUsed, &I);
  if (Out.Kind != GridspanReduction::None && Out.Kind != Kind)
    return refuse(ReductionRefusal::SeveralOperations, &I);
  Out.Kind = Kind;
}

void UseChecker::visitRMW(const AtomicRMWInst &RMW) {
  switch (RMW.getOperation()) {
  case AtomicRMWInst::Xchg:
  case AtomicRMWInst::Nand:
    return refuse(ReductionRefusal::DoesNotCombine, &RMW);
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap:
    return visitAtomic(RMW,
                       isAllOnes(RMW.getValOperand()) &&
                               RMW.getType()->isIntegerTy(32)
                           ? GridspanReduction::AddU32
                           : GridspanReduction::None,
                       ReductionRefusal::DoesNotCombine);
  default:
    break;
  }
  const std::optional<std::string> Name = ptxAtomic(RMW);
  visitAtomic(RMW, Name ? operationFromName(*Name) : GridspanReduction::None,
              ReductionRefusal::OtherType);
}

void UseChecker::visitIntrinsic(const IntrinsicInst &I, const Use &U) {
  if (I.isAssumeLikeIntrinsic())
    return;
  StringRef Name = I.getCalledFunction()->getName();
  if (Name.starts_with("llvm.nvvm.ldg.global.") ||
      Name.starts_with("llvm.nvvm.ldu.global.") ||
      Name.starts_with("llvm.nvvm.cp.async."))
    return refuse(ReductionRefusal::ReadBesides, &I);
  if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(&I))
    return refuse(&U == &Transfer->getRawSourceUse()
                      ? ReductionRefusal::ReadBesides
                      : ReductionRefusal::WrittenBesides,
                  &I);
  if (isa<AnyMemSetInst>(I))
    return refuse(ReductionRefusal::WrittenBesides, &I);
  if (!Name.starts_with("llvm.nvvm.atomic.") || U.getOperandNo() != 0)
    return refuse(ReductionRefusal::PointerEscapes, &I);
  if (!ptxAtomic(Name))
    return refuse(ReductionRefusal::OtherScope, &I);
  visitAtomic(I,
              isAllOnes(I.getArgOperand(1)) ? GridspanReduction::AddU32
                                            : GridspanReduction::None,
              ReductionRefusal::DoesNotCombine);
}

void UseChecker::visit(const Use &U) {
  const auto *I = cast<Instruction>(U.getUser());
  if (isa<LoadInst>(I))
    return refuse(ReductionRefusal::ReadBesides, I);
  const unsigned Operand = U.getOperandNo();
  if (isa<StoreInst>(I) && Operand == StoreInst::getPointerOperandIndex())
    return refuse(ReductionRefusal::WrittenBesides, I);
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(I);
      RMW && Operand == AtomicRMWInst::getPointerOperandIndex())
    return visitRMW(*RMW);
  if (isa<AtomicCmpXchgInst>(I) &&
      Operand == AtomicCmpXchgInst::getPointerOperandIndex())
    return refuse(ReductionRefusal::DoesNotCombine, I);
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(I))
    return visitIntrinsic(*Intrinsic, U);
  refuse(ReductionRefusal::PointerEscapes, I);
}

SmallVector<ReducedArgument, 2> findReductions(const Function &Kernel,
                                               const KernelSummary &Summary) {
  const bool HasUnknown =
      (Summary.Flags & (GridspanUnknownRead | GridspanUnknownWrite)) ||
      any_of(Summary.Accesses,
             [](const AccessSummary &A) { return A.Pointer < 0; });
  SmallVector<ReducedArgument, 2> Out;
  for (const auto &[Index, P] : enumerate(Summary.Pointers)) {
    if (!(P.Modes & GridspanAtomic))
      continue;
    UseChecker Checker;
    if (HasUnknown)
      Checker.refuse(ReductionRefusal::UnknownPointer, nullptr);
    else if (!isUsedOnlyFor(Kernel, P, [&](const Use &U) {
               Checker.visit(U);
               return true;
             }))
      Checker.refuse(ReductionRefusal::PointerEscapes, nullptr);
    Out.push_back(Checker.take(Index));
  }
  return Out;
}

PreservedAnalyses ReductionsPrinterPass::run(Module &M,
                                             ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *Kernel : kernelsOf(M)) {
    OS << "kernel " << Kernel->getName() << ":\n";
    const KernelSummary &Summary =
        FAM.getResult<KernelSummaryAnalysis>(*Kernel);
    for (const ReducedArgument &R : findReductions(*Kernel, Summary)) {
      const PointerSummary &P = Summary.Pointers[R.Pointer];
      OS << "  parameter " << P.Param;
      if (P.ByteOffset)
        OS << " at byte " << P.ByteOffset;
      OS << ": ";
      if (R.Kind != GridspanReduction::None) {
        OS << operationName(R.Kind) << '\n';
        continue;
      }
      OS << reductionRefusalName(R.Why) << ": " << reductionRefusalText(R.Why);
      if (R.Where)
        OS << ':' << *R.Where;
      OS << '\n';
    }
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan
