//===- CpuBackendWork.cpp - Work of CPU devices ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies, launches, symbols and functions. Work becomes a task of the stream's
// queue, with copies of all that the program may change once the call returns:
// a launch's arguments, and small pageable sources of copies.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/IndexTable.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/backend/RecordForm.h"
#include "runtime/backend/Reduction.h"
#include "runtime/backend/Registry.h"
#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/backend/cpu/CpuProperties.h"
#include "runtime/backend/cpu/KernelRunner.h"
#include "runtime/support/Demangle.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#include <fmt/format.h>

#if defined(__has_feature) && __has_feature(thread_sanitizer)
extern "C" void AnnotateIgnoreReadsBegin(const char *File, int Line);
extern "C" void AnnotateIgnoreReadsEnd(const char *File, int Line);
#endif

namespace gridspan {

//===--- Copies ---------------------------------------------------------===//

/// The most bytes of a pageable source that are copied aside for the stream.
static constexpr size_t MaxCopiedAside = 64 << 10;

/// Copies as a device does, which reads managed memory while the host writes
/// bytes of it that nobody else wants. Writes stay under ThreadSanitizer's
/// eyes.
static void copyAsDevice(void *Dst, const void *Src, size_t Bytes) {
#if defined(__has_feature) && __has_feature(thread_sanitizer)
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
#endif
  std::memmove(Dst, Src, Bytes);
#if defined(__has_feature) && __has_feature(thread_sanitizer)
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

/// The same of rows.
static void copyRowsAsDevice(void *Dst, size_t DstPitch, const void *Src,
                             size_t SrcPitch, size_t Width, size_t Height) {
  for (size_t Row = 0; Row != Height; ++Row)
    copyAsDevice(static_cast<std::byte *>(Dst) + Row * DstPitch,
                 static_cast<const std::byte *>(Src) + Row * SrcPitch, Width);
}

bool CpuBackend::isAsynchronous(const void *Address, size_t Bytes) {
  return isReserved(Address) || Pinned.contains(Address, Bytes) ||
         Images.contains(Address, Bytes);
}

cudaError_t CpuBackend::copy(Stream &S, void *Dst, const void *Src,
                             size_t Bytes) {
  if (Bytes == 0)
    return cudaSuccess;
  // As on a GPU, the program may write a pageable source, and read a pageable
  // destination, as soon as this returns.
  const bool SourceStays = isAsynchronous(Src, Bytes);
  const bool MayReturn = isAsynchronous(Dst, Bytes);
  if (!SourceStays && MayReturn && Bytes <= MaxCopiedAside) {
    auto *From = static_cast<const std::byte *>(Src);
    cpu(S).pushWork(
        [Dst, Contents = std::vector<std::byte>(From, From + Bytes)] {
          std::memcpy(Dst, Contents.data(), Contents.size());
          return cudaSuccess;
        });
    return cudaSuccess;
  }
  QueuePoint End = cpu(S).pushWork([=] {
    copyAsDevice(Dst, Src, Bytes);
    return cudaSuccess;
  });
  if (!SourceStays || !MayReturn)
    End.wait();
  return cudaSuccess;
}

cudaError_t CpuBackend::copy2D(Stream &S, void *Dst, size_t DstPitch,
                               const void *Src, size_t SrcPitch, size_t Width,
                               size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  QueuePoint End = cpu(S).pushWork([=] {
    copyRowsAsDevice(Dst, DstPitch, Src, SrcPitch, Width, Height);
    return cudaSuccess;
  });
  if (!isAsynchronous(Src, (Height - 1) * SrcPitch + Width) ||
      !isAsynchronous(Dst, (Height - 1) * DstPitch + Width))
    End.wait();
  return cudaSuccess;
}

/// The most bytes that are read early. They need as much memory meanwhile.
static constexpr size_t MaxReadEarly = 4 << 20;

/// Reads as early as it may, whatever S holds: that it may is to be tested.
cudaError_t CpuBackend::copyBehind(Stream &S, std::span<Event *const> Behind,
                                   void *Dst, size_t DstPitch, const void *Src,
                                   size_t SrcPitch, size_t Width,
                                   size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  if (Width > MaxReadEarly / Height ||
      !isAsynchronous(Src, (Height - 1) * SrcPitch + Width) ||
      !isAsynchronous(Dst, (Height - 1) * DstPitch + Width))
    return Backend::copyBehind(S, Behind, Dst, DstPitch, Src, SrcPitch, Width,
                               Height);
  auto Between = std::make_shared<std::vector<std::byte>>(Width * Height);
  CpuStream &Reader = *Readers[S.device()];
  for (Event *E : Behind)
    if (cudaError_t Error = wait(Reader, *E))
      return Error;
  QueuePoint IsRead = Reader.pushWork([=] {
    copyRowsAsDevice(Between->data(), Width, Src, SrcPitch, Width, Height);
    return cudaSuccess;
  });
  cpu(S).pushWork(
      [=] {
        for (size_t Row = 0; Row != Height; ++Row)
          std::memcpy(static_cast<std::byte *>(Dst) + Row * DstPitch,
                      Between->data() + Row * Width, Width);
        return cudaSuccess;
      },
      {std::move(IsRead)});
  return cudaSuccess;
}

cudaError_t CpuBackend::fill(Stream &S, void *Dst, int Byte, size_t Bytes) {
  if (!isAsynchronous(Dst, Bytes))
    return cudaErrorInvalidValue; // not memory of a device
  cpu(S).pushWork([=] {
    std::memset(Dst, Byte, Bytes);
    return cudaSuccess;
  });
  return cudaSuccess;
}

cudaError_t CpuBackend::indexBounds(Stream &S, const void *From, uint64_t Count,
                                    unsigned ElementBytes, uint64_t PerLeaf,
                                    IndexBounds *Out) {
  cpu(S).pushWork([=] {
    scanIndices(From, Count, ElementBytes, PerLeaf, Out);
    return cudaSuccess;
  });
  return cudaSuccess;
}

cudaError_t CpuBackend::fillIdentity(Stream &S, GridspanReduction Kind,
                                     void *Dst, uint64_t Count) {
  if (elementBytes(Kind) == 0)
    return cudaErrorInvalidValue;
  cpu(S).pushWork([=] {
    fillIdentityOnHost(Kind, Dst, Count);
    return cudaSuccess;
  });
  return cudaSuccess;
}

cudaError_t CpuBackend::combine(Stream &S, GridspanReduction Kind, void *Into,
                                std::span<const void *const> From,
                                uint64_t Count) {
  if (elementBytes(Kind) == 0)
    return cudaErrorInvalidValue;
  cpu(S).pushWork(
      [=, Parts = std::vector<const void *>(From.begin(), From.end())] {
        for (const void *Part : Parts)
          combineOnHost(Kind, Into, Part, Count);
        return cudaSuccess;
      });
  return cudaSuccess;
}

cudaError_t CpuBackend::convertRecords(Stream &S, const RecordForm &Form,
                                       FormDirection Direction, void *Records,
                                       void *Fields, uint64_t Bytes) {
  cpu(S).pushWork([=] {
    convertRecordsOnHost(Form, Direction, static_cast<std::byte *>(Records),
                         static_cast<std::byte *>(Fields), Bytes);
    return cudaSuccess;
  });
  return cudaSuccess;
}

cudaError_t CpuBackend::hostFunction(Stream &S, std::function<void()> Fn) {
  // Not called once the device has failed, as CUDA documents.
  cpu(S).pushWork([Fn = std::move(Fn)] {
    Fn();
    return cudaSuccess;
  });
  return cudaSuccess;
}

//===--- Launches -------------------------------------------------------===//

/// Returns the code of Target. Precondition: its kernel has code.
static const GridspanCpuKernel *codeOf(const LaunchTarget &Target) {
  assert(Target.Kernel && Target.Kernel->Cpu);
  const GridspanCpuKernel *NoAlias = Target.Kernel->CpuNoAlias;
  return Target.NoAlias && NoAlias && !NoAlias->Unsupported
             ? NoAlias
             : Target.Kernel->Cpu;
}

/// Returns how many blocks have to be in a cluster.
static uint64_t clusterBlocks(const LaunchShape &Shape) {
  uint64_t Out = 1;
  for (unsigned I = 0; I != Shape.NumAttributes; ++I) {
    const cudaLaunchAttribute &A = Shape.Attributes[I];
    if (A.id == cudaLaunchAttributeClusterDimension)
      Out = uint64_t(A.val.clusterDim.x) * A.val.clusterDim.y *
            A.val.clusterDim.z;
  }
  return Out;
}

cudaError_t CpuBackend::explainUnrunnable(const LaunchTarget &Target,
                                          const LaunchShape &Shape) {
  const GridspanKernel *K = Target.Kernel;
  std::string Why;
  cudaError_t Error = cudaErrorInvalidDeviceFunction;
  if (!K) {
    const std::string Name = Registry::get().nameOfFunction(Target.Function);
    if (Name.empty())
      return Error; // no kernel at all
    Why = fmt::format("gridspan: {} was not compiled with Gridspan: it cannot "
                      "run on the CPU device",
                      demangled(Name.c_str()));
  } else if (!K->Cpu) {
    Why = fmt::format("gridspan: {} was compiled without code for the CPU "
                      "device",
                      K->Name);
  } else if (K->Cpu->Unsupported) {
    Why = fmt::format("gridspan: {} cannot run on the CPU device: {}", K->Name,
                      K->Cpu->Unsupported);
    Error = cudaErrorNotSupported;
  } else if (clusterBlocks(Shape) > 1 && !maySplit(*K)) {
    // Each block is a cluster of its own here. What may be split does not know
    // of clusters; of others that is not known.
    Why = fmt::format("gridspan: {} cannot run on the CPU device in clusters "
                      "of several blocks",
                      demangled(K->Name));
    Error = cudaErrorNotSupported;
  } else {
    return cudaSuccess;
  }
  MutexLock Guard(AttributeLock);
  if (!std::exchange(Explained[K], true))
    fmt::print(stderr, "{}\n", Why);
  return Error;
}

/// Returns a copy of the arguments, as the program's may be gone when it runs.
static std::vector<std::byte> packParameters(const GridspanKernel &K,
                                             void *const *Args) {
  size_t Bytes = 0;
  for (uint32_t I = 0; I != K.NumParams; ++I)
    Bytes = std::max<size_t>(Bytes, K.Params[I].Offset + K.Params[I].Size);
  std::vector<std::byte> Out(Bytes);
  for (uint32_t I = 0; I != K.NumParams; ++I)
    std::memcpy(Out.data() + K.Params[I].Offset, Args[I], K.Params[I].Size);
  return Out;
}

/// Returns the blocks that the clone, with its arguments, records, if the
/// others may run the kernel.
static BlockSample sampleOf(const LaunchTarget &Clone, const LaunchShape &Shape,
                            void *const *Args) {
  const LaunchTarget *Of = Clone.Unrecorded;
  if (!Of || !Of->Kernel || !Of->Kernel->Cpu || Shape.Cooperative)
    return {};
  const GridspanCpuKernel &Code = *codeOf(*Of);
  if (!Code.Run || (Code.Flags & GridspanCpuSpins))
    return {};
  const auto &Recorder =
      *static_cast<const GridspanRecorder *>(Args[Clone.Kernel->NumParams - 1]);
  return {Of->Kernel, &Code, Recorder.BlockStep, Recorder.NumBlocks};
}

/// Runs a kernel on a device of that speed, at most 1.
static cudaError_t runSlowed(const CpuLaunch &L, double Speed) {
  const auto Begin = std::chrono::steady_clock::now();
  const cudaError_t Error = runKernel(L);
  if (Speed < 1)
    std::this_thread::sleep_for((std::chrono::steady_clock::now() - Begin) *
                                (1 / Speed - 1));
  return Error;
}

cudaError_t CpuBackend::launch(Stream &S, const LaunchTarget &Target,
                               const LaunchShape &Shape, void *const *Args,
                               const GridspanTile *Tile) {
  if (cudaError_t Unrunnable = explainUnrunnable(Target, Shape))
    return Unrunnable;
  const GridspanModule *Module = Registry::get().moduleOf(Target.Kernel);
  const int Device = S.device();
  CpuLaunch L;
  L.Kernel = Target.Kernel;
  L.Code = codeOf(Target);
  L.Sample = sampleOf(Target, Shape, Args);
  L.Grid = Shape.Grid;
  L.Block = Shape.Block;
  L.Tile = Tile ? *Tile
                : GridspanTile{{0, 0, 0},
                               {Shape.Grid.x, Shape.Grid.y, Shape.Grid.z}};
  L.DynamicSharedBytes = Shape.DynamicSharedBytes;
  L.Cooperative = Shape.Cooperative;
  L.Device = Device;
  L.Reach = Reach;
  L.Image = Images.image(Device, Module ? Module->Cpu : nullptr);
  L.Images = &Images;
  L.Parameters = packParameters(*Target.Kernel, Args);
  L.Workers = Workers[Device];
  const double Speed =
      static_cast<size_t>(Device) < Speeds.size() ? Speeds[Device] : 1;
  cpu(S).pushWork([L = std::move(L), Speed] { return runSlowed(L, Speed); });
  return cudaSuccess;
}

//===--- Symbols and functions ------------------------------------------===//

cudaError_t CpuBackend::symbol(int Device, const void *Symbol, void *&Address,
                               size_t &Bytes) {
  std::optional<DeviceVariable> V = Registry::get().variable(Symbol);
  if (!V || !V->InImage)
    return cudaErrorInvalidSymbol;
  Address = Images.image(Device, V->Module) + V->InImage->Offset;
  Bytes = V->InImage->Size;
  return cudaSuccess;
}

static size_t staticShared(const GridspanKernel *K) {
  return K && K->Cpu ? K->Cpu->StaticSharedBytes : 0;
}

size_t CpuBackend::dynamicSharedLimit(const GridspanKernel *Kernel) {
  MutexLock Guard(AttributeLock);
  auto It = DynamicShared.find(Kernel);
  if (It != DynamicShared.end())
    return It->second;
  const size_t Static = staticShared(Kernel);
  return Static < CpuSharedBytes ? CpuSharedBytes - Static : 0;
}

void CpuBackend::forget(const GridspanModule *Module) {
  if (!Module)
    return;
  if (Module->Cpu)
    Images.forget(Module->Cpu);
  MutexLock Guard(AttributeLock);
  for (uint32_t I = 0; I != Module->NumKernels; ++I) {
    DynamicShared.erase(&Module->Kernels[I]);
    Explained.erase(&Module->Kernels[I]);
  }
}

cudaError_t CpuBackend::functionAttributes(const LaunchTarget &Target,
                                           cudaFuncAttributes &Out) {
  const GridspanKernel *K = Target.Kernel;
  if (!K)
    return cudaErrorInvalidDeviceFunction;
  Out = {};
  Out.sharedSizeBytes = staticShared(K);
  Out.maxThreadsPerBlock =
      K->MaxThreads ? static_cast<int>(K->MaxThreads) : CpuMaxThreadsPerBlock;
  Out.numRegs = 32;
  Out.ptxVersion = Out.binaryVersion = 90;
  Out.maxDynamicSharedSizeBytes = static_cast<int>(dynamicSharedLimit(K));
  Out.preferredShmemCarveout = -1;
  return cudaSuccess;
}

cudaError_t CpuBackend::setFunctionAttribute(const LaunchTarget &Target,
                                             cudaFuncAttribute Attribute,
                                             int Value) {
  const GridspanKernel *K = Target.Kernel;
  if (!K)
    return cudaErrorInvalidDeviceFunction;
  switch (Attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize: {
    const size_t Static = staticShared(K);
    if (Value < 0 || Static + static_cast<size_t>(Value) > CpuSharedBytesOptin)
      return cudaErrorInvalidValue;
    MutexLock Guard(AttributeLock);
    DynamicShared[K] = static_cast<size_t>(Value);
    return cudaSuccess;
  }
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    return Value < -1 || Value > 100 ? cudaErrorInvalidValue : cudaSuccess;
  case cudaFuncAttributeClusterDimMustBeSet:
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    return cudaErrorNotSupported;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t CpuBackend::occupancy(const LaunchTarget &Target, int BlockThreads,
                                  size_t DynamicSharedBytes, unsigned Flags,
                                  int &Blocks) {
  if (!Target.Kernel)
    return cudaErrorInvalidDeviceFunction;
  if (BlockThreads <= 0)
    return cudaErrorInvalidValue;
  Blocks = cpuOccupancy(BlockThreads,
                        staticShared(Target.Kernel) + DynamicSharedBytes);
  return cudaSuccess;
}

//===--- Properties -----------------------------------------------------===//

cudaError_t CpuBackend::properties(int Device, cudaDeviceProp &Out) {
  Out = cpuDeviceProperties(Device, System.Devices[Device].MemoryBytes);
  return cudaSuccess;
}

cudaError_t CpuBackend::attribute(int Device, cudaDeviceAttr Attribute,
                                  int &Out) {
  return cpuDeviceAttribute(
      cpuDeviceProperties(Device, System.Devices[Device].MemoryBytes),
      Attribute, Out);
}

} // namespace gridspan
