//===- PassOptions.cpp - The options of Gridspan's passes -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang hands -mllvm to each of its steps. Its assembler, which is a step of
// its own with -save-temps, loads no plugin and does not know the plugin's
// options; with -Xclang they reach the front end only. Flags that are printed
// stay as they are: build systems drop an -Xclang that is there twice.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/PassOptions.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace gridspan;

std::vector<std::string> gridspan::givePassOptions(Request &R) {
  std::vector<std::string> Ignored;
  if (R.Action != RequestedAction::Compile)
    return Ignored;
  std::vector<Argument> Out;
  for (size_t I = 0; I != R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    StringRef Value = A.Text;
    const bool Joined = Value.consume_front("-mllvm=");
    const bool Apart = A.Text == "-mllvm" && I + 1 != R.Args.size();
    if (Apart)
      Value = R.Args[I + 1].Text;
    if ((!Joined && !Apart) || A.Kind != Argument::Option ||
        !Value.ltrim('-').starts_with("gridspan")) {
      Out.push_back(A);
      continue;
    }
    I += Apart;
    if (!R.Plugin || R.DeviceOnly) {
      Ignored.push_back(Value.str());
      continue;
    }
    for (const StringRef Part : {StringRef("-Xclang"), StringRef("-mllvm"),
                                 StringRef("-Xclang"), Value})
      Out.push_back({Part.str(), Argument::Option});
  }
  R.Args = std::move(Out);
  return Ignored;
}
