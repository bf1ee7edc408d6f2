//===- ExprBuilder.cpp - Index expressions of IR values -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line values: one case for each instruction and intrinsic. A value
// without a case is unknown, which is sound. Loops and phis are in
// ExprBuilderLoops.cpp, pointers in ExprBuilderPointers.cpp.
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/ExprBuilder.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/TilePosition.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gridspan {

/// Limits of one kernel's expressions: real ones are far below.
static constexpr unsigned MaxDepth = 120;
static constexpr size_t MaxNodes = 4000;
/// Limit of one query. Merges ask for their operands under the facts of each
/// edge, so a chain of them would take exponentially many steps.
static constexpr unsigned MaxSteps = 3000;

ExprBuilder::ExprBuilder(const Function &F, const DominatorTree &DT,
                         const LoopInfo &LI, ScalarEvolution &SE,
                         ExprGraph &Graph, IsWrittenFn IsWritten)
    : F(F), DT(DT), LI(LI), SE(SE), DL(F.getParent()->getDataLayout()),
      Graph(Graph), Facts(DT), IsWritten(std::move(IsWritten)) {}

unsigned ExprBuilder::widthOf(const Value *V) const {
  return V->getType()->isPointerTy() ? 64 : V->getType()->getScalarSizeInBits();
}

ExprId ExprBuilder::unknown(const Value *V, StringRef Reason) {
  return Graph.unknown(widthOf(V), Reason);
}

bool ExprBuilder::step() {
  if (Depth == 0)
    Steps = 0;
  return ++Steps <= MaxSteps;
}

ExprId ExprBuilder::valueAt(const Value *V, ContextId Context) {
  unsigned Width = widthOf(V);
  assert((V->getType()->isIntegerTy() || V->getType()->isPointerTy()) &&
         "only integers and pointers have expressions");
  if (Width > 64)
    return Graph.unknown(64, "an integer of more than 64 bits");
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return Graph.constant(Width, C->getSExtValue());
  if (isa<ConstantPointerNull>(V))
    return Graph.constant(Width, 0);

  auto Found = Memo.find({Context, V});
  if (Found != Memo.end())
    return Found->second;
  if (Depth == MaxDepth)
    return unknown(V, "the expression is too deep");
  if (Graph.size() > MaxNodes || !step())
    return unknown(V, "there are too many expressions");
  // Only a phi is reached again while it is being built. What is built
  // meanwhile from an unknown is right, only not as tight as can be.
  const auto *Phi = dyn_cast<PHINode>(V);
  bool IsPhi = Phi != nullptr;
  if (auto It = Carried.find(Phi); IsPhi && It != Carried.end())
    return applyFacts(V, opened(V, It->second), Context);
  if (IsPhi && !InProgress.insert(V).second)
    return opened(V,
                  unknown(V, "it depends on its value in the last iteration"));
  ++Depth;
  ExprId E = applyFacts(V, opened(V, build(V, Context)), Context);
  --Depth;
  if (IsPhi)
    InProgress.erase(V);
  Memo[{Context, V}] = E;
  return E;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static std::optional<ExprKind> binaryKind(const BinaryOperator &I) {
  switch (I.getOpcode()) {
  case Instruction::Add:
    return ExprKind::Add;
  case Instruction::Sub:
    return ExprKind::Sub;
  case Instruction::Mul:
    return ExprKind::Mul;
  case Instruction::UDiv:
    return ExprKind::UDiv;
  case Instruction::SDiv:
    return ExprKind::SDiv;
  case Instruction::URem:
    return ExprKind::URem;
  case Instruction::SRem:
    return ExprKind::SRem;
  case Instruction::Shl:
    return ExprKind::Shl;
  case Instruction::LShr:
    return ExprKind::LShr;
  case Instruction::AShr:
    return ExprKind::AShr;
  case Instruction::And:
    return ExprKind::And;
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(&I)->isDisjoint() ? ExprKind::Add
                                                        : ExprKind::Or;
  case Instruction::Xor:
    return ExprKind::Xor;
  default:
    return std::nullopt;
  }
}

static bool hasExpr(const Value *V) {
  return V->getType()->isPointerTy() ||
         (V->getType()->isIntegerTy() &&
          V->getType()->getIntegerBitWidth() <= 64);
}

ExprId ExprBuilder::build(const Value *V, ContextId Context) {
  if (V->getType()->isPointerTy()) {
    // As a number: one pointer parameter plus an offset, or unknown.
    Targets T = pointerAt(V, Context);
    if (T.size() != 1 || T[0].Where != PointerTarget::Parameter)
      return unknown(V, "a pointer used as a number");
    return Graph.binary(ExprKind::Add,
                        Graph.param(64, T[0].Param, T[0].ByteOffset),
                        T[0].Offset);
  }
  if (const auto *A = dyn_cast<Argument>(V))
    return Graph.param(widthOf(V), A->getArgNo(), 0);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return unknown(V, "a constant of the linker");
  if (const auto *Binary = dyn_cast<BinaryOperator>(I))
    return buildBinary(*Binary, Context);
  if (const auto *Compare = dyn_cast<ICmpInst>(I))
    return buildCompare(*Compare, Context);
  if (const auto *Select = dyn_cast<SelectInst>(I))
    return buildSelect(*Select, Context);
  if (const auto *P = dyn_cast<PHINode>(I))
    return phiAt(*P, Context);
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(I))
    return buildIntrinsic(*Intrinsic, Context);
  if (isa<LoadInst>(I))
    return buildLoad(*I, Context);
  if (isa<ExtractElementInst, ExtractValueInst>(I))
    return buildElement(*I, Context);
  unsigned Width = widthOf(V);
  switch (I->getOpcode()) {
  case Instruction::SExt:
    if (hasExpr(I->getOperand(0)))
      return Graph.cast(ExprKind::SExt, valueAt(I->getOperand(0), Context),
                        Width);
    break;
  case Instruction::ZExt:
    // A value that is not negative is extended either way, and the signed one
    // keeps more where the range is not known that well.
    if (hasExpr(I->getOperand(0)))
      return Graph.cast(cast<PossiblyNonNegInst>(I)->hasNonNeg()
                            ? ExprKind::SExt
                            : ExprKind::ZExt,
                        valueAt(I->getOperand(0), Context), Width);
    break;
  case Instruction::Trunc:
    if (hasExpr(I->getOperand(0)))
      return Graph.cast(ExprKind::Trunc, valueAt(I->getOperand(0), Context),
                        Width);
    break;
  case Instruction::Freeze:
    return valueAt(I->getOperand(0), Context);
  case Instruction::PtrToInt:
    if (Width == 64)
      return valueAt(I->getOperand(0), Context);
    break;
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::BitCast:
    return unknown(V, "computed in floating point");
  case Instruction::Call:
    if (auto Position = tilePositionOf(*V))
      return Graph.special(Position->IsCount ? ExprKind::TileCount
                                             : ExprKind::TileOrigin,
                           Position->Axis);
    if (FollowsCarried && readsLaneNumber(*I))
      return laneNumber();
    return unknown(V, "the result of a call");
  default:
    break;
  }
  return unknown(V, (Twine("the result of ") + I->getOpcodeName()).str());
}

ExprId ExprBuilder::buildBinary(const BinaryOperator &I, ContextId Context) {
  std::optional<ExprKind> Kind = binaryKind(I);
  if (!Kind)
    return unknown(&I, "computed in floating point");
  if (*Kind == ExprKind::Add)
    if (ExprId Sum = regroupSum(I, Context); Sum != NoExpr)
      return Sum;
  ExprId L = valueAt(I.getOperand(0), Context);
  ExprId R = valueAt(I.getOperand(1), Context);
  return Graph.binary(*Kind, L, R);
}

ExprId ExprBuilder::buildCompare(const CmpInst &I, ContextId Context) {
  const Value *L = I.getOperand(0), *R = I.getOperand(1);
  if (!I.isIntPredicate() || !hasExpr(L) || !hasExpr(R))
    return unknown(&I, "a comparison of no integers");
  ExprId LE = valueAt(L, Context), RE = valueAt(R, Context);
  return Graph.icmp(I.getPredicate(), LE, RE);
}

ExprId ExprBuilder::buildSelect(const SelectInst &I, ContextId Context) {
  const Value *Condition = I.getCondition();
  if (!Condition->getType()->isIntegerTy(1))
    return unknown(&I, "a choice between vectors");
  ExprId True = valueAt(I.getTrueValue(), Facts.with(Context, Condition, true));
  ExprId False =
      valueAt(I.getFalseValue(), Facts.with(Context, Condition, false));
  return Graph.select(valueAt(Condition, Context), True, False);
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

std::optional<std::pair<ExprKind, unsigned>> specialRegister(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return {{ExprKind::ThreadIdx, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return {{ExprKind::ThreadIdx, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return {{ExprKind::ThreadIdx, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return {{ExprKind::BlockIdx, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return {{ExprKind::BlockIdx, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return {{ExprKind::BlockIdx, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return {{ExprKind::BlockDim, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return {{ExprKind::BlockDim, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return {{ExprKind::BlockDim, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return {{ExprKind::GridDim, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return {{ExprKind::GridDim, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return {{ExprKind::GridDim, 2}};
  default:
    return std::nullopt;
  }
}

static std::optional<ExprKind> minMaxKind(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::umin:
    return ExprKind::UMin;
  case Intrinsic::umax:
    return ExprKind::UMax;
  case Intrinsic::smin:
    return ExprKind::SMin;
  case Intrinsic::smax:
    return ExprKind::SMax;
  default:
    return std::nullopt;
  }
}

/// Returns the high half of a product of 32-bit numbers.
static std::optional<ExprKind> highProductExtension(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_mulhi_i:
    return ExprKind::SExt;
  case Intrinsic::nvvm_mulhi_ui:
    return ExprKind::ZExt;
  default:
    return std::nullopt;
  }
}

ExprId ExprBuilder::buildIntrinsic(const IntrinsicInst &I, ContextId Context) {
  unsigned Width = widthOf(&I);
  Intrinsic::ID Id = I.getIntrinsicID();
  auto Operand = [&](unsigned N) {
    return valueAt(I.getArgOperand(N), Context);
  };
  if (auto Special = specialRegister(Id))
    return Graph.special(Special->first, Special->second);
  if (auto Kind = minMaxKind(Id)) {
    ExprId L = Operand(0), R = Operand(1);
    return Graph.binary(*Kind, L, R);
  }
  if (auto Extension = highProductExtension(Id)) {
    ExprId L = Graph.cast(*Extension, Operand(0), 64);
    ExprId R = Graph.cast(*Extension, Operand(1), 64);
    return Graph.cast(ExprKind::Trunc,
                      Graph.binary(ExprKind::LShr,
                                   Graph.binary(ExprKind::Mul, L, R),
                                   Graph.constant(64, 32)),
                      32);
  }
  if (ExprId E = bitsAt(I, Context); E != NoExpr)
    return E;
  switch (Id) {
  case Intrinsic::abs: {
    ExprId X = Operand(0);
    return Graph.binary(
        ExprKind::SMax, X,
        Graph.binary(ExprKind::Sub, Graph.constant(Width, 0), X));
  }
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return Graph.constant(32, 32);
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return FollowsCarried ? laneNumber() : Graph.bounded(32, 0, 31);
  case Intrinsic::nvvm_read_ptx_sreg_warpid:
    return Graph.bounded(32, 0, 63);
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
    if (Width >= 8)
      return Graph.bounded(Width, 0, Width);
    break;
  case Intrinsic::ssa_copy:
  case Intrinsic::expect:
    return Operand(0);
  case Intrinsic::usub_sat: {
    ExprId L = Operand(0), R = Operand(1);
    return Graph.binary(ExprKind::Sub, Graph.binary(ExprKind::UMax, L, R), R);
  }
  case Intrinsic::nvvm_ldg_global_i:
  case Intrinsic::nvvm_ldu_global_i:
    if (IsWritten)
      return inspected(I, I.getArgOperand(0), 0, Width, Context);
    break;
  default:
    break;
  }
  return unknown(&I,
                 (Twine("the result of ") + Intrinsic::getBaseName(Id)).str());
}

//===----------------------------------------------------------------------===//
// Loads and elements
//===----------------------------------------------------------------------===//

/// Returns true if nothing writes the by-value argument: its fields are what
/// the launch was given.
bool ExprBuilder::isNeverWritten(const Argument &ByValue) {
  auto [It, Inserted] = NeverWritten.try_emplace(&ByValue, true);
  if (!Inserted)
    return It->second;
  SmallVector<const Value *, 8> Work = {&ByValue};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (const User *U : V->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (I && isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst, PHINode,
                   SelectInst>(I)) {
        Work.push_back(I);
        continue;
      }
      const auto *Transfer = dyn_cast_or_null<AnyMemTransferInst>(I);
      bool OnlyReads = I && (isa<LoadInst>(I) || isa<ICmpInst>(I) ||
                             I->isLifetimeStartOrEnd() ||
                             (Transfer && Transfer->getRawDest() != V));
      if (!OnlyReads)
        return NeverWritten[&ByValue] = false;
    }
  }
  return true;
}

std::optional<std::pair<unsigned, unsigned>>
ExprBuilder::byValueField(const Value *Address) {
  APInt Offset(DL.getIndexTypeSizeInBits(Address->getType()), 0);
  const Value *Base = Address->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  const auto *A = dyn_cast<Argument>(Base);
  if (!A || !A->hasByValAttr() || !isNeverWritten(*A) || Offset.isNegative() ||
      Offset.uge(DL.getTypeAllocSize(A->getParamByValType())))
    return std::nullopt;
  return {{A->getArgNo(), unsigned(Offset.getZExtValue())}};
}

ExprId ExprBuilder::buildLoad(const Value &Load, ContextId Context) {
  const Value *Address = cast<LoadInst>(Load).getPointerOperand();
  unsigned Width = widthOf(&Load);
  if (auto Field = byValueField(Address))
    return Graph.param(Width, Field->first, Field->second);
  if (IsWritten)
    return inspected(Load, Address, 0, Width, Context);
  switch (Address->getType()->getPointerAddressSpace()) {
  case SharedSpace:
    return unknown(&Load, "loaded from shared memory");
  case ConstantSpace:
    return unknown(&Load, "loaded from constant memory");
  default:
    return unknown(&Load, "loaded from memory");
  }
}

/// Returns an element of a vector or of an aggregate.
ExprId ExprBuilder::buildElement(const Value &V, ContextId Context) {
  if (const auto *Extract = dyn_cast<ExtractValueInst>(&V)) {
    const auto *Overflow =
        dyn_cast<WithOverflowInst>(Extract->getAggregateOperand());
    if (Overflow && Extract->getIndices().front() == 0) {
      ExprKind Kind =
          Overflow->getBinaryOp() == Instruction::Add   ? ExprKind::Add
          : Overflow->getBinaryOp() == Instruction::Sub ? ExprKind::Sub
                                                        : ExprKind::Mul;
      ExprId L = valueAt(Overflow->getLHS(), Context);
      ExprId R = valueAt(Overflow->getRHS(), Context);
      return Graph.binary(Kind, L, R);
    }
    return unknown(&V, "an element of an aggregate");
  }
  const auto &Extract = cast<ExtractElementInst>(V);
  const auto *Index = dyn_cast<ConstantInt>(Extract.getIndexOperand());
  const Value *Vector = Extract.getVectorOperand();
  while (Index) {
    const auto *Insert = dyn_cast<InsertElementInst>(Vector);
    if (!Insert)
      break;
    const auto *At = dyn_cast<ConstantInt>(Insert->getOperand(2));
    if (!At)
      break;
    if (At->getValue() == Index->getValue())
      return valueAt(Insert->getOperand(1), Context);
    Vector = Insert->getOperand(0);
  }
  const auto *Load = dyn_cast<LoadInst>(Vector);
  unsigned Width = widthOf(&V);
  if (Index && Load && Width % 8 == 0)
    if (auto Field = byValueField(Load->getPointerOperand()))
      return Graph.param(Width, Field->first,
                         Field->second + Index->getZExtValue() * (Width / 8));
  const Value *Address = Load ? Load->getPointerOperand() : nullptr;
  if (const auto *Call = dyn_cast<IntrinsicInst>(Vector))
    if (Call->getIntrinsicID() == Intrinsic::nvvm_ldg_global_i ||
        Call->getIntrinsicID() == Intrinsic::nvvm_ldu_global_i)
      Address = Call->getArgOperand(0);
  if (IsWritten && Index && Address)
    return inspected(*Vector, Address, Index->getZExtValue() * (Width / 8),
                     Width, Context);
  return unknown(&V, "an element of a vector");
}

} // namespace gridspan
