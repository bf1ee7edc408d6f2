//===- UntrackedCudaCalls.h - Classes of CUDA functions ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the table UntrackedCudaCalls.def. What is not known to be harmless may
// give work to a stream. Header only: the plugin and gridspan++ share no
// library.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_COMMON_UNTRACKEDCUDACALLS_H
#define GRIDSPAN_PASSES_COMMON_UNTRACKEDCUDACALLS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace gridspan {

/// Returns true if Name is of a library that launches kernels on what its
/// arguments lead to.
inline bool mayLaunchKernels(llvm::StringRef Name) {
#define GRIDSPAN_KERNEL_LIBRARY(Prefix)                                        \
  if (Name.starts_with(#Prefix))                                               \
    return true;
#include "gridspan/UntrackedCudaCalls.def"
  return false;
}

/// Returns true if a direct call of the C function Name may give work to a
/// stream.
inline bool mayGiveUntrackedWork(llvm::StringRef Name) {
  auto IsUpperAt = [&](size_t I) {
    return Name.size() > I && Name[I] >= 'A' && Name[I] <= 'Z';
  };
  if (mayLaunchKernels(Name))
    return true;
#define GRIDSPAN_UNTRACKED_LIBRARY(Prefix)                                     \
  if (Name.starts_with(#Prefix))                                               \
    return true;
#define GRIDSPAN_UNTRACKED_CALL(Prefix) GRIDSPAN_UNTRACKED_LIBRARY(Prefix)
#include "gridspan/UntrackedCudaCalls.def"
  // The driver: whoever calls it directly may do anything.
  if (Name.starts_with("cu") && IsUpperAt(2))
    return true;
  if (!Name.starts_with("cuda") || !IsUpperAt(4))
    return false;
#define GRIDSPAN_HARMLESS_CALL(Prefix)                                         \
  if (Name.starts_with(#Prefix))                                               \
    return false;
#include "gridspan/UntrackedCudaCalls.def"
  return true;
}

/// Returns true if the C function Name of the driver gives work to a device.
inline bool givesDriverWork(llvm::StringRef Name) {
#define GRIDSPAN_DRIVER_WORK(Prefix)                                           \
  if (Name.starts_with(#Prefix))                                               \
    return true;
#include "gridspan/UntrackedCudaCalls.def"
  return false;
}

/// Returns true if the C function Name lets a program see or change the nodes
/// of graphs.
inline bool looksIntoGraphs(llvm::StringRef Name) {
#define GRIDSPAN_OPAQUE_GRAPH_CALL(Prefix)                                     \
  if (Name.starts_with(#Prefix) && !Name.starts_with("cudaGraphDestroyNode"))  \
    return false;
#include "gridspan/UntrackedCudaCalls.def"
#define GRIDSPAN_GRAPH_CALL(Prefix)                                            \
  if (Name.starts_with(#Prefix))                                               \
    return true;
#include "gridspan/UntrackedCudaCalls.def"
  return false;
}

} // namespace gridspan

#endif // GRIDSPAN_PASSES_COMMON_UNTRACKEDCUDACALLS_H
