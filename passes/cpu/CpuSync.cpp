//===- CpuSync.cpp - Barriers and warp operations on the CPU --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything in which threads wait for each other becomes a call into the
// runtime, which switches to another thread of the block and returns when the
// others have arrived (runtime/backend/cpu/BlockScheduler.h). Semantics: PTX
// ISA, "Parallel Synchronization and Communication Instructions".
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "passes/cpu/CpuRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

Value *gridspan::emitActiveMask(CpuContext &C) {
  Function *Asked = C.module().getFunction("__gridspan_cpu_active_mask");
  Value *Site = C.B.getInt32(Asked ? Asked->getNumUses() : 0);
  CallInst *Mask = C.callWithBlock("active_mask", C.i32(), {Site});
  Mask->addFnAttr(Attribute::NoMerge);
  return Mask;
}

static Lowered lowerBarrier(CallInst &Call, StringRef Name, CpuContext &C) {
  Value *Zero = C.B.getInt32(0);
  auto Wait = [&](Value *Id, Value *Count) {
    C.callWithBlock("barrier", C.B.getVoidTy(), {Id, Count});
    return Lowered(nullptr);
  };
  if (Name == "barrier0")
    return Wait(Zero, Zero);
  if (Name == "barrier.n" || Name == "bar.sync" || Name == "barrier.sync")
    return Wait(Call.getArgOperand(0), Zero);
  if (Name == "barrier" || Name == "barrier.sync.cnt")
    return Wait(Call.getArgOperand(0), Call.getArgOperand(1));
  // Clusters have one block. All its threads wait, so that what is done before
  // an arrival is done before any wait ends.
  if (Name.starts_with("barrier.cluster.wait"))
    return Wait(C.B.getInt32(ClusterBarrier), Zero);
  if (Name.starts_with("barrier.cluster.arrive"))
    return Lowered(nullptr);
  auto Reduction = StringSwitch<std::optional<BarrierReduction>>(Name)
                       .Case("barrier0.popc", BarrierReduction::Count)
                       .Case("barrier0.and", BarrierReduction::And)
                       .Case("barrier0.or", BarrierReduction::Or)
                       .Default(std::nullopt);
  if (!Reduction)
    return std::nullopt;
  return C.callWithBlock(
      "barrier_reduce", C.i32(),
      {Zero, C.B.getInt32(unsigned(*Reduction)), Call.getArgOperand(0)});
}

static Lowered lowerVote(CallInst &Call, StringRef Name, CpuContext &C) {
  bool HasMask = Name.consume_back(".sync");
  auto Vote = StringSwitch<std::optional<WarpVote>>(Name)
                  .Case("vote.all", WarpVote::All)
                  .Case("vote.any", WarpVote::Any)
                  .Case("vote.uni", WarpVote::Uniform)
                  .Case("vote.ballot", WarpVote::Ballot)
                  .Default(std::nullopt);
  if (!Vote)
    return std::nullopt;
  Value *Mask = HasMask ? Call.getArgOperand(0) : emitActiveMask(C);
  Value *Predicate =
      C.B.CreateZExt(Call.getArgOperand(HasMask ? 1 : 0), C.i32());
  Value *Result = C.callWithBlock(
      "warp_vote", C.i32(), {Mask, C.B.getInt32(unsigned(*Vote)), Predicate});
  if (Call.getType()->isIntegerTy(1))
    Result = C.B.CreateICmpNE(Result, C.B.getInt32(0));
  return Result;
}

/// The runtime returns a value and a predicate as the low and high half of 64
/// bits; makes of it what Call returns.
static Value *unpackPair(Value *Packed, CallInst &Call, bool HasPredicate,
                         CpuContext &C) {
  Type *ValueType =
      HasPredicate ? Call.getType()->getStructElementType(0) : Call.getType();
  Value *Low = C.B.CreateBitCast(C.B.CreateTrunc(Packed, C.i32()), ValueType);
  if (!HasPredicate)
    return Low;
  Value *Predicate =
      C.B.CreateICmpNE(C.B.CreateLShr(Packed, 32), C.B.getInt64(0));
  Value *Pair = C.B.CreateInsertValue(PoisonValue::get(Call.getType()), Low, 0);
  return C.B.CreateInsertValue(Pair, Predicate, 1);
}

static Lowered lowerShuffle(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("shfl."))
    return std::nullopt;
  bool HasMask = Name.consume_front("sync.");
  auto [ModeName, Type] = Name.split('.');
  auto Mode = StringSwitch<std::optional<WarpShuffle>>(ModeName)
                  .Case("up", WarpShuffle::Up)
                  .Case("down", WarpShuffle::Down)
                  .Case("bfly", WarpShuffle::Butterfly)
                  .Case("idx", WarpShuffle::Index)
                  .Default(std::nullopt);
  if (!Mode)
    return std::nullopt;
  unsigned First = HasMask ? 1 : 0;
  Value *Mask = HasMask ? Call.getArgOperand(0) : emitActiveMask(C);
  Value *Payload = C.B.CreateBitCast(Call.getArgOperand(First), C.i32());
  Value *Packed = C.callWithBlock("warp_shuffle", C.i64(),
                                  {Mask, C.B.getInt32(unsigned(*Mode)), Payload,
                                   Call.getArgOperand(First + 1),
                                   Call.getArgOperand(First + 2)});
  return unpackPair(Packed, Call, Type.ends_with("p"), C);
}

static Lowered lowerMatch(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("match."))
    return std::nullopt;
  bool All = Name.starts_with("all.");
  Value *Key = C.B.CreateZExt(Call.getArgOperand(1), C.i64());
  Value *Packed = C.callWithBlock(All ? "warp_match_all" : "warp_match_any",
                                  C.i64(), {Call.getArgOperand(0), Key});
  return unpackPair(Packed, Call, All, C);
}

static Lowered lowerReduction(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("redux.sync."))
    return std::nullopt;
  auto Operation = StringSwitch<std::optional<WarpReduction>>(Name)
                       .Case("add", WarpReduction::Add)
                       .Case("min", WarpReduction::Min)
                       .Case("max", WarpReduction::Max)
                       .Case("umin", WarpReduction::UnsignedMin)
                       .Case("umax", WarpReduction::UnsignedMax)
                       .Case("and", WarpReduction::And)
                       .Case("or", WarpReduction::Or)
                       .Case("xor", WarpReduction::Xor)
                       .Default(std::nullopt);
  if (!Operation)
    return std::nullopt;
  return C.callWithBlock("warp_reduce", C.i32(),
                         {Call.getArgOperand(1),
                          C.B.getInt32(unsigned(*Operation)),
                          Call.getArgOperand(0)});
}

Lowered gridspan::lowerSync(CallInst &Call, StringRef Name, CpuContext &C) {
  if (Name.consume_front("read.ptx.sreg.")) {
    Value *Register = readRegister(Name, C);
    return Register ? Lowered(Register) : std::nullopt;
  }
  if (Name == "is_explicit_cluster")
    return C.B.getFalse();
  if (Name == "activemask")
    return emitActiveMask(C);
  if (Name == "bar.warp.sync") {
    C.callWithBlock("warp_sync", C.B.getVoidTy(), {Call.getArgOperand(0)});
    return nullptr;
  }
  if (Name == "nanosleep") {
    C.callWithBlock("yield", C.B.getVoidTy(), {});
    return nullptr;
  }
  if (Name == "exit") {
    C.callWithBlock("exit", C.B.getVoidTy(), {});
    return nullptr;
  }
  for (auto *Rule :
       {lowerBarrier, lowerVote, lowerShuffle, lowerMatch, lowerReduction})
    if (Lowered Result = Rule(Call, Name, C))
      return Result;
  return std::nullopt;
}
