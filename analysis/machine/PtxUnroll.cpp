//===- PtxUnroll.cpp - Loops that ptxas unrolls ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions were found by compiling loops with ptxas 13.0 for sm_90 and
// counting their loads and branches:
//
// 1. The loop is one block.
// 2. A register grows by a constant in each iteration, and the branch at the
//    end compares it with what the loop does not change. A step in a register,
//    as of a loop that steps with the grid, is enough to prevent it.
// 3. There is no barrier and no atomic, no pragma that forbids it, and nothing
//    with a slow path for rare operands, which is a branch: divisions and roots
//    that are rounded.
// 4. Weights of the instructions, without those of the counter, are at most 46:
//    2 for a load, 6 for a special function, else 1.
//
// Such loops are unrolled by four.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/PtxUnroll.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;

namespace gridspan {

static constexpr unsigned Copies = 4;
static constexpr double MostWeight = 46, LoadWeight = 2, SfuWeight = 6;

static double weightOf(const PtxInstruction &I) {
  if (I.Kind == PtxInstruction::Load || I.Kind == PtxInstruction::Store)
    return LoadWeight;
  const double Sfu = I.Count[unsigned(Pipe::Sfu)];
  return std::accumulate(I.Count.begin(), I.Count.end(), 0.0) +
         Sfu * (SfuWeight - 1);
}

/// Returns true if the instruction keeps ptxas from unrolling.
static bool isObstacle(const PtxInstruction &I) {
  if (I.Kind == PtxInstruction::Barrier || I.Kind == PtxInstruction::Atomic)
    return true;
  const StringRef Opcode = I.Opcode;
  return any_of(ArrayRef<StringLiteral>{"div.rn", "rcp.rn", "sqrt.rn"},
                [&](StringRef Slow) { return Opcode.starts_with(Slow); });
}

/// Returns true if the instruction adds a constant to a register.
static bool isStep(const PtxInstruction &I) {
  return StringRef(I.Opcode).starts_with("add.s") && I.Immediate &&
         I.Defs.size() == 1 && is_contained(I.Uses, I.Defs.front());
}

static bool isUnrolled(const PtxBlock &Block) {
  if (!Block.IsOwnSuccessor || Block.IsUnrollingForbidden)
    return false;
  DenseSet<unsigned> Defined, Steps;
  double Weight = 0;
  for (const PtxInstruction &I : Block.Instructions) {
    if (isObstacle(I))
      return false;
    Defined.insert(I.Defs.begin(), I.Defs.end());
    if (isStep(I))
      Steps.insert(I.Defs.front());
    else
      Weight += weightOf(I);
  }
  if (Weight > MostWeight)
    return false;
  // The branch at the end uses what the comparison has found.
  const PtxInstruction &Branch = Block.Instructions.back();
  for (const PtxInstruction &I : Block.Instructions) {
    if (!StringRef(I.Opcode).starts_with("setp") || I.Defs.size() != 1 ||
        !is_contained(Branch.Uses, I.Defs.front()))
      continue;
    return any_of(I.Uses, [&](unsigned R) { return Steps.contains(R); }) &&
           all_of(I.Uses, [&](unsigned R) {
             return Steps.contains(R) || !Defined.contains(R);
           });
  }
  return false;
}

void findUnrolledLoops(PtxKernel &Kernel) {
  for (PtxBlock &Block : Kernel.Blocks)
    Block.UnrolledBy = isUnrolled(Block) ? Copies : 1;
}

} // namespace gridspan
