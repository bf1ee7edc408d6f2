//===- MemoryIssueCost.h - The issue cost of memory accesses ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates how long the memory instructions of a block keep the load unit of a
// multiprocessor and L2 busy, by how far apart the lanes of a warp are. The
// unit is the issue slot of a thread: the time in which a multiprocessor (for
// L2: the GPU) could issue one instruction of a thread.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SUMMARY_MEMORYISSUECOST_H
#define GRIDSPAN_ANALYSIS_SUMMARY_MEMORYISSUECOST_H

#include "analysis/expr/TypicalWarps.h"
#include "analysis/machine/MachineModel.h"
#include "analysis/symbolic/Guards.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace llvm {
class BasicBlock;
class Function;
class Loop;
class SCEV;
class Value;
} // namespace llvm

namespace gridspan {

class ExprBuilder;
struct KernelAnalyses;

/// A pointer as one that several share and a constant number of bytes.
struct SplitAddress {
  const llvm::SCEV *Root = nullptr;
  const llvm::SCEV *Step = nullptr; ///< of Loop, if it moves with one
  const llvm::Loop *Loop = nullptr;
  int64_t Bytes = 0;
};

struct MemoryIssueCosts {
  double Requests = 0; ///< machine instructions
  double LoadUnit = 0;
  double L2 = 0;
  /// Instructions for addresses: steps of pointers that move with the loop
  /// around the block, and others.
  double Steps = 0, Addresses = 0;
  /// The share of a block's warps that gets there.
  double Warps = 1;
  /// The share of its threads that gets there.
  double Threads = 1;
};

class AccessCosts {
public:
  AccessCosts(const llvm::Function &Kernel, const KernelAnalyses &Analyses,
              ExprBuilder &Builder, const ExprGraph &Graph,
              const MachineModel &Machine)
      : Kernel(Kernel), Analyses(Analyses), Builder(Builder), Graph(Graph),
        Machine(Machine), Typical(Graph) {}

  MemoryIssueCosts of(const llvm::BasicBlock &BB);

private:
  struct Access;
  struct Lanes;
  /// The fact X Pred Y with the share of a block's warps, and the lanes of one,
  /// that control gets on with.
  struct Fact {
    ExprId X = NoExpr, Y = NoExpr;
    llvm::CmpInst::Predicate Pred = llvm::CmpInst::ICMP_EQ;
    double Warps = 1;
    unsigned Lanes = WarpSize;
  };

  SplitAddress split(const llvm::Value *Pointer);
  llvm::SmallVector<Access, 8> accessesOf(const llvm::BasicBlock &BB);
  Lanes lanesOf(const Access &A);
  void findFacts();
  void findWarps(const llvm::BasicBlock &BB);
  void addGlobal(llvm::ArrayRef<Access> Group, MemoryIssueCosts &Out);
  void addAtomic(const Access &A, const Lanes &L, MemoryIssueCosts &Out) const;
  void addAddress(const SplitAddress &Address, const llvm::Loop *L,
                  MemoryIssueCosts &Out);
  double issueCostOfGPU(double Seconds) const;

  const llvm::Function &Kernel;
  const KernelAnalyses &Analyses;
  ExprBuilder &Builder;
  const ExprGraph &Graph;
  const MachineModel &Machine;
  /// Pointers that have been paid for, with the loop they are used in.
  llvm::DenseMap<std::pair<const llvm::SCEV *, const llvm::SCEV *>,
                 const llvm::Loop *>
      Known;
  /// The graph with strides, which the summary has no use for.
  std::optional<ExprGraph> Scratch;
  TypicalWarps Typical;
  llvm::MapVector<ContextId, Fact> Facts;
  bool HasFacts = false;
  /// The share of warps that gets to the present block, and the lanes of one.
  double WarpShare = 1;
  unsigned ActiveLanes = WarpSize;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SUMMARY_MEMORYISSUECOST_H
