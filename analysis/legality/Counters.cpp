//===- Counters.cpp - Exits that a counter gets to ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a queue is no wait: its exit is taken when what an addition has found is
// large enough, the addition is of a positive number, and the cycle takes
// nothing of it back. Another block that sets the counter back, and rests then,
// only makes for more turns. An exit that is taken when what is found is small,
// an addition of zero or of an unknown number, or one that is undone, may wait,
// and so may one whose bound is read on purpose. That the counter goes beyond
// its bound before it overflows is what the program relies on as well.
//
// Kernel arguments are taken for different places, as everywhere in the search
// for waits; of a pointer that comes from memory nothing is known.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/Counters.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/InlineAssembly.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/WaitReads.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

static bool isOutside(const Value *V, const Cycle &C) {
  const auto *I = dyn_cast<Instruction>(V);
  return !I || !C.contains(I->getParent());
}

//===--- Exits ------------------------------------------------------------===//

/// Returns the comparison at the end of Exiting, if it alone decides whether C
/// is left. Sets Predicate to that by which it is.
static const ICmpInst *exitComparison(const BasicBlock &Exiting, const Cycle &C,
                                      CmpInst::Predicate &Predicate) {
  const auto *Branch = dyn_cast<BranchInst>(Exiting.getTerminator());
  if (!Branch || !Branch->isConditional() ||
      C.contains(Branch->getSuccessor(0)) ==
          C.contains(Branch->getSuccessor(1)))
    return nullptr;
  const auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
  if (Compare)
    Predicate = C.contains(Branch->getSuccessor(1))
                    ? Compare->getPredicate()
                    : Compare->getInversePredicate();
  return Compare;
}

std::optional<BoundedExit> boundedExit(const BasicBlock &Exiting,
                                       const Cycle &C) {
  CmpInst::Predicate Predicate;
  const ICmpInst *Compare = exitComparison(Exiting, C, Predicate);
  if (!Compare || !CmpInst::isRelational(Predicate))
    return std::nullopt;
  const Value *L = Compare->getOperand(0), *R = Compare->getOperand(1);
  if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate))
    return {{L, R}};
  return {{R, L}};
}

/// Returns the number that the counter of C that V is, or is computed from,
/// goes on by in each turn; 0 if V is none.
static int64_t stepOf(const Value *V, const Cycle &C) {
  const auto *Next = dyn_cast<BinaryOperator>(V);
  const auto *Phi = dyn_cast<PHINode>(Next ? Next->getOperand(0) : V);
  if (!Phi || Phi->getParent() != C.getHeader())
    return 0;
  int64_t Step = 0;
  for (const BasicBlock *From : Phi->blocks()) {
    if (!C.contains(From))
      continue;
    const auto *Add =
        dyn_cast<BinaryOperator>(Phi->getIncomingValueForBlock(From));
    const auto *By =
        Add && Add->getOpcode() == Instruction::Add && Add->getOperand(0) == Phi
            ? dyn_cast<ConstantInt>(Add->getOperand(1))
            : nullptr;
    if (!By || By->getBitWidth() > 64 || (Next && Next != Add) ||
        (Step && Step != By->getSExtValue()))
      return 0;
    Step = By->getSExtValue();
  }
  return Step;
}

bool isCountedExit(const BasicBlock &Exiting, const Cycle &C) {
  if (const std::optional<BoundedExit> Exit = boundedExit(Exiting, C))
    return (stepOf(Exit->Up, C) > 0 && isOutside(Exit->Down, C)) ||
           (stepOf(Exit->Down, C) < 0 && isOutside(Exit->Up, C));
  CmpInst::Predicate Predicate;
  const ICmpInst *Compare = exitComparison(Exiting, C, Predicate);
  return Compare && Predicate == CmpInst::ICMP_EQ &&
         stepOf(Compare->getOperand(0), C) != 0 &&
         isOutside(Compare->getOperand(1), C);
}

//===--- Additions --------------------------------------------------------===//

/// Returns the kernel argument or the variable that Pointer leads into, or
/// null.
static const Value *knownObject(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  const auto *Parameter = dyn_cast<Argument>(Object);
  return isa<GlobalVariable>(Object) ||
                 (Parameter && isKernel(*Parameter->getParent()))
             ? Object
             : nullptr;
}

/// Returns true if I may write to the object, which other blocks have too.
static bool mayWriteObject(const Instruction &I, const Value *Object) {
  if (!I.mayWriteToMemory() || isa<FenceInst>(I))
    return false;
  if (const Function *Callee = calledBody(I))
    return any_of(reachableFunctions(*Callee), [&](const Function *Reached) {
      return any_of(instructions(Reached), [&](const Instruction &Inside) {
        return !calledBody(Inside) && mayWriteObject(Inside, Object);
      });
    });
  if (const Value *To = writtenBy(I)) {
    const Value *Other = knownObject(To);
    return !isPrivateMemory(To) && (!Other || Other == Object);
  }
  if (const InlineAsm *Asm = assemblyOf(I)) {
    const AssemblyEffects Effects = assemblyEffects(Asm->getAsmString());
    return Effects.Stores || Effects.Atomics || !Effects.Known;
  }
  const auto *Call = dyn_cast<CallBase>(&I);
  return !Call || any_of(Call->args(), [](const Value *Argument) {
    return Argument->getType()->isPointerTy() && !isPrivateMemory(Argument);
  });
}

/// Returns true if V is known to be more than 0: blocks and warps have threads.
static bool isPositive(const Value *V, const SimplifyQuery &Query) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(V))
    switch (Call->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    case Intrinsic::nvvm_read_ptx_sreg_warpsize:
      return true;
    default:
      break;
    }
  return isKnownPositive(V, Query);
}

bool isTaking(const Instruction &I, Course Way, const Cycle &C) {
  const auto *Add = dyn_cast<AtomicRMWInst>(&I);
  if (!Add || Way == Course::Any ||
      (Add->getOperation() != AtomicRMWInst::Add &&
       Add->getOperation() != AtomicRMWInst::Sub))
    return false;
  const bool IsUp =
      (Add->getOperation() == AtomicRMWInst::Add) == (Way == Course::Up);
  const Value *By = Add->getValOperand();
  const SimplifyQuery Query(I.getModule()->getDataLayout());
  if (!isOutside(By, C) ||
      !(IsUp ? isPositive(By, Query) : isKnownNegative(By, Query)))
    return false;
  const Value *Object = knownObject(Add->getPointerOperand());
  return Object && none_of(C.blocks(), [&](const BasicBlock *Block) {
           return any_of(*Block, [&](const Instruction &Other) {
             return &Other != &I && mayWriteObject(Other, Object);
           });
         });
}

const Value *followedBy(const Instruction &I, const Cycle &C) {
  if (isa<FreezeInst, SExtInst, ZExtInst>(I))
    return I.getOperand(0);
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return Call->getCalledFunction()->getName().starts_with(
               "llvm.nvvm.shfl.sync.")
               ? Call->getArgOperand(1)
               : nullptr;
  const Value *First = I.getNumOperands() == 2 ? I.getOperand(0) : nullptr;
  const auto *By = First ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  const auto *Or = dyn_cast<PossiblyDisjointInst>(&I);
  if (I.getOpcode() == Instruction::Add || (Or && Or->isDisjoint())) {
    if (isOutside(I.getOperand(1), C))
      return First;
    return isOutside(First, C) ? I.getOperand(1) : nullptr;
  }
  // With a wrap, what is added might be gone.
  const auto *Scaled = dyn_cast<OverflowingBinaryOperator>(&I);
  if (Scaled && !Scaled->hasNoSignedWrap() && !Scaled->hasNoUnsignedWrap())
    return nullptr;
  if (I.getOpcode() == Instruction::Shl ||
      (I.getOpcode() == Instruction::Mul && By &&
       By->getValue().isStrictlyPositive()))
    return By ? First : nullptr;
  return nullptr;
}

} // namespace gridspan
