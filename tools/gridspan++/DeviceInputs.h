//===- DeviceInputs.h - Relocatable device code of inputs -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the units (passes/common/DeviceUnit.h) among the objects, archives and
// -l libraries of a link.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_DEVICEINPUTS_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_DEVICEINPUTS_H

#include "passes/common/DeviceUnit.h"
#include "tools/gridspan++/Options.h"
#include <map>

namespace gridspan {

/// Device code of one object for one architecture.
struct DeviceImage {
  std::string Bitcode;
  /// Options of the compilation that matter when code is generated.
  std::string CodeOptions;
};

/// An object, or a member of an archive, with relocatable device code.
struct DeviceInput {
  std::string Name; ///< "a.o", "libx.a(a.o)"
  /// One, or several after `ld -r`.
  std::vector<DeviceUnit> Units;
  /// By architecture, "sm_90"; as many as there are units.
  std::map<std::string, std::vector<DeviceImage>> Images;
};

/// Returns what a device link of the arguments has to link, in order. Left out
/// is what one of the inputs, the result of a device link, has already, and
/// what occurs twice. An error names the file that is damaged, or that holds
/// device code of another compiler. What is no object is left to the linker.
llvm::Expected<std::vector<DeviceInput>>
readDeviceInputs(llvm::ArrayRef<Argument> Args);

/// Returns true if an input of a link holds relocatable device code that was
/// compiled without Gridspan, for clang's own device link. An error names one
/// that was compiled with it.
llvm::Expected<bool> hasPlainDeviceCode(llvm::ArrayRef<Argument> Args);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_DEVICEINPUTS_H
