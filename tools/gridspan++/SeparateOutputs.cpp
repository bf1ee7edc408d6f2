//===- SeparateOutputs.cpp - An output for each source --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names are nvcc's. Rules for make (-M, -MM) get the name of the object as
// their target, and still go to standard output.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/SeparateOutputs.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gridspan;

static bool hasOption(const Request &R, StringRef Text) {
  return any_of(R.Args, [&](const Argument &A) {
    return A.Kind == Argument::Option && A.Text == Text;
  });
}

static bool printsRules(const Request &R) {
  return hasOption(R, "-M") || hasOption(R, "-MM");
}

static std::string outputName(const Request &R, StringRef Source) {
  if (R.Intermediate)
    return R.inOutputFolder((sys::path::filename(Source) + ".cpp.ii").str());
  return R.inOutputFolder(Source, R.Fatbin             ? "fatbin"
                                  : !R.DeviceOnly      ? "o"
                                  : hasOption(R, "-S") ? "ptx"
                                                       : "cubin");
}

std::vector<Request> gridspan::separateOutputs(const Request &R) {
  const std::vector<size_t> Sources = R.sources();
  const bool HasFolder = !R.OutputFolder.empty();
  const bool Rules = HasFolder && printsRules(R);
  const bool Objects = HasFolder && R.ObjectsOnly && !R.PrintsText;
  const bool Device =
      R.Intermediate || (R.DeviceOnly && (HasFolder || Sources.size() > 1));
  if (R.Output || !(Rules || Objects || Device))
    return {};
  std::vector<Request> Requests;
  for (size_t Source : Sources) {
    Request One = R;
    const std::string Output = outputName(R, R.Args[Source].Text);
    // From the last, so that the places before it stay.
    for (size_t Other : reverse(Sources))
      if (Other != Source)
        One.Args.erase(One.Args.begin() + Other);
    if (Rules) {
      One.OutputFolder.clear();
      if (!hasOption(R, "-MT"))
        One.Args.insert(One.Args.end(), {{"-MT"}, {Output}});
    } else
      One.Output = Output;
    Requests.push_back(std::move(One));
  }
  return Requests;
}
