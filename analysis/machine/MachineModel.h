//===- MachineModel.h - Numbers of a GPU for predictions --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: one file for each architecture in analysis/machine/, built in.
// bench/model/machine.cu measures such a file on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_MACHINE_MACHINEMODEL_H
#define GRIDSPAN_ANALYSIS_MACHINE_MACHINEMODEL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <string>

namespace gridspan {

struct MachineModel {
  std::string Arch; ///< "sm_90"
  std::string Name; ///< the GPU that was measured
#define GRIDSPAN_MACHINE(Type, Field, Text) Type Field = 0;
#include "analysis/machine/MachineModel.def"

  /// Returns the blocks of Bytes of shared memory that a multiprocessor can
  /// hold together.
  unsigned blocksByShared(uint64_t Bytes) const {
    return unsigned(SharedBytes /
                    llvm::alignTo(Bytes + SharedBytesReserved, SharedGranule));
  }
};

/// The built-in model of an architecture ("sm_90"), or that of the nearest
/// older one that there is, else the oldest.
const MachineModel &machineModelFor(llvm::StringRef Arch);
/// Given, if there is one.
inline const MachineModel &machineModelFor(llvm::StringRef Arch,
                                           const MachineModel *Given) {
  return Given ? *Given : machineModelFor(Arch);
}

/// Reads the text of a file. Every field must be there, and positive.
llvm::Expected<MachineModel> machineModelFromJSON(llvm::StringRef Text);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_MACHINE_MACHINEMODEL_H
