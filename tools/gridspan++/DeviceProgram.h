//===- DeviceProgram.h - Device code of several files, joined ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes one device module of the units of a program, as clang would have made
// it of one source with all their contents: what only the device uses is local,
// and kernels and variables that the host knows have their names.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_DEVICEPROGRAM_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_DEVICEPROGRAM_H

#include "tools/gridspan++/DeviceInputs.h"
#include "llvm/ADT/StringMap.h"

namespace gridspan {

/// What local names become: clang appends a hash to the names of static kernels
/// and variables, so that they can be external. Where only one unit has such a
/// name, it is what it would be in a whole program.
llvm::StringMap<std::string> plainNames(llvm::ArrayRef<DeviceInput> Inputs);

/// Writes the device module of the inputs for Arch ("sm_90") to the file
/// Output. Returns whether it uses the CUDA runtime of devices (libcudadevrt).
/// An error names what is missing or defined twice, and where.
llvm::Expected<bool>
writeDeviceProgram(llvm::ArrayRef<DeviceInput> Inputs, llvm::StringRef Arch,
                   const llvm::StringMap<std::string> &Names,
                   llvm::StringRef Output);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_DEVICEPROGRAM_H
