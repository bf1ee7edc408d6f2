//===- Warning.cpp - Warnings of the plugin -------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kind of diagnostic of the plugin's own, to which clang gives its flag.
//
//===----------------------------------------------------------------------===//

#include "passes/common/Warning.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

class PluginWarning : public DiagnosticInfo {
public:
  explicit PluginWarning(const Twine &Text)
      : DiagnosticInfo(kind(), DS_Warning), Text(Text.str()) {}
  void print(DiagnosticPrinter &Printer) const override {
    Printer << "gridspan: " << Text;
  }

private:
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }
  std::string Text;
};

} // namespace

void gridspan::warn(Module &M, const Twine &Text) {
  M.getContext().diagnose(PluginWarning(M.getSourceFileName() + ": " + Text));
}
