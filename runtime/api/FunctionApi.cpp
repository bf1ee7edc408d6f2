//===- FunctionApi.cpp - Attributes of kernels ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes and occupancy of kernels. Answers are those of the kernel that the
// program knows, not of its clones.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/backend/Registry.h"

using namespace gridspan;

static LaunchTarget targetOf(const void *Function) {
  return {Registry::get().kernel(Function), Function};
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFuncGetAttributes(
    cudaFuncAttributes *Out, const void *Function) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    return R.backend().functionAttributes(targetOf(Function), *Out);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFuncSetAttribute(
    const void *Function, cudaFuncAttribute Attribute, int Value) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    return R.launches().setFunctionAttribute(targetOf(Function), Attribute,
                                             Value);
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaFuncSetCacheConfig(const void *Function, cudaFuncCache Config) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (Config < cudaFuncCachePreferNone || Config > cudaFuncCachePreferEqual)
      return cudaErrorInvalidValue;
    // A preference: it is checked that there is such a function.
    cudaFuncAttributes Ignored;
    return R.backend().functionAttributes(targetOf(Function), Ignored);
  });
}

static cudaError_t occupancy(int *Out, const void *Function, int BlockThreads,
                             size_t SharedBytes, unsigned Flags) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (!Out || (Flags & ~unsigned(cudaOccupancyDisableCachingOverride)))
      return cudaErrorInvalidValue;
    return R.backend().occupancy(targetOf(Function), BlockThreads, SharedBytes,
                                 Flags, *Out);
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Out,
                                                         const void *Function,
                                                         int BlockThreads,
                                                         size_t SharedBytes) {
  return occupancy(Out, Function, BlockThreads, SharedBytes,
                   cudaOccupancyDefault);
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Out, const void *Function, int BlockThreads, size_t SharedBytes,
    unsigned Flags) {
  return occupancy(Out, Function, BlockThreads, SharedBytes, Flags);
}
