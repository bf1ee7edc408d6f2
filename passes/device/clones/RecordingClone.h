//===- RecordingClone.h - Kernels that record requests ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a version of a kernel that does what the kernel does, and has a few of
// its warps note which addresses they ask for at accesses that advice could not
// tell, and how often they get there. A profile (GRIDSPAN_PROFILE) runs it in
// place of the kernel for some launches.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_DEVICE_CLONES_RECORDINGCLONE_H
#define GRIDSPAN_PASSES_DEVICE_CLONES_RECORDINGCLONE_H

#include "analysis/summary/KernelSummary.h"
#include "passes/device/clones/KernelDeclarer.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

/// Part of the names of such clones.
inline constexpr char RecordingKind[] = "__recording";

/// Returns the accesses of Body that are marked with RecordMetadata and can be
/// recorded, in order.
std::vector<ProbeSummary> probesOf(const llvm::Function &Body);

/// Returns a function with the code of Body that records, which has one more
/// parameter: `ptr byval` of a GridspanRecorder. Precondition: probesOf(Body)
/// is not empty.
llvm::Function &recordingBody(llvm::Function &Body);

/// Returns a kernel that is like Kernel with the code of recordingBody().
llvm::Function &recordingKernel(llvm::Function &Kernel,
                                llvm::Function &Recording,
                                KernelDeclarer &Declarer);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_DEVICE_CLONES_RECORDINGCLONE_H
