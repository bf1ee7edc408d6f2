//===- CpuAsmSync.cpp - Synchronization instructions in PTX ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, warp operations and ends of threads become the same calls of the
// runtime as for the intrinsics (CpuSync.cpp). PTX ISA, "Parallel
// Synchronization and Communication Instructions".
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "passes/cpu/CpuRules.h"
#include "passes/cpu/asm/CpuAsmRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

constexpr PtxType U32 = {'u', 32};
constexpr PtxType Pred = {'p', 1};

/// Returns operand I, or Otherwise when there are fewer.
static Value *operand(const PtxStatement &S, unsigned I, AsmState &State,
                      uint32_t Otherwise = 0) {
  if (I >= S.Operands.size())
    return State.C.B.getInt32(Otherwise);
  return State.read(S.Operands[I], U32);
}

/// bar.red.<and, or>.pred p, a, {!}q and bar.red.popc.u32 d, a, {!}q, of all
/// threads of the block and barrier 0.
static bool lowerBarrierReduction(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  const auto Reduction = S.has("popc")  ? BarrierReduction::Count
                         : S.has("and") ? BarrierReduction::And
                                        : BarrierReduction::Or;
  auto *Id = S.Operands.size() == 3
                 ? dyn_cast_or_null<ConstantInt>(State.read(S.Operands[1], U32))
                 : nullptr;
  if (!Id || !Id->isZero())
    return false;
  Value *Own = State.read(S.Operands[2], Pred);
  if (!Own)
    return false;
  Value *Result = C.callWithBlock(
      "barrier_reduce", C.i32(),
      {Id, C.B.getInt32(unsigned(Reduction)), C.B.CreateZExt(Own, C.i32())});
  if (Reduction != BarrierReduction::Count)
    Result = C.B.CreateIsNotNull(Result);
  return State.write(S.Operands[0], Result);
}

bool asmrules::lowerBarrier(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  if (S.has("cluster")) {
    // As of the intrinsics, in CpuSync.cpp.
    const bool IsWait = S.has("wait");
    if (!S.Operands.empty() || IsWait == S.has("arrive"))
      return false;
    if (IsWait)
      C.callWithBlock("barrier", C.B.getVoidTy(),
                      {C.B.getInt32(ClusterBarrier), C.B.getInt32(0)});
    return true;
  }
  if (S.has("red"))
    return lowerBarrierReduction(S, State);
  Value *Id = operand(S, 0, State), *Count = operand(S, 1, State);
  if (S.has("warp")) {
    if (Id)
      C.callWithBlock("warp_sync", C.B.getVoidTy(), {Id});
    return Id != nullptr;
  }
  if (!Id || !Count)
    return false;
  C.callWithBlock(S.has("arrive") ? "barrier_arrive" : "barrier",
                  C.B.getVoidTy(), {Id, Count});
  return true;
}

/// shfl.sync.<mode>.b32 d|p, a, b, c, mask.
bool asmrules::lowerShuffle(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  auto Mode = StringSwitch<std::optional<WarpShuffle>>(
                  S.Modifiers.size() > 1 ? S.Modifiers[1] : "")
                  .Case("up", WarpShuffle::Up)
                  .Case("down", WarpShuffle::Down)
                  .Case("bfly", WarpShuffle::Butterfly)
                  .Case("idx", WarpShuffle::Index)
                  .Default(std::nullopt);
  if (!Mode || !S.has("sync") || S.Operands.size() != 5)
    return false;
  Value *Args[4];
  for (unsigned I = 0; I != 4; ++I)
    if (!(Args[I] = State.read(S.Operands[I + 1], U32)))
      return false;
  Value *Packed = C.callWithBlock(
      "warp_shuffle", C.i64(),
      {Args[3], C.B.getInt32(unsigned(*Mode)), Args[0], Args[1], Args[2]});
  Value *InRange = C.B.CreateTrunc(C.B.CreateLShr(Packed, 32), C.B.getInt1Ty());
  for (const PtxOperand &P : S.Operands[0].Elements)
    if (!State.write(P, InRange))
      return false;
  return State.write(S.Operands[0], C.B.CreateTrunc(Packed, C.i32()));
}

/// vote.sync.<mode>.pred d, p, mask and vote.sync.ballot.b32.
bool asmrules::lowerVote(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  // vote.sync.ballot; CUB writes vote.ballot.sync, which ptxas takes too.
  std::optional<WarpVote> Vote;
  for (StringRef Modifier : S.Modifiers)
    if (!Vote)
      Vote = StringSwitch<std::optional<WarpVote>>(Modifier)
                 .Case("all", WarpVote::All)
                 .Case("any", WarpVote::Any)
                 .Case("uni", WarpVote::Uniform)
                 .Case("ballot", WarpVote::Ballot)
                 .Default(std::nullopt);
  if (!Vote || !S.has("sync") || S.Operands.size() != 3)
    return false;
  Value *Predicate = State.read(S.Operands[1], Pred);
  Value *Mask = State.read(S.Operands[2], U32);
  if (!Predicate || !Mask)
    return false;
  Value *Result = C.callWithBlock("warp_vote", C.i32(),
                                  {Mask, C.B.getInt32(unsigned(*Vote)),
                                   C.B.CreateZExt(Predicate, C.i32())});
  if (*Vote != WarpVote::Ballot)
    Result = C.B.CreateTrunc(Result, C.B.getInt1Ty());
  return State.write(S.Operands[0], Result);
}

/// match.any.sync.<type> d, a, mask and match.all.sync.<type> d|p, a, mask.
bool asmrules::lowerMatch(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  std::optional<PtxType> Type = parsePtxType(S.type());
  if (!Type || S.Operands.size() != 3)
    return false;
  Value *Key = State.read(S.Operands[1], *Type);
  Value *Mask = State.read(S.Operands[2], U32);
  if (!Key || !Mask)
    return false;
  Value *Packed =
      C.callWithBlock(S.has("all") ? "warp_match_all" : "warp_match_any",
                      C.i64(), {Mask, C.B.CreateZExt(Key, C.i64())});
  Value *All = C.B.CreateTrunc(C.B.CreateLShr(Packed, 32), C.B.getInt1Ty());
  for (const PtxOperand &P : S.Operands[0].Elements)
    if (!State.write(P, All))
      return false;
  return State.write(S.Operands[0], C.B.CreateTrunc(Packed, C.i32()));
}

/// redux.sync.<operation>.<type> d, a, mask.
bool asmrules::lowerReduction(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  bool Signed = S.type() == "s32";
  auto Operation =
      StringSwitch<std::optional<WarpReduction>>(
          S.Modifiers.size() > 1 ? S.Modifiers[1] : "")
          .Case("add", WarpReduction::Add)
          .Case("min", Signed ? WarpReduction::Min : WarpReduction::UnsignedMin)
          .Case("max", Signed ? WarpReduction::Max : WarpReduction::UnsignedMax)
          .Case("and", WarpReduction::And)
          .Case("or", WarpReduction::Or)
          .Case("xor", WarpReduction::Xor)
          .Default(std::nullopt);
  if (!Operation || S.type() == "f32" || S.Operands.size() != 3)
    return false;
  Value *V = State.read(S.Operands[1], U32);
  Value *Mask = State.read(S.Operands[2], U32);
  return V && Mask &&
         State.write(
             S.Operands[0],
             C.callWithBlock("warp_reduce", C.i32(),
                             {Mask, C.B.getInt32(unsigned(*Operation)), V}));
}

/// elect.sync d|p, mask. CUDA leaves open which lane it is.
bool asmrules::lowerElection(const PtxStatement &S, AsmState &State) {
  CpuContext &C = State.C;
  Value *Mask =
      S.Operands.size() == 2 ? State.read(S.Operands[1], U32) : nullptr;
  if (!Mask || !S.has("sync") || S.Operands[0].Elements.size() != 1)
    return false;
  C.callWithBlock("warp_sync", C.B.getVoidTy(), {Mask});
  Value *Leader =
      C.B.CreateBinaryIntrinsic(Intrinsic::cttz, Mask, C.B.getFalse());
  Value *Lane = readRegister("laneid", C);
  return State.write(S.Operands[0].Elements[0],
                     C.B.CreateICmpEQ(Lane, Leader)) &&
         State.write(S.Operands[0], Leader);
}

bool asmrules::lowerActiveMask(const PtxStatement &S, AsmState &State) {
  return S.Operands.size() == 1 &&
         State.write(S.Operands[0], emitActiveMask(State.C));
}

static bool callWithoutResult(StringRef Name, AsmState &State) {
  State.C.callWithBlock(Name, State.C.B.getVoidTy(), {});
  return true;
}

bool asmrules::lowerYield(const PtxStatement &S, AsmState &State) {
  return callWithoutResult("yield", State);
}

bool asmrules::lowerTrap(const PtxStatement &S, AsmState &State) {
  return callWithoutResult("trap", State);
}

bool asmrules::lowerExit(const PtxStatement &S, AsmState &State) {
  return callWithoutResult("exit", State);
}
