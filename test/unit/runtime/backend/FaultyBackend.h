//===- FaultyBackend.h - A backend of which one call fails ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the calls that a driver may refuse, and refuses the one with a given
// number, once: it does nothing and returns an error. Calls that wait or end
// something do their work and return an error of earlier work, as drivers do.
// Also counts resources that are taken and given back, so that tests find
// leaks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_FAULTYBACKEND_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_FAULTYBACKEND_H

#include "runtime/backend/ForwardingBackend.h"
#include <atomic>
#include <string>

namespace gridspan {

/// Counts of calls and resources; outlives the backend.
struct FaultPlan {
  std::atomic<int64_t> Calls{0};
  std::atomic<int64_t> FailAt{-1}; ///< number of the call; -1: none
  std::atomic<const char *> Failed{
      nullptr};                       ///< the name of the call that failed
  std::atomic<int64_t> Reserved{0};   ///< bytes
  std::atomic<int64_t> Mapped{0};     ///< bytes
  std::atomic<int64_t> Unified{0};    ///< allocations
  std::atomic<int64_t> Pinned{0};     ///< blocks
  std::atomic<int64_t> Registered{0}; ///< ranges of the host's memory
};

class FaultyBackend final : public ForwardingBackend {
public:
  FaultyBackend(std::unique_ptr<Backend> Inner, FaultPlan &Plan)
      : ForwardingBackend(std::move(Inner)), Plan(Plan),
        Info(inner().system()) {
    // So that a few short launches are worth moving pages for.
    Info.StopSeconds = 0;
  }

  const SystemInfo &system() const override { return Info; }

  cudaError_t reserve(size_t Bytes, void *&Address) override {
    if (fails("reserve"))
      return cudaErrorMemoryAllocation;
    return counted(inner().reserve(Bytes, Address), Plan.Reserved, Bytes);
  }
  void release(void *Address, size_t Bytes) override {
    Plan.Reserved -= static_cast<int64_t>(Bytes);
    inner().release(Address, Bytes);
  }
  cudaError_t createHostPagesFor(int Device, size_t Bytes,
                                 std::unique_ptr<Pages> &Out) override {
    return fails("createPages")
               ? cudaErrorMemoryAllocation
               : inner().createHostPagesFor(Device, Bytes, Out);
  }
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    return fails("createPages") ? cudaErrorMemoryAllocation
                                : inner().createPages(Where, Bytes, Out);
  }
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Bytes) override {
    if (fails("map"))
      return cudaErrorMemoryAllocation;
    return counted(inner().map(Address, P, Offset, Bytes), Plan.Mapped, Bytes);
  }
  cudaError_t unmap(void *Address, size_t Bytes) override {
    Plan.Mapped -= static_cast<int64_t>(Bytes);
    return inner().unmap(Address, Bytes);
  }
  cudaError_t unifiedAlloc(size_t Bytes, void *&Out) override {
    if (fails("unifiedAlloc"))
      return cudaErrorMemoryAllocation;
    return counted(inner().unifiedAlloc(Bytes, Out), Plan.Unified, 1);
  }
  cudaError_t unifiedFree(void *Address) override {
    return counted(inner().unifiedFree(Address), Plan.Unified, -1);
  }
  cudaError_t preferHome(void *Address, size_t Bytes, Location From,
                         Location To) override {
    // Giving up a home cannot fail.
    return To != Host && fails("preferHome")
               ? cudaErrorMemoryAllocation
               : inner().preferHome(Address, Bytes, From, To);
  }
  cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                       Location To) override {
    return fails("prefetch") ? cudaErrorUnknown
                             : inner().prefetch(S, Address, Bytes, To);
  }
  cudaError_t hostAlloc(size_t Bytes, unsigned Flags, void *&Out) override {
    if (fails("hostAlloc"))
      return cudaErrorMemoryAllocation;
    return counted(inner().hostAlloc(Bytes, Flags, Out), Plan.Pinned, 1);
  }
  cudaError_t hostFree(void *Address) override {
    return counted(inner().hostFree(Address), Plan.Pinned, -1);
  }
  cudaError_t hostRegister(void *Address, size_t Bytes,
                           unsigned Flags) override {
    if (fails("hostRegister"))
      return cudaErrorMemoryAllocation;
    return counted(inner().hostRegister(Address, Bytes, Flags), Plan.Registered,
                   1);
  }
  cudaError_t hostUnregister(void *Address) override {
    const cudaError_t Error =
        counted(inner().hostUnregister(Address), Plan.Registered, -1);
    return fails("hostUnregister") ? cudaErrorUnknown : Error;
  }
  cudaError_t synchronize(Stream &S) override {
    const cudaError_t Error = inner().synchronize(S);
    return fails("synchronize stream") ? cudaErrorUnknown : Error;
  }
  cudaError_t synchronize(Event &E) override {
    const cudaError_t Error = inner().synchronize(E);
    return fails("synchronize event") ? cudaErrorUnknown : Error;
  }
  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override {
    return fails("createStream")
               ? cudaErrorMemoryAllocation
               : inner().createStream(Device, Kind, Priority, Out);
  }
  cudaError_t createEvent(int Device, unsigned Flags,
                          std::unique_ptr<Event> &Out) override {
    return fails("createEvent") ? cudaErrorMemoryAllocation
                                : inner().createEvent(Device, Flags, Out);
  }
  cudaError_t record(Event &E, Stream &S) override {
    return fails("record") ? cudaErrorUnknown : inner().record(E, S);
  }
  cudaError_t wait(Stream &S, Event &E) override {
    return fails("wait") ? cudaErrorUnknown : inner().wait(S, E);
  }
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    return fails("copy") ? cudaErrorUnknown : inner().copy(S, Dst, Src, Bytes);
  }
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override {
    return fails("copy2D")
               ? cudaErrorUnknown
               : inner().copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Height);
  }
  cudaError_t copyBehind(Stream &S, std::span<Event *const> Behind, void *Dst,
                         size_t DstPitch, const void *Src, size_t SrcPitch,
                         size_t Width, size_t Height) override {
    return fails("copyBehind")
               ? cudaErrorUnknown
               : inner().copyBehind(S, Behind, Dst, DstPitch, Src, SrcPitch,
                                    Width, Height);
  }
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override {
    return fails("fill") ? cudaErrorUnknown : inner().fill(S, Dst, Byte, Bytes);
  }
  cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                          unsigned ElementBytes, uint64_t PerLeaf,
                          IndexBounds *Out) override {
    return fails("indexBounds")
               ? cudaErrorUnknown
               : inner().indexBounds(S, From, Count, ElementBytes, PerLeaf,
                                     Out);
  }
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override {
    return fails("fillIdentity") ? cudaErrorUnknown
                                 : inner().fillIdentity(S, Kind, Dst, Count);
  }
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From,
                      uint64_t Count) override {
    return fails("combine") ? cudaErrorUnknown
                            : inner().combine(S, Kind, Into, From, Count);
  }
  cudaError_t createArray(int Device, cudaTextureObject_t Texture,
                          std::unique_ptr<ArrayCopy> &Out) override {
    return fails("createArray") ? cudaErrorMemoryAllocation
                                : inner().createArray(Device, Texture, Out);
  }
  cudaError_t copyArray(Stream &S, ArrayCopy &To,
                        cudaTextureObject_t From) override {
    return fails("copyArray") ? cudaErrorUnknown
                              : inner().copyArray(S, To, From);
  }
  cudaError_t createTexture(int Device, cudaTextureObject_t Texture,
                            ArrayCopy *Array,
                            std::unique_ptr<TextureCopy> &Out) override {
    return fails("createTexture")
               ? cudaErrorMemoryAllocation
               : inner().createTexture(Device, Texture, Array, Out);
  }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    return fails("launch") ? cudaErrorLaunchOutOfResources
                           : inner().launch(S, Target, Shape, Args, Tile);
  }

private:
  bool fails(const char *Name) {
    if (Plan.Calls++ != Plan.FailAt)
      return false;
    Plan.Failed = Name;
    return true;
  }
  static cudaError_t counted(cudaError_t Error, std::atomic<int64_t> &Counter,
                             int64_t More) {
    if (!Error)
      Counter += More;
    return Error;
  }

  FaultPlan &Plan;
  SystemInfo Info;
};

} // namespace gridspan

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_FAULTYBACKEND_H
