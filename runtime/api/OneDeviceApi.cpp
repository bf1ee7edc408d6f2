//===- OneDeviceApi.cpp - Questions about the one device ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Peers, settings and limits of a program that sees one device. Questions about
// others are errors, as with CUDA on a machine of one GPU.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/backend/Registry.h"
#include <cstdio>
#include <cstring>

using namespace gridspan;

/// Runs Work() if the number is that of the one device.
template <typename Function>
static cudaError_t forDevice(int Device, Function &&Work) {
  return apiCall<Tells::Nothing>([&](Runtime &R) -> cudaError_t {
    return Device == 0 ? Work(R) : cudaErrorInvalidDevice;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceCanAccessPeer(int *Out,
                                                              int Device,
                                                              int Peer) {
  return forDevice(Device | Peer, [=](Runtime &) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = 0; // it is no peer of its own
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  if (Flags != 0)
    return forDevice(0, [](Runtime &) { return cudaErrorInvalidValue; });
  // CUDA's answer for a device and itself.
  return forDevice(Peer,
                   [](Runtime &) { return cudaErrorPeerAccessUnsupported; });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceDisablePeerAccess(int Peer) {
  return forDevice(Peer,
                   [](Runtime &) { return cudaErrorPeerAccessNotEnabled; });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetP2PAttribute(
    int *Out, cudaDeviceP2PAttr Attribute, int Device, int Peer) {
  return forDevice(Device | Peer,
                   [](Runtime &) { return cudaErrorInvalidDevice; });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaChooseDevice(int *Out, const cudaDeviceProp *Wanted) {
  return forDevice(0, [=](Runtime &) {
    if (!Out || !Wanted)
      return cudaErrorInvalidValue;
    *Out = 0;
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaInitDevice(int Device, unsigned Flags,
                                                     unsigned InitFlags) {
  return forDevice(Device, [=](Runtime &R) {
    return hasVendorMemory(R) ? cudaInitDevice(0, Flags, InitFlags)
                              : cudaSuccess;
  });
}

/// The place of a CPU device on a bus that it is not on.
static constexpr char CpuBusId[] = "0000:00:00.0";

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetPCIBusId(char *Out,
                                                            int Length,
                                                            int Device) {
  return forDevice(Device, [=](Runtime &R) {
    if (hasVendorMemory(R))
      return cudaDeviceGetPCIBusId(Out, Length, 0);
    if (!Out || Length < static_cast<int>(sizeof(CpuBusId)))
      return cudaErrorInvalidValue;
    std::memcpy(Out, CpuBusId, sizeof(CpuBusId));
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetByPCIBusId(int *Out,
                                                              const char *Id) {
  return vendorOr([=] { return cudaDeviceGetByPCIBusId(Out, Id); },
                  [=](Runtime &) {
                    if (!Out || !Id ||
                        Id[std::strspn(Id, "0123456789abcdefABCDEF:.")])
                      return cudaErrorInvalidValue;
                    if (std::strcmp(Id, CpuBusId) != 0)
                      return cudaErrorInvalidDevice;
                    *Out = 0;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetDeviceFlags(unsigned *Out) {
  return vendorOr([=] { return cudaGetDeviceFlags(Out); },
                  [=](Runtime &) {
                    if (!Out)
                      return cudaErrorInvalidValue;
                    *Out = cudaDeviceScheduleAuto | cudaDeviceMapHost;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDeviceGetCacheConfig(cudaFuncCache *Out) {
  return vendorOr([=] { return cudaDeviceGetCacheConfig(Out); },
                  [=](Runtime &) {
                    if (!Out)
                      return cudaErrorInvalidValue;
                    *Out = cudaFuncCachePreferNone;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *Out, const cudaChannelFormatDesc *Desc, int Device) {
  return forDevice(Device, [=](Runtime &R) {
    if (hasVendorMemory(R))
      return cudaDeviceGetTexture1DLinearMaxWidth(Out, Desc, 0);
    if (!Out || !Desc)
      return cudaErrorInvalidValue;
    *Out = size_t(1) << 28;
    return cudaSuccess;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaCtxResetPersistingL2Cache() {
  return vendorOr([] { return cudaCtxResetPersistingL2Cache(); },
                  [](Runtime &) { return cudaSuccess; });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaProfilerStart() {
  return vendorOr([] { return cudaProfilerStart(); },
                  [](Runtime &) { return cudaSuccess; });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaProfilerStop() {
  return vendorOr([] { return cudaProfilerStop(); },
                  [](Runtime &) { return cudaSuccess; });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaHostGetFlags(unsigned *Out,
                                                       void *Address) {
  return vendorOr([=] { return cudaHostGetFlags(Out, Address); },
                  [=](Runtime &R) {
                    if (!Out || !R.backend().isPinned(Address, 1))
                      return cudaErrorInvalidValue;
                    *Out = cudaHostAllocMapped;
                    return cudaSuccess;
                  });
}

//===--- Functions --------------------------------------------------------===//

static const GridspanKernel *kernelOf(const void *Function) {
  return Registry::get().kernel(Function);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFuncGetName(const char **Out,
                                                      const void *Function) {
  return vendorOr([=] { return cudaFuncGetName(Out, Function); },
                  [=](Runtime &) {
                    const GridspanKernel *Kernel = kernelOf(Function);
                    if (!Kernel)
                      return cudaErrorInvalidDeviceFunction;
                    if (!Out)
                      return cudaErrorInvalidValue;
                    *Out = Kernel->Name;
                    return cudaSuccess;
                  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaFuncGetParamInfo(const void *Function,
                                                           size_t Index,
                                                           size_t *Offset,
                                                           size_t *Size) {
  return vendorOr(
      [=] { return cudaFuncGetParamInfo(Function, Index, Offset, Size); },
      [=](Runtime &) {
        const GridspanKernel *Kernel = kernelOf(Function);
        if (!Kernel)
          return cudaErrorInvalidDeviceFunction;
        if (!Offset || Index >= Kernel->NumParams)
          return cudaErrorInvalidValue;
        *Offset = Kernel->Params[Index].Offset;
        if (Size)
          *Size = Kernel->Params[Index].Size;
        return cudaSuccess;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *Out, const void *Function, int NumBlocks, int BlockThreads) {
  return vendorOr(
      [=] {
        return cudaOccupancyAvailableDynamicSMemPerBlock(
            Out, Function, NumBlocks, BlockThreads);
      },
      [=](Runtime &R) {
        cudaFuncAttributes Attributes;
        cudaDeviceProp P;
        if (!Out || NumBlocks <= 0 || BlockThreads <= 0)
          return cudaErrorInvalidValue;
        if (cudaError_t Error = R.backend().functionAttributes(
                {kernelOf(Function), Function}, Attributes))
          return Error;
        if (cudaError_t Error = R.backend().properties(0, P))
          return Error;
        const size_t Taken =
            Attributes.sharedSizeBytes + P.reservedSharedMemPerBlock;
        const size_t Each = P.sharedMemPerMultiprocessor / NumBlocks;
        *Out = Each > Taken
                   ? std::min(Each - Taken, P.sharedMemPerBlockOptin -
                                                Attributes.sharedSizeBytes)
                   : 0;
        return cudaSuccess;
      });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaOccupancyMaxPotentialClusterSize(
    int *Out, const void *Function, const cudaLaunchConfig_t *Config) {
  return vendorOr(
      [=] {
        return cudaOccupancyMaxPotentialClusterSize(Out, Function, Config);
      },
      [=](Runtime &) { return sayUnsupported("clusters of blocks"); });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaOccupancyMaxActiveClusters(
    int *Out, const void *Function, const cudaLaunchConfig_t *Config) {
  return vendorOr(
      [=] { return cudaOccupancyMaxActiveClusters(Out, Function, Config); },
      [=](Runtime &) { return sayUnsupported("clusters of blocks"); });
}
