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
#include <initializer_list>
#include <optional>
#include <thread>

namespace gridspan {

static constexpr int MaxThreadsPerMultiprocessor = 2048;
static constexpr int MaxBlocksPerMultiprocessor = 32;
static constexpr size_t SharedPerMultiprocessor = 228 << 10;
static constexpr size_t ReservedShared = 1 << 10; ///< per block

/// Sets the largest textures and surfaces: those of an sm_90, as the sampler
/// has no limits of its own.
static void setTextureLimits(cudaDeviceProp &P) {
  const auto Set = [](auto &Array, std::initializer_list<int> Values) {
    std::copy(Values.begin(), Values.end(), Array);
  };
  P.textureAlignment = P.surfaceAlignment = 512;
  P.texturePitchAlignment = 32;
  P.maxTexture1D = 131072;
  P.maxTexture1DMipmap = 32768;
  Set(P.maxTexture2D, {131072, 65536});
  Set(P.maxTexture2DMipmap, {32768, 32768});
  Set(P.maxTexture2DLinear, {131072, 65000, 2097120});
  Set(P.maxTexture2DGather, {32768, 32768});
  Set(P.maxTexture3D, {16384, 16384, 16384});
  Set(P.maxTexture3DAlt, {8192, 8192, 32768});
  P.maxTextureCubemap = 32768;
  Set(P.maxTexture1DLayered, {32768, 2048});
  Set(P.maxTexture2DLayered, {32768, 32768, 2048});
  Set(P.maxTextureCubemapLayered, {32768, 2046});
  P.maxSurface1D = 32768;
  Set(P.maxSurface2D, {131072, 65536});
  Set(P.maxSurface3D, {16384, 16384, 16384});
  Set(P.maxSurface1DLayered, {32768, 2048});
  Set(P.maxSurface2DLayered, {32768, 32768, 2048});
  P.maxSurfaceCubemap = 32768;
  Set(P.maxSurfaceCubemapLayered, {32768, 2046});
}

/// Returns the limit that an attribute of textures or surfaces asks for;
/// nothing for other attributes.
static std::optional<int> textureLimit(const cudaDeviceProp &P,
                                       cudaDeviceAttr Attribute) {
  switch (Attribute) {
  case cudaDevAttrMaxTexture1DWidth:
    return P.maxTexture1D;
  case cudaDevAttrMaxTexture1DMipmappedWidth:
    return P.maxTexture1DMipmap;
  case cudaDevAttrMaxTexture1DLinearWidth:
    return 1 << 28;
  case cudaDevAttrMaxTexture2DWidth:
  case cudaDevAttrMaxTexture2DHeight:
    return P.maxTexture2D[Attribute - cudaDevAttrMaxTexture2DWidth];
  case cudaDevAttrMaxTexture2DMipmappedWidth:
  case cudaDevAttrMaxTexture2DMipmappedHeight:
    return P
        .maxTexture2DMipmap[Attribute - cudaDevAttrMaxTexture2DMipmappedWidth];
  case cudaDevAttrMaxTexture2DLinearWidth:
  case cudaDevAttrMaxTexture2DLinearHeight:
  case cudaDevAttrMaxTexture2DLinearPitch:
    return P.maxTexture2DLinear[Attribute - cudaDevAttrMaxTexture2DLinearWidth];
  case cudaDevAttrMaxTexture2DGatherWidth:
  case cudaDevAttrMaxTexture2DGatherHeight:
    return P.maxTexture2DGather[Attribute - cudaDevAttrMaxTexture2DGatherWidth];
  case cudaDevAttrMaxTexture3DWidth:
  case cudaDevAttrMaxTexture3DHeight:
  case cudaDevAttrMaxTexture3DDepth:
    return P.maxTexture3D[Attribute - cudaDevAttrMaxTexture3DWidth];
  case cudaDevAttrMaxTexture3DWidthAlt:
  case cudaDevAttrMaxTexture3DHeightAlt:
  case cudaDevAttrMaxTexture3DDepthAlt:
    return P.maxTexture3DAlt[Attribute - cudaDevAttrMaxTexture3DWidthAlt];
  case cudaDevAttrMaxTextureCubemapWidth:
    return P.maxTextureCubemap;
  case cudaDevAttrMaxTexture1DLayeredWidth:
  case cudaDevAttrMaxTexture1DLayeredLayers:
    return P
        .maxTexture1DLayered[Attribute - cudaDevAttrMaxTexture1DLayeredWidth];
  case cudaDevAttrMaxTexture2DLayeredWidth:
  case cudaDevAttrMaxTexture2DLayeredHeight:
  case cudaDevAttrMaxTexture2DLayeredLayers:
    return P
        .maxTexture2DLayered[Attribute - cudaDevAttrMaxTexture2DLayeredWidth];
  case cudaDevAttrMaxTextureCubemapLayeredWidth:
  case cudaDevAttrMaxTextureCubemapLayeredLayers:
    return P.maxTextureCubemapLayered[Attribute -
                                      cudaDevAttrMaxTextureCubemapLayeredWidth];
  case cudaDevAttrMaxSurface1DWidth:
    return P.maxSurface1D;
  case cudaDevAttrMaxSurface2DWidth:
  case cudaDevAttrMaxSurface2DHeight:
    return P.maxSurface2D[Attribute - cudaDevAttrMaxSurface2DWidth];
  case cudaDevAttrMaxSurface3DWidth:
  case cudaDevAttrMaxSurface3DHeight:
  case cudaDevAttrMaxSurface3DDepth:
    return P.maxSurface3D[Attribute - cudaDevAttrMaxSurface3DWidth];
  case cudaDevAttrMaxSurface1DLayeredWidth:
  case cudaDevAttrMaxSurface1DLayeredLayers:
    return P
        .maxSurface1DLayered[Attribute - cudaDevAttrMaxSurface1DLayeredWidth];
  case cudaDevAttrMaxSurface2DLayeredWidth:
  case cudaDevAttrMaxSurface2DLayeredHeight:
  case cudaDevAttrMaxSurface2DLayeredLayers:
    return P
        .maxSurface2DLayered[Attribute - cudaDevAttrMaxSurface2DLayeredWidth];
  case cudaDevAttrMaxSurfaceCubemapWidth:
    return P.maxSurfaceCubemap;
  case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
  case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
    return P.maxSurfaceCubemapLayered[Attribute -
                                      cudaDevAttrMaxSurfaceCubemapLayeredWidth];
  case cudaDevAttrTextureAlignment:
    return static_cast<int>(P.textureAlignment);
  case cudaDevAttrTexturePitchAlignment:
    return static_cast<int>(P.texturePitchAlignment);
  case cudaDevAttrSurfaceAlignment:
    return static_cast<int>(P.surfaceAlignment);
  default:
    return std::nullopt;
  }
}

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
  setTextureLimits(P);
  // Read from a file of the system, which each launch would wait for.
  static const int Processors =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  P.multiProcessorCount = Processors;
  P.canMapHostMemory = 1;
  P.concurrentKernels = 1;
  P.asyncEngineCount = 2;
  P.unifiedAddressing = 1;
  P.memoryBusWidth = 64;
  P.l2CacheSize = 1 << 20;
  P.persistingL2CacheMaxSize = P.accessPolicyMaxWindowSize = P.l2CacheSize;
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
  case cudaDevAttrMultiProcessorCount:
    Out = P.multiProcessorCount;
    break;
  case cudaDevAttrGlobalMemoryBusWidth:
    Out = P.memoryBusWidth;
    break;
  case cudaDevAttrL2CacheSize:
    Out = P.l2CacheSize;
    break;
  case cudaDevAttrMaxPersistingL2CacheSize:
    Out = P.persistingL2CacheMaxSize;
    break;
  case cudaDevAttrMaxAccessPolicyWindowSize:
    Out = P.accessPolicyMaxWindowSize;
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
    // Other features are not there.
    Out = textureLimit(P, Attribute).value_or(0);
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
