//===- UntrackedCudaCalls.h - Functions that may give work to ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which C functions of CUDA may enqueue work in a stream when they are called
// directly, unseen by the runtime. What is not known to be harmless may.
// Header only: the plugin and gridspan++ share no library.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_UNTRACKEDCUDACALLS_H
#define GRIDSPAN_UNTRACKEDCUDACALLS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace gridspan {

/// Functions of libraries that launch kernels on what their arguments lead to.
inline bool mayLaunchKernels(llvm::StringRef Name) {
  for (llvm::StringRef Library : {"cublas", "cudnn", "cudss", "cufft", "curand",
                                  "cusolver", "cusparse", "cutensor", "npp"})
    if (Name.starts_with(Library))
      return true;
  return false;
}

inline bool mayGiveUntrackedWork(llvm::StringRef Name) {
  auto BeginsWithAny = [&](std::initializer_list<llvm::StringRef> Prefixes) {
    return llvm::any_of(Prefixes, [&](llvm::StringRef Prefix) {
      return Name.starts_with(Prefix);
    });
  };
  auto UpperAt = [&](size_t I) {
    return Name.size() > I && Name[I] >= 'A' && Name[I] <= 'Z';
  };
  if (mayLaunchKernels(Name) || BeginsWithAny({"nccl", "nvjpeg", "nvrtc"}))
    return true;
  // The driver: whoever calls it directly may do anything.
  if (Name.starts_with("cu") && UpperAt(2))
    return true;
  if (!Name.starts_with("cuda") || !UpperAt(4))
    return false;
  // Gives functions of the driver.
  if (BeginsWithAny({"cudaGetDriverEntryPoint", "cudaGraphLaunch",
                     "cudaGraphics", "cudaStreamAttachMem",
                     "cudaStreamWaitEvent", "cudaStreamAddCallback"}))
    return true;
  // Questions, settings, objects without contents, and what only looks at a
  // stream.
  return !BeginsWithAny({"cudaArrayGet",      "cudaChooseDevice",
                         "cudaCreate",        "cudaCtxResetPersisting",
                         "cudaDestroy",       "cudaDevice",
                         "cudaDriverGet",     "cudaEvent",
                         "cudaExternal",      "cudaFreeArray",
                         "cudaFreeMipmapped", "cudaFunc",
                         "cudaGet",           "cudaGraph",
                         "cudaHostGet",       "cudaImport",
                         "cudaInitDevice",    "cudaIpc",
                         "cudaKernel",        "cudaLibrary",
                         "cudaMallocArray",   "cudaMallocMipmapped",
                         "cudaMemGet",        "cudaMemPool",
                         "cudaMemRange",      "cudaOccupancy",
                         "cudaPeek",          "cudaPointer",
                         "cudaProfiler",      "cudaRuntimeGet",
                         "cudaSet",           "cudaStream",
                         "cudaThread"});
}

} // namespace gridspan

#endif // GRIDSPAN_UNTRACKEDCUDACALLS_H
