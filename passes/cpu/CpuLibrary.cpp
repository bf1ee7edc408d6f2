//===- CpuLibrary.cpp - Functions that CUDA gives to device code ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system calls of the CUDA Toolkit (PTX Interoperability guide, "System
// Calls"): vprintf, malloc, free and assertions. The device heap is the host's.
// Of the CUDA runtime of devices there is what graphs with conditions need.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuRules.h"

using namespace llvm;
using namespace gridspan;

static Value *zero(Type *Ty) { return Constant::getNullValue(Ty); }

Lowered gridspan::lowerLibrary(CallInst &Call, StringRef Name, CpuContext &C) {
  auto Arg = [&](unsigned I) {
    return C.B.CreatePointerBitCastOrAddrSpaceCast(Call.getArgOperand(I),
                                                   C.B.getPtrTy());
  };
  if (Name == "vprintf" && Call.arg_size() == 2)
    return C.callWithBlock("printf", C.i32(), {Arg(0), Arg(1)});
  if (Name == "malloc" && Call.arg_size() == 1)
    return C.call("malloc", C.B.getPtrTy(), {Call.getArgOperand(0)});
  if (Name == "free" && Call.arg_size() == 1) {
    C.call("free", C.B.getVoidTy(), {Arg(0)});
    return nullptr;
  }
  // The handle is an address: runtime/api/GraphTasks.h.
  if (Name == "cudaGraphSetConditional" && Call.arg_size() == 2) {
    Value *At = C.B.CreateIntToPtr(Call.getArgOperand(0), C.B.getPtrTy());
    C.B.CreateAlignedStore(Call.getArgOperand(1), At, Align(4))
        ->setAtomic(AtomicOrdering::Monotonic);
    return nullptr;
  }
  // __assertfail(message, file, line, function, size of a character).
  if ((Name == "__assertfail" || Name == "__assert_fail") &&
      Call.arg_size() >= 4) {
    C.callWithBlock("assert_fail", C.B.getVoidTy(),
                    {C.tid(0), C.tid(1), C.tid(2), Arg(0), Arg(1),
                     Call.getArgOperand(2), Arg(3)});
    return Call.getType()->isVoidTy() ? nullptr : zero(Call.getType());
  }
  // Without an answer from the NVPTX target, every question is answered 0.
  if (Name == "__nvvm_reflect" || Name == "llvm.nvvm.reflect")
    return zero(Call.getType());
  return std::nullopt;
}
