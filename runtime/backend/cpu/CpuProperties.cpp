//===- CpuProperties.cpp - Properties of a CPU device ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits are those of compute capability 9.0 (CUDA programming guide,
// "Technical Specifications per Compute Capability").
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuProperties.h"
#include "gridspan/WarpSize.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <thread>

namespace gridspan {

static constexpr int MaxThreadsPerMultiprocessor = 2048;
static constexpr int MaxBlocksPerMultiprocessor = 32;
static constexpr size_t SharedPerMultiprocessor = 228 << 10;
static constexpr size_t ReservedShared = 1 << 10; ///< per block

cudaDeviceProp cpuDeviceProperties(int Device, size_t MemoryBytes) {
  cudaDeviceProp P = {};
  snprintf(P.name, sizeof(P.name), "Gridspan CPU device %d", Device);
  P.totalGlobalMem = MemoryBytes;
  P.sharedMemPerBlock = CpuSharedBytes;
  P.regsPerBlock = 65536;
  P.warpSize = WarpSize;
  P.memPitch = INT_MAX;
  P.maxThreadsPerBlock = CpuMaxThreadsPerBlock;
  P.maxThreadsDim[0] = P.maxThreadsDim[1] = 1024;
  P.maxThreadsDim[2] = 64;
  P.maxGridSize[0] = INT_MAX;
  P.maxGridSize[1] = P.maxGridSize[2] = 65535;
  P.totalConstMem = 65536;
  P.major = 9;
  P.textureAlignment = 512;
  P.texturePitchAlignment = 32;
  P.multiProcessorCount =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  P.canMapHostMemory = 1;
  P.concurrentKernels = 1;
  P.asyncEngineCount = 2;
  P.unifiedAddressing = 1;
  P.memoryBusWidth = 64;
  P.l2CacheSize = 1 << 20;
  P.maxThreadsPerMultiProcessor = MaxThreadsPerMultiprocessor;
  P.streamPrioritiesSupported = 1;
  P.globalL1CacheSupported = P.localL1CacheSupported = 1;
  P.sharedMemPerMultiprocessor = SharedPerMultiprocessor;
  P.regsPerMultiprocessor = 65536;
  P.managedMemory = P.concurrentManagedAccess = 1;
  P.hostNativeAtomicSupported = 1;
  P.canUseHostPointerForRegisteredMem = 1;
  P.cooperativeLaunch = 1;
  P.sharedMemPerBlockOptin = CpuSharedBytesOptin;
  P.maxBlocksPerMultiProcessor = MaxBlocksPerMultiprocessor;
  P.reservedSharedMemPerBlock = ReservedShared;
  P.hostRegisterSupported = 1;
  P.memoryPoolsSupported = 1;
  return P;
}

cudaError_t cpuDeviceAttribute(const cudaDeviceProp &P,
                               cudaDeviceAttr Attribute, int &Out) {
  auto Clip = [](size_t Value) {
    return static_cast<int>(std::min<size_t>(Value, INT_MAX));
  };
  switch (Attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    Out = P.maxThreadsPerBlock;
    break;
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
  case cudaDevAttrMaxBlockDimZ:
    Out = P.maxThreadsDim[Attribute - cudaDevAttrMaxBlockDimX];
    break;
  case cudaDevAttrMaxGridDimX:
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    Out = P.maxGridSize[Attribute - cudaDevAttrMaxGridDimX];
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    Out = Clip(P.sharedMemPerBlock);
    break;
  case cudaDevAttrTotalConstantMemory:
    Out = Clip(P.totalConstMem);
    break;
  case cudaDevAttrWarpSize:
    Out = P.warpSize;
    break;
  case cudaDevAttrMaxPitch:
    Out = Clip(P.memPitch);
    break;
  case cudaDevAttrMaxRegistersPerBlock:
    Out = P.regsPerBlock;
    break;
  case cudaDevAttrClockRate:
  case cudaDevAttrMemoryClockRate:
    Out = 1000000; // kHz; a host has no single clock
    break;
  case cudaDevAttrTextureAlignment:
    Out = Clip(P.textureAlignment);
    break;
  case cudaDevAttrTexturePitchAlignment:
    Out = Clip(P.texturePitchAlignment);
    break;
  case cudaDevAttrMultiProcessorCount:
    Out = P.multiProcessorCount;
    break;
  case cudaDevAttrGlobalMemoryBusWidth:
    Out = P.memoryBusWidth;
    break;
  case cudaDevAttrL2CacheSize:
    Out = P.l2CacheSize;
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    Out = P.maxThreadsPerMultiProcessor;
    break;
  case cudaDevAttrAsyncEngineCount:
    Out = P.asyncEngineCount;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    Out = P.major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    Out = P.minor;
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    Out = Clip(P.sharedMemPerMultiprocessor);
    break;
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    Out = P.regsPerMultiprocessor;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    Out = Clip(P.sharedMemPerBlockOptin);
    break;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    Out = P.maxBlocksPerMultiProcessor;
    break;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    Out = Clip(P.reservedSharedMemPerBlock);
    break;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    Out = 2;
    break;
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrGpuOverlap:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrCanUseHostPointerForRegisteredMem:
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrHostRegisterSupported:
  case cudaDevAttrMemoryPoolsSupported:
    Out = 1;
    break;
  default:
    if (Attribute < cudaDevAttrMaxThreadsPerBlock ||
        Attribute >= cudaDevAttrMax)
      return cudaErrorInvalidValue;
    Out = 0; // textures, surfaces and other features that are not there
  }
  return cudaSuccess;
}

int cpuOccupancy(int BlockThreads, size_t SharedBytes) {
  if (BlockThreads <= 0 || BlockThreads > CpuMaxThreadsPerBlock ||
      SharedBytes > CpuSharedBytesOptin)
    return 0;
  const int Threads = (BlockThreads + WarpSize - 1) / WarpSize * WarpSize;
  const auto ByShared = static_cast<int>(SharedPerMultiprocessor /
                                         (SharedBytes + ReservedShared));
  return std::min({MaxBlocksPerMultiprocessor,
                   MaxThreadsPerMultiprocessor / Threads, ByShared});
}

} // namespace gridspan
