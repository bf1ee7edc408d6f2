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

namespace gridspan {

std::string demangled(const char *Name) {
  int Status = 0;
  char *Text = abi::__cxa_demangle(Name, nullptr, nullptr, &Status);
  std::string Out = Status == 0 && Text ? Text : Name;
  std::free(Text);
  return Out;
}

} // namespace gridspan
