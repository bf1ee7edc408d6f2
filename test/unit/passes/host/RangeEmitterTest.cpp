//===- RangeEmitterTest.cpp - Emitted range functions ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles range functions, runs them, and compares the ranges with those of
// the evaluator.
//
//===----------------------------------------------------------------------===//

#include "passes/host/RangeEmitter.h"
#include "analysis/summary/Evaluate.h"
#include "test/unit/support/RandomExprs.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace gridspan;
using namespace gridspan::test;

namespace {

/// Compiles the functions of one kernel against the operations in this program.
class CompiledKernel {
public:
  explicit CompiledKernel(const KernelSummary &Kernel) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Jit = cantFail(orc::LLJITBuilder().create());
    orc::SymbolMap Symbols;
    auto Define = [&](StringRef Name, auto *Address) {
      Symbols[Jit->mangleAndIntern(Name)] = {
          orc::ExecutorAddr::fromPtr(Address), JITSymbolFlags::Exported};
    };
#define GRIDSPAN_RANGE_OP(Kind, Shape)                                         \
  Define("__gridspan_range_" #Kind, &__gridspan_range_##Kind);
#include "gridspan/RangeOps.def"
    Define("__gridspan_range_finish", &__gridspan_range_finish);
    Define("__gridspan_range_mean", &__gridspan_range_mean);
    Define("__gridspan_range_threads", &__gridspan_range_threads);
    cantFail(Jit->getMainJITDylib().define(
        orc::absoluteSymbols(std::move(Symbols))));

    auto Context = std::make_unique<LLVMContext>();
    auto M = std::make_unique<Module>("kernel", *Context);
    M->setDataLayout(Jit->getDataLayout());
    for (Function *F :
         {emitRangeFunction(*M, Kernel), emitWorkFunction(*M, Kernel)})
      F->setLinkage(GlobalValue::ExternalLinkage);
    EXPECT_FALSE(verifyModule(*M, &errs()));
    cantFail(Jit->addIRModule(
        orc::ThreadSafeModule(std::move(M), std::move(Context))));
    Ranges = cantFail(Jit->lookup("__gridspan_ranges_" + Kernel.Name))
                 .toPtr<GridspanRangeFn>();
    Work = cantFail(Jit->lookup("__gridspan_work_" + Kernel.Name))
               .toPtr<GridspanWorkFn>();
  }

  GridspanRangeFn Ranges;
  GridspanWorkFn Work;

private:
  std::unique_ptr<orc::LLJIT> Jit;
};

/// A kernel with an access at each third expression.
KernelSummary makeKernel(unsigned Seed) {
  RandomExprs Random = makeRandomExprs(Seed, 64);
  KernelSummary Kernel;
  Kernel.Name = "kernel";
  Kernel.Exprs = std::move(Random.Graph);
  for (ExprId Id = 0, End = Kernel.Exprs.size(); Id < End; Id += 3) {
    AccessSummary &Access = Kernel.Accesses.emplace_back();
    Access.Pointer = Id % 5 == 4 ? -1 : 0;
    Access.ElementSize = 1 + Id % 8;
    Access.Offset = Kernel.Exprs.cast(ExprKind::SExt, Id, 64);
    if (Id % 7 == 6)
      Access.Length = Kernel.Exprs.cast(ExprKind::ZExt, Id / 2, 64);
    Access.ExactIfEvaluated = Id % 2;
  }
  Kernel.Work.push_back({10, 0, {}});
  Kernel.Work.push_back({2.5, 0.5, {Random.Counts[0], Random.Counts[1]}});
  return Kernel;
}

TEST(RangeEmitter, ComputesWhatTheInterpreterDoes) {
  uint64_t Arg = 11;
  void *Args[] = {&Arg};
  GridspanBox Box = {Args, {9, 4, 1}, {8, 4, 2}, {2, 1, 0}, {3, 2, 1}};
  for (unsigned Seed = 0; Seed != 60; ++Seed) {
    KernelSummary Kernel = makeKernel(Seed);
    CompiledKernel Code(Kernel);
    std::vector<GridspanRange> Found(Kernel.Accesses.size());
    Code.Ranges(&Box, Found.data());
    for (auto [Index, Access] : enumerate(Kernel.Accesses)) {
      GridspanRange Expected = evaluateRange(Kernel, Access, Box);
      ASSERT_EQ(Found[Index].State, Expected.State) << Seed << " " << Index;
      if (Expected.State == GridspanRangeUnknown ||
          Expected.State == GridspanRangeEmpty)
        continue;
      EXPECT_EQ(std::memcmp(&Found[Index], &Expected, sizeof(Expected)), 0)
          << Seed << " " << Index;
    }
    GridspanValue Counts[NumLoops];
    const WorkTerm &Loops = Kernel.Work[1];
    for (unsigned I = 0; I != NumLoops; ++I)
      Counts[I] = evaluate(Kernel.Exprs, Loops.TripCounts[I], Box);
    EXPECT_DOUBLE_EQ(Code.Work(&Box),
                     384 * (10 + 2.5 * __gridspan_range_mean(&Counts[0]) *
                                     __gridspan_range_mean(&Counts[1])));
  }
}

} // namespace
