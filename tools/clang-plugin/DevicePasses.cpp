//===- DevicePasses.cpp - Passes that all device code needs ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The headers that gridspan++ gives clang need them also where clang makes only
// PTX or machine code, and libGridspan.so is not loaded: they are part of the
// language. Where it is, it runs them as well, and finds nothing left to do.
//
//===----------------------------------------------------------------------===//

#include "passes/device/BuiltinVariables.h"
#include "tools/clang-plugin/BeforeMainAction.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/Passes/PassBuilder.h"

using namespace clang;

namespace {

class DevicePassesAction : public gridspan::BeforeMainAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 llvm::StringRef) override {
    CI.getCodeGenOpts().PassBuilderCallbacks.emplace_back(
        [](llvm::PassBuilder &Builder) {
          Builder.registerPipelineStartEPCallback(
              [](llvm::ModulePassManager &Passes, llvm::OptimizationLevel) {
                Passes.addPass(gridspan::BuiltinVariablesPass());
              });
        });
    return std::make_unique<ASTConsumer>();
  }
};

} // namespace

static FrontendPluginRegistry::Add<DevicePassesAction>
    Action("gridspan-device-passes", "Passes that all device code needs");
