//===- CpuDescriptors.cpp - The CPU device's code, described --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes constants of ABI.def out of the result of CpuLowering.h, field by
// field.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuDescriptors.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace gridspan;

Constant *gridspan::describeCpuKernel(AbiConstants &Abi,
                                      const CpuKernelCode *Kernel) {
  descriptor::GridspanCpuKernel Value;
  if (!Kernel) {
    Value.Unsupported =
        Abi.string("the device code for the CPU does not hold the kernel");
    return Abi.make(Value);
  }
  Value.Run = Kernel->Run;
  Value.RunTraced = Kernel->RunTraced;
  Value.Unsupported = Abi.stringOrNull(Kernel->Unsupported);
  if (Kernel->WhyFibers) {
    Value.WhyFibers = Abi.string(refusalName(*Kernel->WhyFibers));
    Value.WhyFibersText = Abi.string(refusalText(*Kernel->WhyFibers));
  }
  Value.StaticSharedBytes = Kernel->StaticSharedBytes;
  Value.Flags = Kernel->Flags;
  return Abi.make(Value);
}

Constant *gridspan::describeCpuModule(AbiConstants &Abi,
                                      const CpuModuleCode &Code) {
  SmallVector<descriptor::GridspanCpuVariable> Variables;
  for (const CpuVariable &V : Code.Variables)
    Variables.push_back({Abi.string(V.Name), V.Offset, V.Size});
  descriptor::GridspanCpuModule Value;
  Value.Image = Code.Image;
  Value.Relocate = Code.Relocate;
  Value.Variables =
      Abi.array<descriptor::GridspanCpuVariable>("cpu_variables", Variables);
  Value.ImageSize = Code.ImageSize;
  Value.ImageAlign = Code.ImageAlign;
  Value.NumVariables = Variables.size();
  return Abi.make(Value);
}
