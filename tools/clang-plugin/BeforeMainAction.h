//===- BeforeMainAction.h - Actions that clang always runs --------*- C++
//-*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the plug-in's actions have in common: clang runs them before its own,
// and unless they say otherwise they have no arguments.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_CLANG_PLUGIN_BEFOREMAINACTION_H
#define GRIDSPAN_TOOLS_CLANG_PLUGIN_BEFOREMAINACTION_H

#include "clang/Frontend/FrontendAction.h"
#include <string>
#include <vector>

namespace gridspan {

class BeforeMainAction : public clang::PluginASTAction {
  bool ParseArgs(const clang::CompilerInstance &,
                 const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_CLANG_PLUGIN_BEFOREMAINACTION_H
