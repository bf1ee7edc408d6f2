//===- ApiRedirect.h - CUDA runtime calls go to Gridspan --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sends calls of the CUDA runtime API to the functions of Gridspan's runtime.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_PASSES_HOST_APIREDIRECT_H
#define GRIDSPAN_PASSES_HOST_APIREDIRECT_H

namespace llvm {
class Module;
} // namespace llvm

namespace gridspan {

/// Redirects every use (call or address) of a CUDA runtime function declared in
/// M and listed in CudaApi.def. Returns true if there was one.
bool redirectCudaApi(llvm::Module &M);

} // namespace gridspan

#endif // GRIDSPAN_PASSES_HOST_APIREDIRECT_H
