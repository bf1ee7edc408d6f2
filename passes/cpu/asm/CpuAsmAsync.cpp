//===- CpuAsmAsync.cpp - Asynchronous copies and mbarriers in PTX ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies are done at once, so that waiting for a group of them is nothing, and
// what a copy signals when it is complete follows behind it. An mbarrier is a
// word of shared memory that the runtime keeps (MemoryBarrier.h).
//
// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy" and
// "Parallel Synchronization and Communication Instructions: mbarrier".
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuMbarrier.h"
#include "passes/cpu/asm/CpuAsmRules.h"

using namespace llvm;
using namespace gridspan;

constexpr PtxType Pred = {'p', 1};
constexpr PtxType U32 = {'u', 32};
constexpr PtxType U64 = {'u', 64};

//===--- Copies ---------------------------------------------------------===//

/// cp.async.<cache>.shared.global [dst], [src], bytes{, source bytes or
/// predicate to ignore the source}{, cache policy}.
static bool lowerSmallCopy(const PtxStatement &S, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  unsigned NumOperands = S.Operands.size();
  if (S.has("L2::cache_hint") && NumOperands != 0)
    --NumOperands;
  if (NumOperands < 3 || NumOperands > 4)
    return false;
  Value *Dst = State.address(S.Operands[0]),
        *Src = State.address(S.Operands[1]);
  // An immediate operand of the asm is a constant, too.
  auto *Bytes = dyn_cast_or_null<ConstantInt>(State.read(S.Operands[2], U32));
  if (!Dst || !Src || !Bytes)
    return false;
  Value *Size = B.getInt64(Bytes->getZExtValue());
  if (NumOperands > 3) {
    if (State.isPredicate(S.Operands[3])) {
      Value *Ignore = State.read(S.Operands[3], Pred);
      Size = B.CreateSelect(Ignore, B.getInt64(0), Size);
    } else {
      Value *Source = State.read(S.Operands[3], U32);
      if (!Source)
        return false;
      Size = B.CreateZExt(Source, B.getInt64Ty());
    }
    B.CreateMemSet(Dst, B.getInt8(0), Bytes->getZExtValue(), Align(4));
  }
  B.CreateMemCpy(Dst, Align(4), Src, Align(4), Size);
  return true;
}

/// cp.async.bulk.<dst>.<src>.<completion> [dst], [src], bytes{, [mbarrier]}.
static bool lowerBulkCopy(const PtxStatement &S, AsmState &State) {
  if (S.has("prefetch"))
    return true;
  if (S.has("tensor") || S.has("multicast::cluster") || S.has("cp_mask") ||
      S.Operands.size() < 3)
    return false;
  IRBuilder<> &B = State.C.B;
  Value *Dst = State.address(S.Operands[0]),
        *Src = State.address(S.Operands[1]),
        *Bytes = State.read(S.Operands[2], U32);
  if (!Dst || !Src || !Bytes)
    return false;
  B.CreateMemCpy(Dst, Align(16), Src, Align(16),
                 B.CreateZExt(Bytes, B.getInt64Ty()));
  if (!S.has("mbarrier::complete_tx::bytes"))
    return S.has("bulk_group");
  Value *Barrier =
      S.Operands.size() > 3 ? State.address(S.Operands[3]) : nullptr;
  if (!Barrier)
    return false;
  emitMbarrierTransfer(Barrier, B.CreateNeg(Bytes), State.C);
  return true;
}

bool asmrules::lowerAsyncCopy(const PtxStatement &S, AsmState &State) {
  if (!S.has("async") || S.has("reduce"))
    return false;
  if (S.has("commit_group") || S.has("wait_group") || S.has("wait_all"))
    return true;
  if (S.has("mbarrier")) {
    Value *Barrier =
        S.Operands.empty() ? nullptr : State.address(S.Operands[0]);
    if (!Barrier || !S.has("arrive"))
      return false;
    emitMbarrierArriveOfCopies(Barrier, S.has("noinc"), State.C);
    return true;
  }
  return S.has("bulk") ? lowerBulkCopy(S, State) : lowerSmallCopy(S, State);
}

//===--- mbarriers ------------------------------------------------------===//

/// Returns operand I as a number; Otherwise if there is none.
static Value *number(const PtxStatement &S, unsigned I, AsmState &State,
                     uint32_t Otherwise) {
  return I < S.Operands.size() ? State.read(S.Operands[I], U32)
                               : State.C.B.getInt32(Otherwise);
}

/// mbarrier.arrive{_drop}{.expect_tx}{.noComplete} state, [addr]{, number}.
static bool lowerArrive(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  // On another block of the cluster the state may be left out.
  const unsigned At =
      !S.Operands.empty() && S.Operands[0].K == PtxOperand::Kind::Address ? 0
                                                                          : 1;
  if (S.Operands.size() <= At)
    return false;
  Value *Barrier = State.address(S.Operands[At]);
  const bool Expects = S.has("expect_tx");
  Value *Number = number(S, At + 1, State, 1);
  if (!Barrier || !Number || (Expects && S.Operands.size() != At + 2))
    return false;
  Value *Before = emitMbarrierArrive(
      Barrier, Expects ? C.B.getInt32(1) : Number,
      Expects ? Number : C.B.getInt32(0), S.Modifiers[0] == "arrive_drop", C);
  return At == 0 || State.write(S.Operands[0], Before);
}

/// mbarrier.test_wait and try_wait{.parity} p, [addr], state{, time}.
static bool lowerWait(const PtxStatement &S, AsmState &State) {
  if (S.Operands.size() < 3)
    return false;
  CpuContext &C = State.C;
  const bool ByParity = S.has("parity");
  Value *Barrier = State.address(S.Operands[1]);
  Value *Phase = State.read(S.Operands[2], ByParity ? U32 : U64);
  return Barrier && Phase &&
         State.write(S.Operands[0],
                     emitMbarrierTest(Barrier, Phase, ByParity, C));
}

bool asmrules::lowerMbarrier(const PtxStatement &S, AsmState &State) {
  if (S.Modifiers.empty() || S.Operands.empty())
    return false;
  CpuContext &C = State.C;
  const StringRef Kind = S.Modifiers[0];
  if (Kind == "arrive" || Kind == "arrive_drop")
    return lowerArrive(S, State);
  if (Kind == "test_wait" || Kind == "try_wait")
    return lowerWait(S, State);
  if (Kind == "pending_count") {
    Value *Before =
        S.Operands.size() == 2 ? State.read(S.Operands[1], U64) : nullptr;
    return Before && State.write(S.Operands[0], emitMbarrierPending(Before, C));
  }
  Value *Barrier = State.address(S.Operands[0]);
  if (!Barrier)
    return false;
  if (Kind == "inval")
    return true;
  Value *Number =
      S.Operands.size() == 2 ? State.read(S.Operands[1], U32) : nullptr;
  if (!Number)
    return false;
  if (Kind == "init")
    emitMbarrierInit(Barrier, Number, C);
  else if (Kind == "expect_tx")
    emitMbarrierTransfer(Barrier, Number, C);
  else if (Kind == "complete_tx")
    emitMbarrierTransfer(Barrier, C.B.CreateNeg(Number), C);
  else
    return false;
  return true;
}
