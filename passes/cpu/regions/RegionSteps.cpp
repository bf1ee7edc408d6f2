//===- RegionSteps.cpp - Loops that threads take together -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at innermost loops without side effects but stores. One is taken
// together if an access is at neighbouring addresses in neighbouring threads,
// and goes on by a cache line or more from turn to turn; and if no access is at
// addresses far apart in neighbouring threads. This is the interchange of loops
// of Allen and Kennedy ("Automatic Loop Interchange", 1984), by way of a
// barrier.
//
// In a loop in steps of a block, a turn goes as far as all threads together do.
// There, accesses may be at any known distance in neighbouring threads: memory
// is passed in its order then, and not once by each thread.
//
// A barrier that all threads pass never changes what a program without races
// computes. So distances between addresses are only estimated: integers that
// wrap around are not considered.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/RegionSteps.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/LoopExit.h"
#include "passes/cpu/regions/StridedLoop.h"
#include "passes/cpu/regions/Uniformity.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <map>
#include <optional>

using namespace llvm;
using namespace gridspan;

namespace {

/// How far a value is from that of the next thread of the row, or of the next
/// turn of a loop: a number, a number that is not known but taken for large, or
/// unknown.
class Distance {
public:
  static constexpr int64_t Large = int64_t(1) << 40;

  Distance(int64_t Value) : Value(Value) {}
  static Distance unknown() { return Distance(); }

  bool isKnown() const { return Value.has_value(); }
  bool isZero() const { return Value == 0; }
  bool isAtLeast(int64_t Least) const {
    return Value && std::abs(*Value) >= Least;
  }
  bool operator==(const Distance &Other) const = default;
  Distance operator+(const Distance &Other) const {
    return isKnown() && Other.isKnown() ? cut(*Value + *Other.Value)
                                        : unknown();
  }
  /// The distance of a value that is Factor times as large.
  Distance times(int64_t Factor) const {
    if (!isKnown() || isZero() || Factor == 0)
      return isKnown() ? Distance(0) : unknown();
    return std::abs(*Value) >= Large / std::abs(Factor)
               ? Distance(Large)
               : Distance(*Value * Factor);
  }

private:
  Distance() = default;
  static Distance cut(int64_t V) { return std::clamp(V, -Large, Large); }
  std::optional<int64_t> Value;
};

/// Finds the distances of values, given those of some.
class Distances {
public:
  Distances(const DataLayout &DL, const Loop &L, bool OfTurns,
            const Argument &TidX)
      : DL(DL), L(L), OfTurns(OfTurns), TidX(TidX) {}

  Distance of(const Value *V) {
    if (auto It = Known.find(V); It != Known.end())
      return It->second;
    // Of a value that depends on itself: what its other operands say.
    Known.insert({V, Distance(0)});
    const Distance Out = compute(V);
    Known.insert_or_assign(V, Out);
    return Out;
  }

private:
  Distance compute(const Value *V);
  Distance ofProduct(const Value *A, const Value *B);
  Distance stepOf(const PHINode &Phi, const Value *V, unsigned Depth);
  Distance ofPhi(const PHINode &Phi);
  Distance ofAddress(const GEPOperator &Address);

  const DataLayout &DL;
  const Loop &L;
  const bool OfTurns; ///< of L, not of threads
  const Argument &TidX;
  std::map<const Value *, Distance> Known;
};

} // namespace

Distance Distances::ofProduct(const Value *A, const Value *B) {
  if (isa<ConstantInt>(A))
    std::swap(A, B);
  const Distance OfA = of(A), OfB = of(B);
  if (OfA.isZero() && OfB.isZero())
    return 0;
  if (auto *Factor = dyn_cast<ConstantInt>(B);
      Factor && Factor->getBitWidth() <= 64)
    return OfA.times(Factor->getSExtValue());
  // A multiple of a number that is the same, and not known.
  if (OfA.isKnown() && OfB.isKnown() && (OfA.isZero() || OfB.isZero()))
    return Distance::Large;
  return Distance::unknown();
}

/// Returns what a turn adds to Phi, by way of V in the loop.
Distance Distances::stepOf(const PHINode &Phi, const Value *V, unsigned Depth) {
  if (V == &Phi)
    return 0;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || Depth == 0)
    return Distance::unknown();
  const Value *Base = nullptr, *More = nullptr;
  int64_t Scale = 1;
  if (auto *Join = dyn_cast<PHINode>(I);
      Join && I->getParent() != L.getHeader()) {
    const Distance First = stepOf(Phi, Join->getIncomingValue(0), Depth - 1);
    const bool IsSame = all_of(Join->incoming_values(), [&](const Use &U) {
      return stepOf(Phi, U, Depth - 1) == First;
    });
    return IsSame ? First : Distance::unknown();
  }
  if (I->getOpcode() == Instruction::Add) {
    Base = I->getOperand(0);
    More = I->getOperand(1);
    if (!L.isLoopInvariant(More))
      std::swap(Base, More);
  } else if (auto *Address = dyn_cast<GetElementPtrInst>(I);
             Address && Address->getNumIndices() == 1) {
    Base = Address->getPointerOperand();
    More = Address->getOperand(1);
    Scale = DL.getTypeAllocSize(Address->getSourceElementType());
  }
  if (!More || !L.isLoopInvariant(More))
    return Distance::unknown();
  auto *Number = dyn_cast<ConstantInt>(More);
  return stepOf(Phi, Base, Depth - 1) +
         Distance(Number ? Number->getSExtValue() : Distance::Large)
             .times(Scale);
}

Distance Distances::ofPhi(const PHINode &Phi) {
  if (OfTurns && Phi.getParent() == L.getHeader())
    return stepOf(Phi, Phi.getIncomingValueForBlock(L.getLoopLatch()),
                  /*Depth=*/8);
  // Between threads: that of the values that come from elsewhere.
  std::optional<Distance> Out;
  for (const BasicBlock *From : Phi.blocks()) {
    if (Phi.getParent() == L.getHeader() && L.contains(From))
      continue;
    const Distance D = of(Phi.getIncomingValueForBlock(From));
    if (Out && !(*Out == D))
      return Distance::unknown();
    Out = D;
  }
  return Out.value_or(Distance::unknown());
}

Distance Distances::ofAddress(const GEPOperator &Address) {
  Distance Out = of(Address.getPointerOperand());
  for (auto It = gep_type_begin(Address), E = gep_type_end(Address); It != E;
       ++It)
    if (!It.isStruct())
      Out = Out + of(It.getOperand())
                      .times(It.getSequentialElementStride(DL).getFixedValue());
  return Out;
}

Distance Distances::compute(const Value *V) {
  if (V == &TidX)
    return OfTurns ? 0 : 1;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || (OfTurns && !L.contains(I)))
    return 0;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return ofPhi(*Phi);
  if (auto *Address = dyn_cast<GEPOperator>(I))
    return ofAddress(*Address);
  switch (I->getOpcode()) {
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
  case Instruction::AddrSpaceCast:
  case Instruction::Freeze:
    return of(I->getOperand(0));
  case Instruction::Add:
    return of(I->getOperand(0)) + of(I->getOperand(1));
  case Instruction::Sub:
    return of(I->getOperand(0)) + of(I->getOperand(1)).times(-1);
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(I)->isDisjoint())
      return of(I->getOperand(0)) + of(I->getOperand(1));
    break;
  case Instruction::Mul:
    return ofProduct(I->getOperand(0), I->getOperand(1));
  case Instruction::Shl:
    if (auto *Bits = dyn_cast<ConstantInt>(I->getOperand(1));
        Bits && Bits->getValue().ult(32))
      return of(I->getOperand(0)).times(int64_t(1) << Bits->getZExtValue());
    break;
  default:
    break;
  }
  const bool IsSame =
      all_of(I->operands(), [&](const Use &U) { return of(U).isZero(); });
  return IsSame ? Distance(0) : Distance::unknown();
}

//===--- Loops ----------------------------------------------------------===//

/// How threads should take a loop: one after the other, or together, if a turn
/// is a step of the block or in any case.
enum class Order { Apart, TogetherInSteps, Together };

static Order orderOf(const Loop &L, const Argument &TidX) {
  constexpr int64_t CacheLine = 64;
  if (!L.isInnermost() || !L.getLoopLatch() || !L.getLoopPreheader())
    return Order::Apart;
  const DataLayout &DL = TidX.getParent()->getParent()->getDataLayout();
  Distances OfThreads(DL, L, false, TidX), OfTurns(DL, L, true, TidX);
  bool Found = false, AreNeighbours = true;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      const Value *Address = getLoadStorePointerOperand(&I);
      if (!Address) {
        if (I.mayReadOrWriteMemory() && !I.isLifetimeStartOrEnd() &&
            !isa<AssumeInst>(I))
          return Order::Apart;
        continue;
      }
      if (I.isVolatile() || I.isAtomic())
        return Order::Apart;
      const int64_t Bytes = DL.getTypeStoreSize(getLoadStoreType(&I));
      const Distance Next = OfThreads.of(Address);
      if (Next.isZero())
        continue;
      const bool IsFar = OfTurns.of(Address).isAtLeast(CacheLine);
      Found |= IsFar;
      if (Next == Distance(Bytes))
        continue;
      if (!Next.isKnown() || !IsFar)
        return Order::Apart;
      AreNeighbours = false;
    }
  if (!Found)
    return Order::Apart;
  return AreNeighbours ? Order::Together : Order::TogetherInSteps;
}

/// Puts a barrier into loops that are taken together: into those in steps of a
/// block and, unless OnlyStrided, into others. Returns true if there are any.
static bool insertBarriers(Function &Kernel, bool OnlyStrided) {
  assert(Kernel.arg_size() >= NumCpuParams && "no thread parameters");
  Argument &TidX = *Kernel.getArg(1);
  DominatorTree Tree(Kernel);
  LoopInfo Loops(Tree);
  for (Loop *L : Loops.getLoopsInPreorder())
    if (L->isInnermost() && !L->getLoopPreheader())
      InsertPreheaderForLoop(L, &Tree, &Loops, nullptr,
                             /*PreserveLCSSA=*/false);
  bool HasNewExits = false;
  for (Loop *L : Loops.getLoopsInPreorder())
    if (orderOf(*L, TidX) != Order::Apart && joinExitWithGuard(*L, Tree)) {
      Tree.recalculate(Kernel);
      HasNewExits = true;
    }
  if (HasNewExits) {
    Loops.releaseMemory();
    Loops.analyze(Tree);
  }
  std::optional<Uniformity> Uniform;
  SmallVector<StridedLoop, 0> Strided;
  SmallVector<BasicBlock *> Latches;
  for (Loop *L : Loops.getLoopsInPreorder()) {
    const Order Wanted = orderOf(*L, TidX);
    if (Wanted == Order::Apart)
      continue;
    if (!Uniform)
      Uniform.emplace(Kernel);
    if (std::optional<StridedLoop> S = StridedLoop::find(*L, *Uniform, TidX))
      Strided.push_back(*S);
    else if (!OnlyStrided && Wanted == Order::Together)
      Latches.push_back(L->getLoopLatch());
  }
  for (StridedLoop &S : Strided)
    S.passTogether();
  for (BasicBlock *Latch : Latches) {
    IRBuilder<> B(Latch->getTerminator());
    FunctionCallee Barrier = Kernel.getParent()->getOrInsertFunction(
        "__gridspan_cpu_barrier",
        FunctionType::get(B.getVoidTy(),
                          {B.getPtrTy(), B.getInt32Ty(), B.getInt32Ty()},
                          false));
    B.CreateCall(Barrier, {Kernel.getArg(0), B.getInt32(0), B.getInt32(0)});
  }
  return !Strided.empty() || !Latches.empty();
}

bool gridspan::insertSteps(Function &Kernel) {
  return insertBarriers(Kernel, /*OnlyStrided=*/false);
}

bool gridspan::insertStridedSteps(Function &Kernel) {
  return insertBarriers(Kernel, /*OnlyStrided=*/true);
}
