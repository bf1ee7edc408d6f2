//===- RecordingBackend.h - Devices that record calls -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend whose operations succeed, do nothing, and are recorded in their
// order. So tests see without a device which driver calls a launch makes, and
// benchmarks its cost on the host. Streams are named by device and number:
// "0.1" is the second stream made on device 0.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_RECORDINGBACKEND_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_RECORDINGBACKEND_H

#include "runtime/backend/Backend.h"
#include <string>
#include <utility>
#include <vector>

namespace gridspan {

/// Used by one thread at a time while it records.
class RecordingBackend final : public Backend {
public:
  /// Makes devices like an H200 on NVLink.
  explicit RecordingBackend(unsigned Devices);

  /// The time between any two events.
  float ElapsedMs = 0;
  /// cudaErrorNotReady: no event has happened.
  cudaError_t EventState = cudaSuccess;
  /// True if calls are recorded.
  bool Records = false;
  /// Returns the calls since the last take: "record 0.0", "wait 1.0 <- 0.0"
  /// (for the last event there), "launch 1.0", "copy 0.0", "synchronize 0" and
  /// so on.
  std::vector<std::string> take() { return std::exchange(Calls, {}); }

  SystemInfo Info;

  const char *name() const override { return "recording"; }
  const SystemInfo &system() const override { return Info; }
  cudaError_t reserve(size_t Bytes, void *&Address) override;
  void release(void *, size_t) override {}
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override;
  cudaError_t map(void *, Pages &, size_t, size_t) override {
    return cudaSuccess;
  }
  cudaError_t unmap(void *, size_t) override { return cudaSuccess; }
  void memoryInfo(Location Where, size_t &Free, size_t &Total) override;
  cudaError_t hostAlloc(size_t, unsigned, void *&) override {
    return cudaErrorNotSupported;
  }
  cudaError_t hostFree(void *) override { return cudaErrorNotSupported; }
  cudaError_t hostRegister(void *, size_t, unsigned) override {
    return cudaErrorNotSupported;
  }
  cudaError_t hostUnregister(void *) override { return cudaErrorNotSupported; }
  bool isPinned(const void *, size_t) override { return false; }
  bool isPageable(const void *, size_t) override { return false; }
  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override;
  cudaError_t synchronize(Stream &S) override;
  cudaError_t query(Stream &) override { return cudaSuccess; }
  cudaError_t synchronizeDevice(int Device) override;
  bool isCapturing(Stream &) override { return false; }
  cudaError_t createEvent(int Device, unsigned Flags,
                          std::unique_ptr<Event> &Out) override;
  cudaError_t record(Event &E, Stream &S) override;
  cudaError_t wait(Stream &S, Event &E) override;
  cudaError_t synchronize(Event &) override { return cudaSuccess; }
  cudaError_t query(Event &) override { return EventState; }
  cudaError_t elapsed(Event &, Event &, float &Ms) override;
  cudaError_t copy(Stream &S, void *, const void *, size_t) override;
  cudaError_t copy2D(Stream &S, void *, size_t, const void *, size_t, size_t,
                     size_t) override;
  cudaError_t fill(Stream &S, void *, int, size_t) override;
  cudaError_t launch(Stream &S, const LaunchTarget &, const LaunchShape &,
                     void *const *, const GridspanTile *) override;
  cudaError_t hostFunction(Stream &S, std::function<void()>) override;
  cudaError_t symbol(int, const void *, void *&, size_t &) override {
    return cudaErrorInvalidSymbol;
  }
  void forget(const GridspanModule *) override {}
  cudaError_t functionAttributes(const LaunchTarget &,
                                 cudaFuncAttributes &Out) override;
  cudaError_t setFunctionAttribute(const LaunchTarget &, cudaFuncAttribute,
                                   int) override {
    return cudaSuccess;
  }
  cudaError_t occupancy(const LaunchTarget &, int, size_t, unsigned,
                        int &Blocks) override;
  cudaError_t properties(int, cudaDeviceProp &Out) override;
  cudaError_t attribute(int, cudaDeviceAttr, int &Out) override;
  cudaError_t vendorError(bool) override { return cudaSuccess; }
  int driverVersion() const override { return 13000; }

private:
  template <typename... T> void note(const T &...Parts);

  std::vector<std::string> Calls;
  std::vector<unsigned> StreamsOf; ///< number so far, by device
  uintptr_t NextAddress = uintptr_t(1) << 40;
  uintptr_t NextHandle = 0x1000;
};

} // namespace gridspan

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_RECORDINGBACKEND_H
