//===- LinkModule.h - The host module of a device link ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the host module that carries the fat binary of a device link and
// registers it, in the form in which clang has both in the host module of a
// whole program. The host pass therefore does for it what it does for one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_LINKMODULE_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_LINKMODULE_H

#include "tools/gridspan++/DeviceInputs.h"
#include "llvm/ADT/StringMap.h"

namespace gridspan {

/// Writes the module to the file Output. Names are DeviceProgram.h's; Fatbin is
/// the contents of the fat binary, or empty if the host knows nothing of the
/// device code.
llvm::Error writeLinkModule(llvm::ArrayRef<DeviceInput> Inputs,
                            const llvm::StringMap<std::string> &Names,
                            llvm::StringRef Fatbin, llvm::StringRef Output);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_LINKMODULE_H
