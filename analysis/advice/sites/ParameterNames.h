//===- ParameterNames.h - Names of the source ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses name parameters by their numbers ("arg0+16"). People read advice
// with the names of the source ("particles.mass").
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_PARAMETERNAMES_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_PARAMETERNAMES_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

class ParameterNames {
public:
  ParameterNames() = default;
  /// Collects the names from the debug information, else from the IR. Compilers
  /// leave out both unless they are asked for one.
  explicit ParameterNames(const llvm::Function &Kernel);

  /// Returns the number of parameters, with a name or without one.
  unsigned size() const { return unsigned(Parameters.size()); }

  /// Returns the name of what begins at the byte of the parameter: "x", "p.in",
  /// or "p+16" if only the parameter has a name; empty if it has none.
  std::string nameOf(unsigned Param, unsigned Byte) const;

  /// Returns the text with names in the place of "arg0" and "arg0+16".
  std::string inText(llvm::StringRef Text) const;

private:
  struct Parameter {
    std::string Name;
    std::map<unsigned, std::string> Fields; ///< by offset
  };
  std::vector<Parameter> Parameters;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_PARAMETERNAMES_H
