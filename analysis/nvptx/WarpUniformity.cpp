//===- WarpUniformity.cpp - Values that lanes of a warp share -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's uniformity analysis, with sources of divergence of its own: those of
// the target are not there in every tool that runs this, and without a target
// everything would be uniform.
//
// Sources are thread and lane numbers, atomics, memory that each thread has for
// itself, shuffles, and what calls and inline assembly give. A load of other
// memory from an address that all lanes share gives all of them what is there
// when the warp executes it. Votes and a shuffle from one named lane give every
// lane the same.
//
// It holds for lanes that execute an instruction together. A value of a loop
// that lanes leave in different iterations differs behind it: that is asked
// here, since LLVM answers it for uses, and values are looked at without one.
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/WarpUniformity.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;

namespace gridspan {

/// Returns true if each thread may find something else at the address.
static bool mayBePrivate(const Value *Pointer) {
  if (Pointer->getType()->getPointerAddressSpace() == LocalSpace)
    return true;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return any_of(Objects, [](const Value *Object) {
    const auto *A = dyn_cast<Argument>(Object);
    return isa<AllocaInst>(Object) ||
           !(A || isa<GlobalValue, LoadInst, Constant>(Object));
  });
}

static bool isSourceIntrinsic(const IntrinsicInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
    return true;
  case Intrinsic::nvvm_ldg_global_i:
  case Intrinsic::nvvm_ldg_global_f:
  case Intrinsic::nvvm_ldg_global_p:
  case Intrinsic::nvvm_ldu_global_i:
  case Intrinsic::nvvm_ldu_global_f:
  case Intrinsic::nvvm_ldu_global_p:
    return false;
  default:
    // A function of its operands, or anything.
    return !I.doesNotAccessMemory() || I.isConvergent();
  }
}

static bool isSharedByWarp(const IntrinsicInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_uni_sync:
  case Intrinsic::nvvm_vote_ballot_sync:
    return true;
  case Intrinsic::nvvm_shfl_sync_idx_i32:
  case Intrinsic::nvvm_shfl_sync_idx_f32: {
    // mask, value, lane, and what groups the lanes: 31 is the whole warp.
    const auto *Group = dyn_cast<ConstantInt>(I.getArgOperand(3));
    return isa<ConstantInt>(I.getArgOperand(2)) && Group &&
           Group->getZExtValue() == 31;
  }
  default:
    return false;
  }
}

namespace {
/// The sources of divergence in a warp.
class LaneSources : public TargetTransformInfoImplCRTPBase<LaneSources> {
public:
  explicit LaneSources(const DataLayout &DL)
      : TargetTransformInfoImplCRTPBase(DL) {}

  bool hasBranchDivergence(const Function *) { return true; }
  bool isAlwaysUniform(const Value *V) {
    const auto *I = dyn_cast<IntrinsicInst>(V);
    return I && isSharedByWarp(*I);
  }
  bool isSourceOfDivergence(const Value *V) {
    if (const auto *Load = dyn_cast<LoadInst>(V))
      return mayBePrivate(Load->getPointerOperand());
    if (const auto *I = dyn_cast<IntrinsicInst>(V))
      return isSourceIntrinsic(*I);
    return isa<CallBase, AtomicRMWInst, AtomicCmpXchgInst, AllocaInst,
               VAArgInst>(V);
  }
};
} // namespace

struct WarpUniformity::Impl {
  Impl(const Function &F, const LoopInfo &LI) : LI(LI) {
    FAM.registerPass([] { return PassInstrumentationAnalysis(); });
    FAM.registerPass([] { return DominatorTreeAnalysis(); });
    FAM.registerPass([] { return CycleAnalysis(); });
    FAM.registerPass([] {
      return TargetIRAnalysis([](const Function &Of) {
        return TargetTransformInfo(LaneSources(Of.getDataLayout()));
      });
    });
    FAM.registerPass([] { return UniformityInfoAnalysis(); });
    Info = &FAM.getResult<UniformityInfoAnalysis>(const_cast<Function &>(F));
  }

  const LoopInfo &LI;
  /// One of its own, since the target of this one are the sources above.
  FunctionAnalysisManager FAM;
  UniformityInfo *Info;
};

WarpUniformity::WarpUniformity(const Function &F, const LoopInfo &LI)
    : P(std::make_unique<Impl>(F, LI)) {}

WarpUniformity::~WarpUniformity() = default;

bool WarpUniformity::isUniformAt(const Value *V, const BasicBlock &At) const {
  if (P->Info->isDivergent(V))
    return false;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return true;
  for (const Loop *L = P->LI.getLoopFor(I->getParent()); L && !L->contains(&At);
       L = L->getParentLoop()) {
    SmallVector<BasicBlock *, 4> Exiting;
    L->getExitingBlocks(Exiting);
    if (any_of(Exiting, [&](const BasicBlock *BB) {
          return P->Info->hasDivergentTerminator(*BB);
        }))
      return false;
  }
  return true;
}

} // namespace gridspan
