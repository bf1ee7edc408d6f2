//===- Driver.cpp - The CUDA driver, found at run time --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuGetProcAddress (CUDA Driver API, "Driver Entry Point Access") gives each
// function in the version asked for, so that a newer driver cannot change a
// signature under us. Streams are the legacy ones: handle 0 never stands for
// the per-thread default stream.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Driver.h"
#include <dlfcn.h>
#include <fmt/format.h>

namespace gridspan::cuda {
namespace {

constexpr bool same(CUresult R, cudaError_t E) {
  return static_cast<int>(R) == static_cast<int>(E);
}
static_assert(same(CUDA_ERROR_INVALID_VALUE, cudaErrorInvalidValue));
static_assert(same(CUDA_ERROR_OUT_OF_MEMORY, cudaErrorMemoryAllocation));
static_assert(same(CUDA_ERROR_NOT_INITIALIZED, cudaErrorInitializationError));
static_assert(same(CUDA_ERROR_DEINITIALIZED, cudaErrorCudartUnloading));
static_assert(same(CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice));
static_assert(same(CUDA_ERROR_INVALID_DEVICE, cudaErrorInvalidDevice));
static_assert(same(CUDA_ERROR_NO_BINARY_FOR_GPU,
                   cudaErrorNoKernelImageForDevice));
static_assert(same(CUDA_ERROR_INVALID_HANDLE, cudaErrorInvalidResourceHandle));
static_assert(same(CUDA_ERROR_NOT_READY, cudaErrorNotReady));
static_assert(same(CUDA_ERROR_ILLEGAL_ADDRESS, cudaErrorIllegalAddress));
static_assert(same(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                   cudaErrorLaunchOutOfResources));
static_assert(same(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                   cudaErrorHostMemoryNotRegistered));
static_assert(same(CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure));
static_assert(same(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                   cudaErrorStreamCaptureImplicit));
static_assert(same(CUDA_ERROR_UNKNOWN, cudaErrorUnknown));

struct Loaded {
  Driver Table;
  std::string Message; ///< the reason why there is none, or empty
  bool Defective = false;
};

Loaded loadDriver() {
  Loaded L;
  // Never closed: the CUDA runtime holds the same library until exit.
  void *Library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    L.Message = "no CUDA driver (libcuda.so.1) on this machine";
    return L;
  }
  L.Defective = true;
  auto GetProcAddress = reinterpret_cast<PFN_cuGetProcAddress_v12000>(
      dlsym(Library, "cuGetProcAddress_v2"));
  if (!GetProcAddress) {
    L.Message = "the CUDA driver is older than CUDA 12";
    return L;
  }
  auto Find = [&](const char *Name, int Version) -> void * {
    void *Function = nullptr;
    CUresult R = GetProcAddress(Name, &Function, Version,
                                CU_GET_PROC_ADDRESS_LEGACY_STREAM, nullptr);
    if (R == CUDA_SUCCESS && Function)
      return Function;
    if (L.Message.empty())
      L.Message = fmt::format("the CUDA driver has no {}", Name);
    return nullptr;
  };
#define GRIDSPAN_DRIVER(Name, Version)                                         \
  L.Table.Name =                                                               \
      reinterpret_cast<PFN_##Name##_v##Version>(Find(#Name, Version));
#include "runtime/backend/cuda/Driver.def"
  if (!L.Message.empty())
    return L;

  if (CUresult R = L.Table.cuInit(0); R != CUDA_SUCCESS) {
    const char *Text = nullptr;
    L.Table.cuGetErrorString(R, &Text);
    L.Message = fmt::format("the CUDA driver does not start: {}",
                            Text ? Text : "unknown error");
    L.Defective = R != CUDA_ERROR_NO_DEVICE;
  }
  return L;
}

} // namespace

const Driver *Driver::get(std::string &Message, bool &Defective) {
  static const Loaded L = loadDriver();
  Message = L.Message;
  Defective = !L.Message.empty() && L.Defective;
  return L.Message.empty() ? &L.Table : nullptr;
}

} // namespace gridspan::cuda
