//===- CpuBackend.h - Devices that are threads of this process --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Backend of machines without a GPU, of tests, and of access traces. Memory
// is memfd pages mapped at reserved addresses, every stream has a thread, and
// the KernelRunner runs a kernel on it and on the threads of its device.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_CPUBACKEND_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_CPUBACKEND_H

#include "runtime/backend/CreateBackend.h"
#include "runtime/backend/cpu/CpuImages.h"
#include "runtime/backend/cpu/CpuMemory.h"
#include "runtime/backend/cpu/CpuStream.h"
#include "runtime/backend/cpu/PinnedMemory.h"
#include "runtime/backend/cpu/ReachMap.h"
#include "runtime/support/ThreadSafety.h"
#include "runtime/support/WorkerPool.h"
#include <atomic>
#include <cuda_runtime_api.h>
#include <map>

namespace gridspan {

class CpuBackend : public Backend {
public:
  explicit CpuBackend(const CpuBackendOptions &Options);
  ~CpuBackend() override;

  const char *name() const override { return "cpu"; }
  const SystemInfo &system() const override { return System; }

  cudaError_t reserve(size_t Bytes, void *&Address) override;
  cudaError_t reserveAt(void *Address, size_t Bytes) override;
  void release(void *Address, size_t Bytes) override;
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override;
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Bytes) override;
  cudaError_t unmap(void *Address, size_t Bytes) override;
  void memoryInfo(Location Where, size_t &Free, size_t &Total) override;
  cudaError_t createShareablePages(int Device, size_t Bytes,
                                   std::unique_ptr<Pages> &Out) override;
  cudaError_t exportPages(const Pages &P, SharedPages &Out) override;
  cudaError_t importPages(const SharedPages &From,
                          std::unique_ptr<Pages> &Out) override;

  cudaError_t unifiedAlloc(size_t Bytes, void *&Out) override;
  cudaError_t unifiedFree(void *Address) override;
  cudaError_t preferHome(void *Address, size_t Bytes, Location From,
                         Location To) override;
  cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                       Location To) override {
    return cudaSuccess;
  }
  cudaError_t advise(void *Address, size_t Bytes, cudaMemoryAdvise Advice,
                     Location Where) override {
    return cudaSuccess;
  }

  cudaError_t hostAlloc(size_t Bytes, unsigned Flags, void *&Out) override;
  cudaError_t hostFree(void *Address) override;
  cudaError_t hostRegister(void *Address, size_t Bytes,
                           unsigned Flags) override;
  cudaError_t hostUnregister(void *Address) override;
  bool isPinned(const void *Address, size_t Bytes) override;
  bool isPageable(const void *Address, size_t Bytes) override;

  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override;
  cudaError_t synchronize(Stream &S) override;
  cudaError_t query(Stream &S) override;
  cudaError_t synchronizeDevice(int Device) override;
  /// Returns false: capture is not supported, and cudaStreamBeginCapture fails.
  bool isCapturing(Stream &S) override { return false; }

  cudaError_t createEvent(int Device, unsigned Flags,
                          std::unique_ptr<Event> &Out) override;
  cudaError_t exportEvent(const Event &E, FileDescriptor &Out) override;
  cudaError_t importEvent(FileDescriptor From,
                          std::unique_ptr<Event> &Out) override;
  cudaError_t record(Event &E, Stream &S) override;
  cudaError_t wait(Stream &S, Event &E) override;
  cudaError_t synchronize(Event &E) override;
  cudaError_t query(Event &E) override;
  cudaError_t elapsed(Event &From, Event &To, float &Ms) override;

  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override;
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override;
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override;
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From,
                      uint64_t Count) override;
  cudaError_t convertRecords(Stream &S, const RecordForm &Form,
                             FormDirection Direction, void *Records,
                             void *Fields, uint64_t Bytes) override;
  cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                          unsigned ElementBytes, uint64_t PerLeaf,
                          IndexBounds *Out) override;
  cudaError_t copyBehind(Stream &S, std::span<Event *const> Behind, void *Dst,
                         size_t DstPitch, const void *Src, size_t SrcPitch,
                         size_t Width, size_t Height) override;
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override;
  cudaError_t hostFunction(Stream &S, std::function<void()> Fn) override;

  cudaError_t createArray(int Device, cudaTextureObject_t Texture,
                          std::unique_ptr<ArrayCopy> &Out) override;
  cudaError_t copyArray(Stream &S, ArrayCopy &To,
                        cudaTextureObject_t From) override;
  cudaError_t createTexture(int Device, cudaTextureObject_t Texture,
                            ArrayCopy *Array,
                            std::unique_ptr<TextureCopy> &Out) override;

  cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                     size_t &Bytes) override;
  void forget(const GridspanModule *Module) override;
  cudaError_t functionAttributes(const LaunchTarget &Target,
                                 cudaFuncAttributes &Out) override;
  cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute,
                                   int Value) override;
  cudaError_t occupancy(const LaunchTarget &Target, int BlockThreads,
                        size_t DynamicSharedBytes, unsigned Flags,
                        int &BlocksPerMultiprocessor) override;

  cudaError_t properties(int Device, cudaDeviceProp &Out) override;
  cudaError_t attribute(int Device, cudaDeviceAttr Attribute,
                        int &Out) override;
  cudaError_t vendorError(bool Clear) override { return cudaSuccess; }
  int driverVersion() const override { return CUDART_VERSION; }

private:
  /// Returns true if a copy of this memory may be left to the stream.
  bool isAsynchronous(const void *Address, size_t Bytes);
  bool isReserved(const void *Address) const;
  /// Returns an error if the kernel cannot run here, and prints the reason once
  /// for each kernel.
  cudaError_t explainUnrunnable(const LaunchTarget &Target,
                                const LaunchShape &Shape);
  size_t dynamicSharedLimit(const GridspanKernel *Kernel);

  const bool HasUnified;
  const bool SharesAddresses;
  const std::vector<double> Speeds; ///< of the first devices
  SystemInfo System;
  std::vector<std::shared_ptr<CpuMemory>> Memories; ///< by device
  std::vector<std::shared_ptr<WorkerPool>> Workers; ///< by device
  std::shared_ptr<CpuMemory> HostPages;
  /// Null if all devices reach all memory.
  std::shared_ptr<ReachMap> Reach;
  PinnedMemory Pinned;
  CpuImages Images;
  /// The first error of work in a stream. It is sticky, as on a GPU.
  std::shared_ptr<std::atomic<cudaError_t>> Error =
      std::make_shared<std::atomic<cudaError_t>>(cudaSuccess);
  std::vector<std::shared_ptr<CpuStreamGroup>> Groups; ///< by device
  /// Of copyBehind, by the device that writes.
  std::vector<std::unique_ptr<CpuStream>> Readers;

  mutable SharedMutex ReservedLock;
  struct ReservedRange {
    size_t Bytes;
    size_t GuardBytes; ///< reserved on either side, beyond Bytes
  };
  std::map<uintptr_t, ReservedRange> Reserved GUARDED_BY(ReservedLock);

  Mutex AttributeLock;
  std::map<const GridspanKernel *, size_t>
      DynamicShared GUARDED_BY(AttributeLock);
  std::map<const GridspanKernel *, bool> Explained GUARDED_BY(AttributeLock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_CPUBACKEND_H
