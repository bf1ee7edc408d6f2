//===- ModuleApi.cpp - Modules come and go --------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that constructors and destructors of modules make.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/backend/Registry.h"

using namespace gridspan;

void __gridspan_register_module(const GridspanModule *Module) {
  Registry::get().add(Module);
}

void __gridspan_unregister_module(const GridspanModule *Module) {
  Registry::get().remove(Module);
}
