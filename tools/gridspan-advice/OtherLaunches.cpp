//===- OtherLaunches.cpp - Advice for the launches of a run ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is a source for one architecture. Its advice is computed once, with
// the options of all its kernels, and takes the place of all that the file had
// of it: what the other kernels assume stays the same. Symbol names in the
// options tell overloads apart.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/OtherLaunches.h"
#include "passes/advice/AdviceCode.h"
#include <fmt/format.h>
#include <stdexcept>

using nlohmann::json;

namespace gridspan {

static bool hasOrigin(const json &Part, const json &Of) {
  for (const char *Key : {"directory", "source", "target"})
    if (Part.value(Key, "") != Of.value(Key, ""))
      return false;
  return true;
}

static bool isOf(const Kernel &K, const json &Module) {
  return K.Directory == Module.value("directory", "") &&
         K.Source == Module.value("source", "") &&
         K.Target == Module.value("target", "");
}

static std::vector<std::string> optionsOf(const json &Module,
                                          const std::vector<Kernel> &Kernels) {
  std::vector<std::string> Out;
  for (const Kernel &K : Kernels)
    if (isOf(K, Module))
      Out.insert(Out.end(), K.ExactOptions.begin(), K.ExactOptions.end());
  return Out;
}

/// Returns what the run has recorded of the module's kernels.
static MeasuredKernels recordedOf(const json &Module,
                                  const std::vector<Kernel> &Kernels) {
  MeasuredKernels Out;
  for (const Kernel &K : Kernels)
    if (isOf(K, Module) && !K.Recorded.empty())
      Out[K.Mangled] = K.Recorded;
  return Out;
}

/// Returns the advice on the module with the options. Throws if there is none.
static json again(const json &Module, const std::vector<std::string> &Options,
                  MeasuredKernels Recorded) {
  llvm::Expected<llvm::json::Value> Code = llvm::json::parse(Module.dump());
  if (!Code)
    throw std::runtime_error(llvm::toString(Code.takeError()));
  llvm::Expected<llvm::json::Object> Advice =
      adviceAgain(*Code->getAsObject(), Options, std::move(Recorded));
  if (!Advice)
    throw std::runtime_error(llvm::toString(Advice.takeError()));
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << llvm::json::Value(std::move(*Advice));
  OS.flush();
  return json::parse(Text);
}

std::vector<std::string>
adviseOnOtherLaunches(const std::vector<Kernel> &Kernels,
                      std::vector<AdviceFile> &Files) {
  std::vector<std::string> Failed;
  for (AdviceFile &File : Files)
    for (const json &Module : File.Json.value("modules", json::array())) {
      const std::vector<std::string> Options = optionsOf(Module, Kernels);
      MeasuredKernels Recorded = recordedOf(Module, Kernels);
      if (Options.empty() && Recorded.empty())
        continue;
      try {
        json New = again(Module, Options, std::move(Recorded));
        json List = json::array();
        for (json &Old : File.Json.at("kernels"))
          if (!hasOrigin(Old, Module))
            List.push_back(std::move(Old));
        for (json &Kernel : New.at("kernels"))
          List.push_back(std::move(Kernel));
        File.Json["kernels"] = std::move(List);
      } catch (const std::exception &Error) {
        Failed.push_back(fmt::format(
            "{}: the launches of the run cannot be looked at: {}: {}",
            File.Path, Module.value("source", ""), Error.what()));
      }
    }
  return Failed;
}

} // namespace gridspan
