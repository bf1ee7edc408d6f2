//===- CudaBackend.h - GPUs through the CUDA driver -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Backend of NVIDIA GPUs. It forwards to its parts: Memory, UnifiedMemory,
// Launcher, PeerlessCopies, IndexScan, Textures, and the driver itself. Its
// functions are in CudaBackend.cpp (set-up, streams, symbols),
// CudaBackendMemory.cpp and CudaBackendWork.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_CUDABACKEND_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_CUDABACKEND_H

#include "runtime/backend/CreateBackend.h"
#include "runtime/backend/cuda/Combiner.h"
#include "runtime/backend/cuda/IndexScan.h"
#include "runtime/backend/cuda/LateDevices.h"
#include "runtime/backend/cuda/Launcher.h"
#include "runtime/backend/cuda/Memory.h"
#include "runtime/backend/cuda/PeerlessCopies.h"
#include "runtime/backend/cuda/RecordConverter.h"
#include "runtime/backend/cuda/Textures.h"
#include "runtime/backend/cuda/UnifiedMemory.h"

namespace gridspan::cuda {

class CudaBackend final : public Backend {
public:
  /// HostPages: hostPagesWork of them, which may take as long as an allocation.
  CudaBackend(DeviceList Opened, const CudaBackendOptions &Options,
              bool HostPages);
  ~CudaBackend() override;

  const char *name() const override { return "cuda"; }
  const SystemInfo &system() const override { return Info; }
  bool isReady() const override { return Late.isReady(); }
  void prepare() override { Late.begin(); }
  bool waitUntilReady() override { return Late.wait(); }
  void setBeforeReady(std::function<cudaError_t()> Work) override {
    Late.setLastStep(std::move(Work));
  }

  cudaError_t reserve(size_t Bytes, void *&Address) override;
  cudaError_t reserveAt(void *Address, size_t Bytes) override {
    return Mem.reserveAt(Address, Bytes);
  }
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
                       Location To) override;
  cudaError_t advise(void *Address, size_t Bytes, cudaMemoryAdvise Advice,
                     Location Where) override;

  cudaError_t hostAlloc(size_t Bytes, unsigned Flags, void *&Out) override;
  cudaError_t hostFree(void *Address) override;
  cudaError_t hostRegister(void *Address, size_t Bytes,
                           unsigned Flags) override;
  cudaError_t hostUnregister(void *Address) override;
  bool isPinned(const void *Address, size_t Bytes) override;
  bool isPageable(const void *Address, size_t Bytes) override;
  bool isForeignDeviceMemory(const void *Address) override;

  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override;
  cudaError_t adoptStream(cudaStream_t Native,
                          std::unique_ptr<Stream> &Out) override;
  cudaError_t synchronize(Stream &S) override;
  cudaError_t query(Stream &S) override;
  cudaError_t synchronizeDevice(int Device) override;
  cudaError_t synchronizeAll() override;
  bool isCapturing(Stream &S) override;
  cudaError_t createEvent(int Device, unsigned Flags,
                          std::unique_ptr<Event> &Out) override;
  cudaError_t adoptEvent(cudaEvent_t Native,
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
  cudaError_t copyBehind(Stream &S, std::span<Event *const> Behind, void *Dst,
                         size_t DstPitch, const void *Src, size_t SrcPitch,
                         size_t Width, size_t Height) override;
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override;
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override;
  cudaError_t convertRecords(Stream &S, const RecordForm &Form,
                             FormDirection Direction, void *Records,
                             void *Fields, uint64_t Bytes) override;
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From,
                      uint64_t Count) override;
  cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                          unsigned ElementBytes, uint64_t PerLeaf,
                          IndexBounds *Out) override;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override;
  unsigned argumentWords(const LaunchTarget &Target, void *const *Args,
                         void **Out, unsigned Most) override;
  cudaError_t hostFunction(Stream &S, std::function<void()> Fn) override;
  cudaError_t waitForWord(Stream &S, const uint64_t *Word,
                          uint64_t Value) override;

  cudaError_t createArray(int Device, cudaTextureObject_t Texture,
                          std::unique_ptr<ArrayCopy> &Out) override {
    return Texturing.createArray(Device, Texture, Out);
  }
  cudaError_t copyArray(Stream &S, ArrayCopy &To,
                        cudaTextureObject_t From) override;
  cudaError_t createTexture(int Device, cudaTextureObject_t Texture,
                            ArrayCopy *Array,
                            std::unique_ptr<TextureCopy> &Out) override {
    return Texturing.createTexture(Device, Texture, Array, Out);
  }

  cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                     size_t &Bytes) override;
  void forget(const GridspanModule *) override { Launches.forget(); }
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
  cudaError_t vendorError(bool Clear) override;
  int driverVersion() const override;
  bool isInForeignContext() const override;

private:
  std::string measurementKey() const;
  CUresult prepareDevice(int Device);
  /// Returns true if S's device reaches memory of both homes.
  bool reaches(const Stream &S, Location To, Location From) const;
  /// Returns true if neither is the host and S's device does not reach both.
  bool isPeerless(const Stream &S, Location To, Location From) const {
    return To != Host && From != Host && !reaches(S, To, From);
  }
  /// Calls Give with the stream that shall work on memory of To and From: S, or
  /// one of the device that owns the memory. Returns Give's error.
  template <typename Function>
  cudaError_t give(Stream &S, Location To, Location From, Function Give);
  /// Counts at its end that a device has been given work. Not before: a thread
  /// that waits meanwhile would take the work for waited for.
  class [[nodiscard]] WorkNote {
  public:
    explicit WorkNote(std::atomic<uint64_t> *Count) : Count(Count) {}
    ~WorkNote() {
      if (Count)
        Count->fetch_add(1, std::memory_order_relaxed);
    }
    WorkNote(const WorkNote &) = delete;
    WorkNote &operator=(const WorkNote &) = delete;

  private:
    std::atomic<uint64_t> *Count;
  };
  /// Notes that S is given work for as long as the result lives.
  WorkNote noteWork(const Stream &S) {
    return WorkNote(S.device() ? &Given[S.device()] : nullptr);
  }

  DeviceList Devices;
  const Driver &D;
  std::vector<std::vector<bool>> MayAccess;
  Memory Mem;
  UnifiedMemory Unified;
  PeerlessCopies Peerless;
  Launcher Launches;
  IndexScan Scans;
  Combiner Combines;
  RecordConverter Forms;
  Textures Texturing;
  SystemInfo Info;
  /// Counts, by device but 0, of pieces of work it was given, and of those that
  /// synchronizeAll has waited for.
  std::unique_ptr<std::atomic<uint64_t>[]> Given, Waited;
  /// Last, as its thread uses the others.
  LateDevices Late;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_CUDABACKEND_H
