//===- DeviceBitcode.cpp - A device module as bitcode ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones the module, makes all that the CPU device does not call internal, and
// lets GlobalDCE remove what is left without a use.
//
//===----------------------------------------------------------------------===//

#include "passes/device/DeviceBitcode.h"
#include "analysis/nvptx/Kernels.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gridspan {

SmallVector<char, 0> deviceBitcode(const Module &M,
                                   function_ref<bool(const Function &)> Keep) {
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy = CloneModule(M, Map);
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    auto &New = cast<Function>(*Map[&F]);
    if (!isKernel(F) || !Keep(F)) {
      New.setLinkage(GlobalValue::InternalLinkage);
      New.setVisibility(GlobalValue::DefaultVisibility);
      New.setComdat(nullptr);
    }
  }
  // Lists that would keep everything alive.
  for (const char *Name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *List = Copy->getGlobalVariable(Name))
      List->eraseFromParent();
  ModuleAnalysisManager MAM;
  FunctionAnalysisManager FAM;
  MAM.registerPass([&] { return FunctionAnalysisManagerModuleProxy(FAM); });
  MAM.registerPass([] { return PassInstrumentationAnalysis(); });
  FAM.registerPass([] { return PassInstrumentationAnalysis(); });
  GlobalDCEPass().run(*Copy, MAM);
  stripNonLineTableDebugInfo(*Copy);

  SmallVector<char, 0> Bytes;
  raw_svector_ostream OS(Bytes);
  WriteBitcodeToFile(*Copy, OS);
  return Bytes;
}

} // namespace gridspan
