//===- CpuMbarrier.cpp - Barriers in shared memory ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test that fails yields in the runtime, so a kernel that tests has fibers.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuMbarrier.h"
#include "gridspan/CpuCodes.h"

using namespace llvm;
using namespace gridspan;

/// Returns the address as the runtime takes it.
static Value *generic(Value *Barrier, CpuContext &C) {
  return C.B.CreatePointerBitCastOrAddrSpaceCast(Barrier, C.B.getPtrTy());
}

void gridspan::emitMbarrierInit(Value *Barrier, Value *Count, CpuContext &C) {
  C.call("mbarrier_init", C.B.getVoidTy(), {generic(Barrier, C), Count});
}

Value *gridspan::emitMbarrierArrive(Value *Barrier, Value *Count, Value *Bytes,
                                    bool Drops, CpuContext &C) {
  return C.call("mbarrier_arrive", C.i64(),
                {generic(Barrier, C), Count, Bytes, C.B.getInt32(Drops)});
}

void gridspan::emitMbarrierArriveOfCopies(Value *Barrier, bool IsExpected,
                                          CpuContext &C) {
  if (IsExpected)
    emitMbarrierArrive(Barrier, C.B.getInt32(1), C.B.getInt32(0), false, C);
}

void gridspan::emitMbarrierTransfer(Value *Barrier, Value *Bytes,
                                    CpuContext &C) {
  C.call("mbarrier_transfer", C.B.getVoidTy(), {generic(Barrier, C), Bytes});
}

Value *gridspan::emitMbarrierTest(Value *Barrier, Value *Phase, bool ByParity,
                                  CpuContext &C) {
  Value *Done =
      C.callWithBlock(ByParity ? "mbarrier_test_parity" : "mbarrier_test",
                      C.i32(), {generic(Barrier, C), Phase});
  return C.B.CreateICmpNE(Done, C.B.getInt32(0));
}

Value *gridspan::emitMbarrierPending(Value *Word, CpuContext &C) {
  return C.B.CreateAnd(C.B.CreateTrunc(Word, C.i32()),
                       (1U << MbarrierCountBits) - 1);
}

Lowered gridspan::lowerMbarrier(CallInst &Call, StringRef Name, CpuContext &C) {
  auto Arg = [&](unsigned I) { return Call.getArgOperand(I); };
  Name.consume_back(".shared");
  if (Name.consume_front("cp.async.mbarrier.arrive")) {
    emitMbarrierArriveOfCopies(Arg(0), Name == ".noinc", C);
    return nullptr;
  }
  if (!Name.consume_front("mbarrier."))
    return std::nullopt;
  if (Name == "init") {
    emitMbarrierInit(Arg(0), Arg(1), C);
    return nullptr;
  }
  if (Name == "inval")
    return nullptr;
  if (Name == "pending.count")
    return emitMbarrierPending(Arg(0), C);
  if (Name == "test.wait")
    return emitMbarrierTest(Arg(0), Arg(1), /*ByParity=*/false, C);
  if (!Name.consume_front("arrive"))
    return std::nullopt;
  const bool Drops = Name.consume_front(".drop");
  const bool HasCount = Name == ".noComplete";
  return emitMbarrierArrive(Arg(0), HasCount ? Arg(1) : C.B.getInt32(1),
                            C.B.getInt32(0), Drops, C);
}
