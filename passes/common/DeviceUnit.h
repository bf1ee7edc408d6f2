//===- DeviceUnit.h - A relocatable object's device side --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes to the device link what the host side of a relocatable object has:
// the kernels and variables to register, by their names on both sides. The host
// pass writes it, gridspan++ reads it (tools/gridspan++/DeviceInputs.h).
//
// The object refers to the unit's marker, a symbol that only the result of a
// device link defines. An object whose device code is in no device link
// therefore does not link, and the linker names it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_DEVICEUNIT_H
#define GRIDSPAN_PASSES_COMMON_DEVICEUNIT_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gridspan {

/// The section with descriptions of units, one line each. Linkers drop it.
inline constexpr char UnitSection[] = ".gridspan.unit";
/// The section with device bitcode, as clang's offload packages.
inline constexpr char DeviceCodeSection[] = ".llvm.offloading";
/// How the names of markers begin.
inline constexpr char MarkerPrefix[] = "__gridspan_needs_device_link_";

/// A kernel or a variable that the host knows.
struct DeviceEntry {
  enum class EntryKind { Kernel, Variable };
  EntryKind Kind = EntryKind::Kernel;
  std::string DeviceName;
  std::string HostName; ///< symbol of the stub, or of the shadow variable
  uint64_t Bytes = 0;   ///< of a variable
  bool Constant = false;
};

/// One source, compiled to a relocatable object.
struct DeviceUnit {
  std::string Marker;
  std::string Source;
  std::string Triple; ///< of the host
  std::string Layout; ///< the host's data layout
  std::vector<DeviceEntry> Entries;
};

/// Returns Unit as one line of text.
std::string toText(const DeviceUnit &Unit);

/// Reads the contents of a UnitSection; several objects may have been joined
/// into one.
llvm::Expected<std::vector<DeviceUnit>> parseDeviceUnits(llvm::StringRef Text);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_DEVICEUNIT_H
