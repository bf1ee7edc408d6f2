//===- Demangle.cpp - Names of kernels as in the source -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Demangles names with the C++ runtime library (abi::__cxa_demangle).
//
//===----------------------------------------------------------------------===//

#include "runtime/support/Demangle.h"
#include <cstdlib>
#include <cxxabi.h>
#include <string_view>

namespace gridspan {

/// Returns Name without what clang appends to the name of a static kernel of
/// relocatable device code: __static__ or __intern__ and a hash.
static std::string withoutUnit(std::string_view Name) {
  for (std::string_view Infix : {"__intern__", "__static__"})
    if (size_t At = Name.rfind(Infix);
        At != Name.npos && Name.starts_with("_Z"))
      Name = Name.substr(0, At);
  return std::string(Name);
}

std::string demangled(const char *Name) {
  int Status = 0;
  char *Text =
      abi::__cxa_demangle(withoutUnit(Name).c_str(), nullptr, nullptr, &Status);
  std::string Out = Status == 0 && Text ? Text : Name;
  std::free(Text);
  return Out;
}

} // namespace gridspan
