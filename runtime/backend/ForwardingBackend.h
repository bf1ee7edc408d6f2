//===- ForwardingBackend.h - A backend around another -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes every call on. Derived classes override some: tracing watches calls,
// and tests make them fail.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_FORWARDINGBACKEND_H
#define GRIDSPAN_RUNTIME_BACKEND_FORWARDINGBACKEND_H

#include "runtime/backend/Backend.h"

namespace gridspan {

class ForwardingBackend : public Backend {
public:
  explicit ForwardingBackend(std::unique_ptr<Backend> Inner)
      : Inner(std::move(Inner)) {}

  const char *name() const override { return Inner->name(); }
  const SystemInfo &system() const override { return Inner->system(); }
  bool isReady() const override { return Inner->isReady(); }
  void prepare() override { Inner->prepare(); }
  bool waitUntilReady() override { return Inner->waitUntilReady(); }
  void setBeforeReady(std::function<cudaError_t()> Work) override {
    Inner->setBeforeReady(std::move(Work));
  }
  cudaError_t reserve(size_t Bytes, void *&Address) override {
    return Inner->reserve(Bytes, Address);
  }
  cudaError_t reserveAt(void *Address, size_t Bytes) override {
    return Inner->reserveAt(Address, Bytes);
  }
  void release(void *Address, size_t Bytes) override {
    return Inner->release(Address, Bytes);
  }
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    return Inner->createPages(Where, Bytes, Out);
  }
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Bytes) override {
    return Inner->map(Address, P, Offset, Bytes);
  }
  cudaError_t unmap(void *Address, size_t Bytes) override {
    return Inner->unmap(Address, Bytes);
  }
  void memoryInfo(Location Where, size_t &Free, size_t &Total) override {
    return Inner->memoryInfo(Where, Free, Total);
  }
  cudaError_t createHostPagesFor(int Device, size_t Bytes,
                                 std::unique_ptr<Pages> &Out) override {
    return Inner->createHostPagesFor(Device, Bytes, Out);
  }
  cudaError_t createShareablePages(int Device, size_t Bytes,
                                   std::unique_ptr<Pages> &Out) override {
    return Inner->createShareablePages(Device, Bytes, Out);
  }
  cudaError_t exportPages(const Pages &P, SharedPages &Out) override {
    return Inner->exportPages(P, Out);
  }
  cudaError_t importPages(const SharedPages &From,
                          std::unique_ptr<Pages> &Out) override {
    return Inner->importPages(From, Out);
  }
  cudaError_t unifiedAlloc(size_t Bytes, void *&Out) override {
    return Inner->unifiedAlloc(Bytes, Out);
  }
  cudaError_t unifiedFree(void *Address) override {
    return Inner->unifiedFree(Address);
  }
  cudaError_t preferHome(void *Address, size_t Bytes, Location From,
                         Location To) override {
    return Inner->preferHome(Address, Bytes, From, To);
  }
  cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                       Location To) override {
    return Inner->prefetch(S, Address, Bytes, To);
  }
  cudaError_t advise(void *Address, size_t Bytes, cudaMemoryAdvise Advice,
                     Location Where) override {
    return Inner->advise(Address, Bytes, Advice, Where);
  }
  cudaError_t hostAlloc(size_t Bytes, unsigned Flags, void *&Out) override {
    return Inner->hostAlloc(Bytes, Flags, Out);
  }
  cudaError_t hostFree(void *Address) override {
    return Inner->hostFree(Address);
  }
  cudaError_t hostRegister(void *Address, size_t Bytes,
                           unsigned Flags) override {
    return Inner->hostRegister(Address, Bytes, Flags);
  }
  cudaError_t hostUnregister(void *Address) override {
    return Inner->hostUnregister(Address);
  }
  bool isPinned(const void *Address, size_t Bytes) override {
    return Inner->isPinned(Address, Bytes);
  }
  bool isPageable(const void *Address, size_t Bytes) override {
    return Inner->isPageable(Address, Bytes);
  }
  bool isForeignDeviceMemory(const void *Address) override {
    return Inner->isForeignDeviceMemory(Address);
  }
  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override {
    return Inner->createStream(Device, Kind, Priority, Out);
  }
  cudaError_t adoptStream(cudaStream_t Native,
                          std::unique_ptr<Stream> &Out) override {
    return Inner->adoptStream(Native, Out);
  }
  cudaError_t synchronize(Stream &S) override { return Inner->synchronize(S); }
  cudaError_t query(Stream &S) override { return Inner->query(S); }
  cudaError_t synchronizeDevice(int Device) override {
    return Inner->synchronizeDevice(Device);
  }
  cudaError_t synchronizeAll() override { return Inner->synchronizeAll(); }
  bool isCapturing(Stream &S) override { return Inner->isCapturing(S); }
  cudaError_t createEvent(int Device, unsigned Flags,
                          std::unique_ptr<Event> &Out) override {
    return Inner->createEvent(Device, Flags, Out);
  }
  cudaError_t adoptEvent(cudaEvent_t Native,
                         std::unique_ptr<Event> &Out) override {
    return Inner->adoptEvent(Native, Out);
  }
  cudaError_t exportEvent(const Event &E, FileDescriptor &Out) override {
    return Inner->exportEvent(E, Out);
  }
  cudaError_t importEvent(FileDescriptor From,
                          std::unique_ptr<Event> &Out) override {
    return Inner->importEvent(std::move(From), Out);
  }
  cudaError_t record(Event &E, Stream &S) override {
    return Inner->record(E, S);
  }
  cudaError_t wait(Stream &S, Event &E) override { return Inner->wait(S, E); }
  cudaError_t synchronize(Event &E) override { return Inner->synchronize(E); }
  cudaError_t query(Event &E) override { return Inner->query(E); }
  cudaError_t elapsed(Event &From, Event &To, float &Ms) override {
    return Inner->elapsed(From, To, Ms);
  }
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override {
    return Inner->copy(S, Dst, Src, Bytes);
  }
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override {
    return Inner->copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Height);
  }
  cudaError_t copyBehind(Stream &S, std::span<Event *const> Behind, void *Dst,
                         size_t DstPitch, const void *Src, size_t SrcPitch,
                         size_t Width, size_t Height) override {
    return Inner->copyBehind(S, Behind, Dst, DstPitch, Src, SrcPitch, Width,
                             Height);
  }
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override {
    return Inner->fill(S, Dst, Byte, Bytes);
  }
  cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                          unsigned ElementBytes, uint64_t PerLeaf,
                          IndexBounds *Out) override {
    return Inner->indexBounds(S, From, Count, ElementBytes, PerLeaf, Out);
  }
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override {
    return Inner->fillIdentity(S, Kind, Dst, Count);
  }
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From,
                      uint64_t Count) override {
    return Inner->combine(S, Kind, Into, From, Count);
  }
  cudaError_t convertRecords(Stream &S, const RecordForm &Form,
                             FormDirection Direction, void *Records,
                             void *Fields, uint64_t Bytes) override {
    return Inner->convertRecords(S, Form, Direction, Records, Fields, Bytes);
  }
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override {
    return Inner->launch(S, Target, Shape, Args, Tile);
  }
  unsigned argumentWords(const LaunchTarget &Target, void *const *Args,
                         void **Out, unsigned Most) override {
    return Inner->argumentWords(Target, Args, Out, Most);
  }
  cudaError_t hostFunction(Stream &S, std::function<void()> Fn) override {
    return Inner->hostFunction(S, std::move(Fn));
  }
  cudaError_t waitForWord(Stream &S, const uint64_t *Word,
                          uint64_t Value) override {
    return Inner->waitForWord(S, Word, Value);
  }
  cudaError_t createArray(int Device, cudaTextureObject_t Texture,
                          std::unique_ptr<ArrayCopy> &Out) override {
    return Inner->createArray(Device, Texture, Out);
  }
  cudaError_t copyArray(Stream &S, ArrayCopy &To,
                        cudaTextureObject_t From) override {
    return Inner->copyArray(S, To, From);
  }
  cudaError_t createTexture(int Device, cudaTextureObject_t Texture,
                            ArrayCopy *Array,
                            std::unique_ptr<TextureCopy> &Out) override {
    return Inner->createTexture(Device, Texture, Array, Out);
  }
  cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                     size_t &Bytes) override {
    return Inner->symbol(Device, Symbol, Address, Bytes);
  }
  void forget(const GridspanModule *Module) override { Inner->forget(Module); }
  cudaError_t functionAttributes(const LaunchTarget &Target,
                                 cudaFuncAttributes &Out) override {
    return Inner->functionAttributes(Target, Out);
  }
  cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute,
                                   int Value) override {
    return Inner->setFunctionAttribute(Target, Attribute, Value);
  }
  cudaError_t occupancy(const LaunchTarget &Target, int BlockThreads,
                        size_t DynamicSharedBytes, unsigned Flags,
                        int &BlocksPerMultiprocessor) override {
    return Inner->occupancy(Target, BlockThreads, DynamicSharedBytes, Flags,
                            BlocksPerMultiprocessor);
  }
  cudaError_t properties(int Device, cudaDeviceProp &Out) override {
    return Inner->properties(Device, Out);
  }
  cudaError_t attribute(int Device, cudaDeviceAttr Attribute,
                        int &Out) override {
    return Inner->attribute(Device, Attribute, Out);
  }
  cudaError_t vendorError(bool Clear) override {
    return Inner->vendorError(Clear);
  }
  bool isInForeignContext() const override {
    return Inner->isInForeignContext();
  }
  int driverVersion() const override { return Inner->driverVersion(); }

protected:
  Backend &inner() { return *Inner; }

private:
  std::unique_ptr<Backend> Inner;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_FORWARDINGBACKEND_H
