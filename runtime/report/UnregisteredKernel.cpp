//===- UnregisteredKernel.cpp - Launches of what is no kernel -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic linker knows the module of an address, and often its name.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/UnregisteredKernel.h"
#include "runtime/support/Demangle.h"
#include "runtime/support/ProcessEnd.h"
#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <fmt/format.h>

namespace gridspan {

void explainUnregistered(const void *Function) {
  static std::atomic<bool> Said{false};
  if (Said.exchange(true))
    return;
  Dl_info Where = {};
  dladdr(Function, &Where);
  fmt::print(stderr, "gridspan: the launch of {} ({}) failed: {}\n",
             Where.dli_sname ? demangled(Where.dli_sname)
                             : fmt::format("the function at {}", Function),
             Where.dli_fname ? Where.dli_fname : "in no module",
             isProcessEnding()
                 ? "it is no kernel, or its library has finished its "
                   "destructors, as the process ends"
                 : "no module of this process has registered it as a kernel");
}

} // namespace gridspan
