//===- CpuMemory.cpp - Memory operations of devices on the CPU ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All address spaces are one on the host, so that a pointer of any of them is a
// plain address; only questions about an address need the runtime. Caches are
// coherent and the host's atomics are of system scope. Asynchronous copies are
// done at once, so that waiting for them is nothing.
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "passes/cpu/CpuRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

static Lowered lowerCachedLoad(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.starts_with("ldg.global.") && !Name.starts_with("ldu.global."))
    return std::nullopt;
  uint64_t Alignment = cast<ConstantInt>(Call.getArgOperand(1))->getZExtValue();
  LoadInst *Load =
      C.B.CreateAlignedLoad(Call.getType(), Call.getArgOperand(0),
                            Align(std::max<uint64_t>(Alignment, 1)));
  Load->copyMetadata(Call);
  return Load;
}

static Lowered lowerSpaceQuery(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("isspacep."))
    return std::nullopt;
  if (Name == "const")
    return C.B.getFalse();
  auto Space = StringSwitch<std::optional<MemorySpace>>(Name)
                   .Case("global", MemorySpace::Global)
                   .Cases("shared", "shared.cluster", MemorySpace::Shared)
                   .Case("local", MemorySpace::Local)
                   .Default(std::nullopt);
  if (!Space)
    return std::nullopt;
  Value *Actual =
      C.callWithBlock("memory_space", C.i32(), {Call.getArgOperand(0)});
  return C.B.CreateICmpEQ(Actual, C.B.getInt32(unsigned(*Space)));
}

static Lowered lowerPointerCast(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.starts_with("ptr.") && !Name.starts_with("mapa"))
    return std::nullopt;
  return C.B.CreatePointerBitCastOrAddrSpaceCast(Call.getArgOperand(0),
                                                 Call.getType());
}

/// llvm.nvvm.atomic.<op>.gen.<type>.<scope> and llvm.nvvm.atomic.load.<op>.32.
static Lowered lowerAtomic(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("atomic."))
    return std::nullopt;
  Name.consume_front("load.");
  auto [Operation, Rest] = Name.split('.');
  Value *Address = Call.getArgOperand(0), *Operand = Call.getArgOperand(1);
  if (Operation == "cas") {
    auto *Exchange = C.B.CreateAtomicCmpXchg(
        Address, Operand, Call.getArgOperand(2), MaybeAlign(),
        AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
    Exchange->copyMetadata(Call);
    return C.B.CreateExtractValue(Exchange, 0);
  }
  bool IsFloat = Operand->getType()->isFloatingPointTy();
  auto Op = StringSwitch<AtomicRMWInst::BinOp>(Operation)
                .Case("add", IsFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                .Case("exch", AtomicRMWInst::Xchg)
                .Case("max", AtomicRMWInst::Max)
                .Case("min", AtomicRMWInst::Min)
                .Case("inc", AtomicRMWInst::UIncWrap)
                .Case("dec", AtomicRMWInst::UDecWrap)
                .Case("and", AtomicRMWInst::And)
                .Case("or", AtomicRMWInst::Or)
                .Case("xor", AtomicRMWInst::Xor)
                .Default(AtomicRMWInst::BAD_BINOP);
  if (Op == AtomicRMWInst::BAD_BINOP)
    return std::nullopt;
  auto *Update = C.B.CreateAtomicRMW(Op, Address, Operand, MaybeAlign(),
                                     AtomicOrdering::Monotonic);
  Update->copyMetadata(Call);
  return Update;
}

/// cp.async.<cache>.shared.global.<bytes>[.s]: with a size, the rest is zero.
static Lowered lowerAsyncCopy(CallInst &Call, StringRef Name, CpuContext &C) {
  if (!Name.consume_front("cp.async."))
    return std::nullopt;
  if (Name == "commit.group" || Name == "wait.all" || Name == "wait.group")
    return nullptr;
  if (!Name.consume_front("ca.shared.global.") &&
      !Name.consume_front("cg.shared.global."))
    return std::nullopt;
  bool HasSize = Name.consume_back(".s");
  uint64_t Bytes = 0;
  if (Name.getAsInteger(10, Bytes))
    return std::nullopt;
  Value *Dst = Call.getArgOperand(0), *Src = Call.getArgOperand(1);
  Value *Size = C.B.getInt64(Bytes);
  if (HasSize) {
    C.B.CreateMemSet(Dst, C.B.getInt8(0), Bytes, Align(4));
    Size = C.B.CreateZExt(Call.getArgOperand(2), C.i64());
  }
  CallInst *Copy = C.B.CreateMemCpy(Dst, Align(4), Src, Align(4), Size);
  Copy->copyMetadata(Call);
  return nullptr;
}

static Lowered lowerFence(CallInst &Call, StringRef Name, CpuContext &C) {
  if (Name.starts_with("membar.") || Name.starts_with("fence.")) {
    C.B.CreateFence(AtomicOrdering::SequentiallyConsistent);
    return nullptr;
  }
  if (Name.starts_with("prefetch"))
    return nullptr;
  return std::nullopt;
}

Lowered gridspan::lowerMemory(CallInst &Call, StringRef Name, CpuContext &C) {
  for (auto *Rule : {lowerCachedLoad, lowerSpaceQuery, lowerPointerCast,
                     lowerAtomic, lowerAsyncCopy, lowerFence})
    if (Lowered Result = Rule(Call, Name, C))
      return Result;
  return std::nullopt;
}
