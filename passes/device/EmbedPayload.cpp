//===- EmbedPayload.cpp - Data inside a device module ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An external constant in the global address space is kept by the NVPTX back
// end and by ptxas, which copies its bytes into the cubin as they are.
//
//===----------------------------------------------------------------------===//

#include "passes/device/EmbedPayload.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gridspan {

static StringRef nameOf(PayloadKind Kind) {
  switch (Kind) {
  case PayloadKind::Summary:
    return "summary";
  case PayloadKind::Bitcode:
    return "bitcode";
  }
  llvm_unreachable("payload without a name");
}

GlobalVariable &embedPayload(Module &M, PayloadKind Kind, StringRef Id,
                             StringRef Contents, bool Compress) {
  SmallVector<char, 0> Frame = framePayload(Kind, Contents, Compress);
  Constant *Bytes = ConstantDataArray::getString(
      M.getContext(), StringRef(Frame.data(), Frame.size()),
      /*AddNull=*/false);
  auto *Variable = new GlobalVariable(
      M, Bytes->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage,
      Bytes, "__gridspan_payload_" + nameOf(Kind) + "_" + Id,
      /*InsertBefore=*/nullptr, GlobalValue::NotThreadLocal, GlobalSpace);
  Variable->setAlignment(Align(8));
  appendToCompilerUsed(M, {Variable});
  return *Variable;
}

} // namespace gridspan
