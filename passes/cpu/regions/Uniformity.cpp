//===- Uniformity.cpp - Values that threads of a block share --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's analysis asks the target where values that differ come from. Here they
// come from threadIdx, from the addresses of a thread's own variables, from
// atomic and volatile accesses, and from calls.
//
// A plain load of one address gives all threads the same value, unless one of
// them writes there without a barrier in between, which is a race.
//
// Precondition: threads that execute an instruction together are those that
// have come there since the same barrier; so it is asked only about code in
// which all threads that have not ended are at the same barrier.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/Uniformity.h"
#include "passes/common/CpuNames.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace llvm;
using namespace gridspan;

namespace {

class ThreadSources : public TargetTransformInfoImplCRTPBase<ThreadSources> {
public:
  explicit ThreadSources(const DataLayout &DL)
      : TargetTransformInfoImplCRTPBase(DL) {}

  bool hasBranchDivergence(const Function * = nullptr) const { return true; }

  bool isSourceOfDivergence(const Value *V) const {
    if (auto *A = dyn_cast<Argument>(V))
      return A->getArgNo() >= 1 && A->getArgNo() < NumCpuParams;
    if (auto *Load = dyn_cast<LoadInst>(V))
      return Load->isVolatile() || Load->isAtomic();
    if (auto *Call = dyn_cast<CallBase>(V))
      return !isAlwaysUniform(V) &&
             (!isa<IntrinsicInst>(Call) || Call->mayReadFromMemory());
    // Threads that come from where it is undefined have no value to share. LLVM
    // says that all have what the others have.
    if (auto *Phi = dyn_cast<PHINode>(V))
      return any_of(Phi->incoming_values(),
                    [](const Use &U) { return isa<UndefValue>(U); });
    return isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst>(V);
  }

  bool isAlwaysUniform(const Value *V) const { return isBlockReduction(*V); }
};

} // namespace

static FunctionAnalysisManager makeAnalyses() {
  FunctionAnalysisManager Out;
  Out.registerPass([] { return PassInstrumentationAnalysis(); });
  Out.registerPass([] { return DominatorTreeAnalysis(); });
  Out.registerPass([] { return CycleAnalysis(); });
  Out.registerPass([] {
    return TargetIRAnalysis([](const Function &F) {
      return TargetTransformInfo(ThreadSources(F.getParent()->getDataLayout()));
    });
  });
  Out.registerPass([] { return UniformityInfoAnalysis(); });
  return Out;
}

Uniformity::Uniformity(Function &F)
    : Analyses(makeAnalyses()),
      Info(Analyses.getResult<UniformityInfoAnalysis>(F)) {}
