//===- VendorApi.cpp - What only a driver can do --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA without a driver answers that the driver's version is insufficient. The
// CPU device says instead what it does not support: once for each function, and
// with an error of its own. Functions that mean little without a GPU, or ask
// about the one device that the program sees, have an answer here.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/support/ThreadSafety.h"
#include <cstdio>
#include <fmt/format.h>
#include <set>
#include <string>

using namespace gridspan;

static void sayNotSupported(const char *Name) {
  static Mutex Lock;
  static auto *Said = new std::set<std::string>;
  MutexLock Guard(Lock);
  if (Said->insert(Name).second)
    fmt::print(stderr, "gridspan: the CPU device does not support {}\n", Name);
}

/// Returns cudaSuccess if the function Name of CUDA may be called
/// (passes/host/VendorCalls.h).
GRIDSPAN_ENTRY cudaError_t __gridspan_vendor_call(const char *Name) {
  try {
    if (hasVendorMemory(Runtime::get()))
      return cudaSuccess;
    sayNotSupported(Name);
  } catch (...) {
    return lastError() = cudaErrorMemoryAllocation;
  }
  return lastError() = cudaErrorNotSupported;
}

/// Returns Vendor() where there is a driver, and else Own().
template <typename VendorFn, typename OwnFn>
static cudaError_t vendorOr(VendorFn &&Vendor, OwnFn &&Own) {
  return apiCall<Tells::Nothing>(
      [&](Runtime &R) { return hasVendorMemory(R) ? Vendor() : Own(); });
}

static cudaError_t done() { return cudaSuccess; }

//===--- The one device -------------------------------------------------===//

static cudaError_t peerOf(int Device, int Peer) {
  return Device != 0 || Peer != 0 ? cudaErrorInvalidDevice : cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceCanAccessPeer(int *Out,
                                                              int Device,
                                                              int Peer) {
  return apiCall<Tells::Nothing>([=](Runtime &) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = 0;
    return peerOf(Device, Peer);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceEnablePeerAccess(int,
                                                                 unsigned) {
  // Not even the device itself is one.
  return apiCall<Tells::Nothing>(
      [](Runtime &) { return cudaErrorInvalidDevice; });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceDisablePeerAccess(int) {
  return apiCall<Tells::Nothing>(
      [](Runtime &) { return cudaErrorInvalidDevice; });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaChooseDevice(int *Device, const cudaDeviceProp *Wanted) {
  return apiCall<Tells::Nothing>([=](Runtime &) {
    if (!Device || !Wanted)
      return cudaErrorInvalidValue;
    *Device = 0;
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaInitDevice(int Device,
                                                     unsigned DeviceFlags,
                                                     unsigned Flags) {
  return apiCall<Tells::Nothing>([=](Runtime &) {
    if (Device != 0)
      return cudaErrorInvalidDevice;
    return Flags & ~unsigned(cudaInitDeviceFlagsAreValid)
               ? cudaErrorInvalidValue
               : cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetDeviceFlags(unsigned *Flags) {
  return vendorOr([=] { return cudaGetDeviceFlags(Flags); },
                  [=] {
                    if (!Flags)
                      return cudaErrorInvalidValue;
                    *Flags = cudaDeviceMapHost;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDeviceGetCacheConfig(cudaFuncCache *Config) {
  return vendorOr([=] { return cudaDeviceGetCacheConfig(Config); },
                  [=] {
                    if (!Config)
                      return cudaErrorInvalidValue;
                    *Config = cudaFuncCachePreferNone;
                    return cudaSuccess;
                  });
}

/// The place of a CPU device on a bus that it is not on.
static constexpr std::string_view CpuBusId = "0000:00:00.0";

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetPCIBusId(char *Id,
                                                            int Length,
                                                            int Device) {
  return vendorOr([=] { return cudaDeviceGetPCIBusId(Id, Length, Device); },
                  [=] {
                    if (!Id || Length <= 0)
                      return cudaErrorInvalidValue;
                    if (Device != 0)
                      return cudaErrorInvalidDevice;
                    if (static_cast<size_t>(Length) <= CpuBusId.size())
                      return cudaErrorInvalidValue;
                    Id[CpuBusId.copy(Id, CpuBusId.size())] = '\0';
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetByPCIBusId(int *Device,
                                                              const char *Id) {
  return vendorOr([=] { return cudaDeviceGetByPCIBusId(Device, Id); },
                  [=] {
                    if (!Device || !Id)
                      return cudaErrorInvalidValue;
                    if (Id != CpuBusId)
                      return cudaErrorInvalidDevice;
                    *Device = 0;
                    return cudaSuccess;
                  });
}

//===--- Hints ----------------------------------------------------------===//

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaCtxResetPersistingL2Cache() {
  return vendorOr([] { return cudaCtxResetPersistingL2Cache(); }, done);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaProfilerStart() {
  return vendorOr([] { return cudaProfilerStart(); }, done);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaProfilerStop() {
  return vendorOr([] { return cudaProfilerStop(); }, done);
}
