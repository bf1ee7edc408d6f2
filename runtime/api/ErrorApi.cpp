//===- ErrorApi.cpp - Errors ----------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last error is per thread. Calls that the program makes to CUDA itself
// have their own, which the backend knows.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <string>

namespace gridspan {

cudaError_t &lastError() {
  thread_local cudaError_t Last = cudaSuccess;
  return Last;
}

bool hasVendorMemory(Runtime &R) {
  return std::strcmp(R.backend().name(), "cuda") == 0;
}

bool isLegacy(cudaStream_t Handle, DefaultStream Zero) {
  return Handle == cudaStreamLegacy ||
         (!Handle && Zero == DefaultStream::Legacy);
}

cudaError_t sayUnsupported(const char *What) {
  static Mutex Lock;
  static std::set<std::string> Said;
  MutexLock Guard(Lock);
  if (Said.insert(What).second)
    fmt::print(stderr, "gridspan: the CPU device does not support {}\n", What);
  return cudaErrorNotSupported;
}

bool isInOwnContextOfProgram() {
  try {
    return Runtime::get().backend().isInForeignContext();
  } catch (...) {
    return false; // the call fails for the same reason
  }
}

bool isOwnMemory(const void *Address) {
  Runtime *R = Runtime::existing();
  return R && Address && R->memory().find(Address);
}

static thread_local unsigned PrimaryContextScopes = 0;
PrimaryContextScope::PrimaryContextScope() { ++PrimaryContextScopes; }
PrimaryContextScope::~PrimaryContextScope() { --PrimaryContextScopes; }

cudaError_t checkContext(Runtime &R) {
  if (PrimaryContextScopes || !R.backend().isInForeignContext())
    return cudaSuccess;
  static std::atomic<bool> Said{false};
  if (!Said.exchange(true))
    fmt::print(stderr,
               "gridspan: a call of the CUDA runtime failed: the program has "
               "made a context current that it has made with cuCtxCreate, and "
               "the call is Gridspan's, which is not there; take the context "
               "of cuDevicePrimaryCtxRetain instead\n");
  return cudaErrorIncompatibleDriverContext;
}

static cudaError_t takeError(bool Clear) {
  Runtime *R = Runtime::existing();
  const cudaError_t Vendor = R ? R->backend().vendorError(Clear) : cudaSuccess;
  cudaError_t Error = R ? R->broken() : cudaSuccess;
  if (!Error)
    Error = lastError();
  if (Clear)
    lastError() = cudaSuccess;
  return Error ? Error : Vendor;
}

} // namespace gridspan

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetLastError() {
  return gridspan::takeError(true);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaPeekAtLastError() {
  return gridspan::takeError(false);
}

GRIDSPAN_ENTRY const char *__gridspan_cudaGetErrorString(cudaError_t Error) {
  return cudaGetErrorString(Error);
}

GRIDSPAN_ENTRY const char *__gridspan_cudaGetErrorName(cudaError_t Error) {
  return cudaGetErrorName(Error);
}
