//===- Backend.h - The devices of one vendor --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that touches a driver is behind this interface. Backends do what
// they are told, in the order they are told on each stream; what to do is
// decided by the planner and the executor.
//
// Errors are CUDA's codes, cudaSuccess when all went well. All functions are
// thread-safe unless they say otherwise. Device numbers are Gridspan's own,
// 0 .. system().numDevices() - 1; Host is a location, not a device.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_BACKEND_H
#define GRIDSPAN_RUNTIME_BACKEND_BACKEND_H

#include "gridspan/ABI.h"
#include "runtime/backend/SystemInfo.h"
#include <cstddef>
#include <driver_types.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <vector_types.h>

namespace gridspan {

struct IndexBounds;

/// Where a physical page lives: a device number, or Host.
using Location = int;
constexpr Location Host = -1;

/// Physical memory, owned. Destroying it frees it; it must not be mapped.
class Pages {
public:
  virtual ~Pages();
  virtual Location location() const = 0;
  virtual size_t bytes() const = 0;
};

/// An in-order queue of one device, owned. Destroying it waits for its work.
class Stream {
public:
  virtual ~Stream();
  virtual int device() const = 0;
  /// What the program and CUDA libraries know the stream by.
  virtual cudaStream_t native() const = 0;
};

/// A point in a stream, owned.
class Event {
public:
  virtual ~Event();
  virtual cudaEvent_t native() const = 0;
};

enum class StreamKind {
  LegacyDefault,    ///< ordered with all Blocking streams of its device
  PerThreadDefault, ///< ordered with the legacy default stream
  Blocking,         ///< cudaStreamCreate
  NonBlocking,      ///< cudaStreamNonBlocking; also for internal use
};

/// What a launch runs. Kernel is null for a function that Gridspan has no
/// descriptor of; then only the CUDA backend can launch it, whole, by Function.
struct LaunchTarget {
  const GridspanKernel *Kernel = nullptr;
  const void *Function = nullptr; ///< what the program passed to the launch
  /// Nothing that the launch writes through one pointer is accessed through
  /// another: Kernel's clone for such launches runs, if it has one.
  bool NoAlias = false;
  /// For functionAttributes: those of the tiled clone.
  bool Tiled = false;
};

struct LaunchShape {
  dim3 Grid; ///< blocks of this launch (of the tile, if there is one)
  dim3 Block;
  size_t DynamicSharedBytes = 0;
  bool Cooperative = false;
  /// Further attributes of cudaLaunchKernelExC, passed on; not owned.
  const cudaLaunchAttribute *Attributes = nullptr;
  unsigned NumAttributes = 0;
};

class Backend {
public:
  virtual ~Backend();

  /// "cuda" or "cpu".
  virtual const char *name() const = 0;
  virtual const SystemInfo &system() const = 0;

  //===--- Address space ------------------------------------------------===//

  /// Reserves addresses that every device and no two owners use. Bytes is a
  /// multiple of the page size, as everywhere in this section. Reserved
  /// addresses may not be touched until they are mapped.
  virtual cudaError_t reserve(size_t Bytes, void *&Address) = 0;
  /// Nothing may be mapped there any more.
  virtual void release(void *Address, size_t Bytes) = 0;
  /// Physical memory at Where; cudaErrorMemoryAllocation when there is none.
  /// Contents are undefined.
  virtual cudaError_t createPages(Location Where, size_t Bytes,
                                  std::unique_ptr<Pages> &Out) = 0;
  /// Makes Bytes of P from Offset visible at Address to every device, and to
  /// the host when P is on the host. Takes effect at once, not in stream order.
  virtual cudaError_t map(void *Address, Pages &P, size_t Offset,
                          size_t Bytes) = 0;
  /// Takes effect at once: the caller has waited for whoever used the range.
  virtual cudaError_t unmap(void *Address, size_t Bytes) = 0;
  /// Free and total bytes at Where.
  virtual void memoryInfo(Location Where, size_t &Free, size_t &Total) = 0;

  //===--- Unified memory -----------------------------------------------===//

  /// Memory at one address for the devices and the host, zero at first, whose
  /// pages the vendor moves to whoever touches them, also while kernels run.
  /// cudaErrorNotSupported where there is no such memory.
  virtual cudaError_t unifiedAlloc(size_t Bytes, void *&Out) {
    return cudaErrorNotSupported;
  }
  /// Nobody uses it any more, and nothing of it is to be on a device.
  virtual cudaError_t unifiedFree(void *Address) {
    return cudaErrorNotSupported;
  }
  /// Bytes of unified memory that were to be at From are to be at To from now
  /// on once devices touch them, and count against To's memory instead of
  /// From's; Host: at none. Moves nothing. cudaErrorMemoryAllocation when To
  /// has no room.
  virtual cudaError_t preferPlace(void *Address, size_t Bytes, Location From,
                                  Location To) {
    return cudaErrorNotSupported;
  }
  /// Brings unified memory to To in stream order. Only for speed.
  virtual cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                               Location To) {
    return cudaErrorNotSupported;
  }
  /// What the program says of unified memory; Where as in cudaMemAdvise, with
  /// devices by Gridspan's numbers. Only for speed.
  virtual cudaError_t advise(void *Address, size_t Bytes,
                             cudaMemoryAdvise Advice, Location Where) {
    return cudaErrorNotSupported;
  }

  //===--- Host memory --------------------------------------------------===//

  virtual cudaError_t hostAlloc(size_t Bytes, unsigned Flags, void *&Out) = 0;
  virtual cudaError_t hostFree(void *Address) = 0;
  virtual cudaError_t hostRegister(void *Address, size_t Bytes,
                                   unsigned Flags) = 0;
  virtual cudaError_t hostUnregister(void *Address) = 0;
  /// Pinned or registered: copies to and from it need no staging.
  virtual bool isPinned(const void *Address, size_t Bytes) = 0;
  /// Ordinary memory of the program: neither pinned, registered nor managed,
  /// nor a device's.
  virtual bool isPageable(const void *Address, size_t Bytes) = 0;
  /// Of memory that no allocation of Gridspan's holds: whether it is a device's
  /// own, allocated by code that was not compiled with Gridspan. The other
  /// devices cannot reach it.
  virtual bool isForeignDeviceMemory(const void *Address) { return false; }

  //===--- Streams and events -------------------------------------------===//

  virtual cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                                   std::unique_ptr<Stream> &Out) = 0;
  /// A view of a stream of device 0 that the program got from elsewhere, for
  /// example from the driver API; destroying it leaves the stream alone.
  virtual cudaError_t adoptStream(cudaStream_t Native,
                                  std::unique_ptr<Stream> &Out) {
    return cudaErrorInvalidResourceHandle;
  }
  /// Blocks until all work so far in the stream is done; returns its error.
  virtual cudaError_t synchronize(Stream &S) = 0;
  /// cudaSuccess when idle, cudaErrorNotReady when not.
  virtual cudaError_t query(Stream &S) = 0;
  /// Waits for all work of the device.
  virtual cudaError_t synchronizeDevice(int Device) = 0;
  /// Waits for all work that was given to any device through this interface,
  /// and for all of device 0; returns the first error. Devices without any
  /// since the last time cost nothing.
  virtual cudaError_t synchronizeAll();
  virtual bool isCapturing(Stream &S) = 0;

  virtual cudaError_t createEvent(int Device, unsigned Flags,
                                  std::unique_ptr<Event> &Out) = 0;
  /// As adoptStream.
  virtual cudaError_t adoptEvent(cudaEvent_t Native,
                                 std::unique_ptr<Event> &Out) {
    return cudaErrorInvalidResourceHandle;
  }
  virtual cudaError_t record(Event &E, Stream &S) = 0;
  /// Later work in S waits for what E last recorded; S and E may be of
  /// different devices. An event that was never recorded is no wait.
  virtual cudaError_t wait(Stream &S, Event &E) = 0;
  virtual cudaError_t synchronize(Event &E) = 0;
  virtual cudaError_t query(Event &E) = 0;
  virtual cudaError_t elapsed(Event &From, Event &To, float &Ms) = 0;

  //===--- Work ---------------------------------------------------------===//

  /// Asynchronous and in stream order; also across devices and the host. Host
  /// memory that is not pinned may be read or written before this returns.
  virtual cudaError_t copy(Stream &S, void *Dst, const void *Src,
                           size_t Bytes) = 0;
  virtual cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch,
                             const void *Src, size_t SrcPitch, size_t Width,
                             size_t Height) = 0;
  virtual cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) = 0;
  /// Of each PerChunk of the Count integers at From of ElementBytes bytes each
  /// (1, 2, 4 or 8; signed; aligned), writes the bounds as scanIndices() in
  /// IndexTable.h does. At most 2^31 - 1 chunks. S's device reaches From; Out
  /// is hostAlloc's.
  virtual cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                                  unsigned ElementBytes, uint64_t PerChunk,
                                  IndexBounds *Out) {
    return cudaErrorNotSupported;
  }
  /// Launches on S's device. With a Tile, the kernel's tiled clone runs: the
  /// kernel sees blockIdx + Tile->Origin and Tile->Grid as gridDim. Args are
  /// read before this returns.
  virtual cudaError_t launch(Stream &S, const LaunchTarget &Target,
                             const LaunchShape &Shape, void *const *Args,
                             const GridspanTile *Tile) = 0;
  /// The words of a launch's arguments that may be pointers, at most Most of
  /// them, for a function that Gridspan has no descriptor of; their number.
  virtual unsigned argumentWords(const LaunchTarget &Target, void *const *Args,
                                 void **Out, unsigned Most) {
    return 0;
  }
  /// Runs Fn on a host thread in stream order; it must not call the backend.
  virtual cudaError_t hostFunction(Stream &S, std::function<void()> Fn) = 0;

  //===--- Symbols and functions ----------------------------------------===//

  /// Address and size on Device of the variable that the program registered
  /// with the host address Symbol.
  virtual cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                             size_t &Bytes) = 0;
  virtual cudaError_t functionAttributes(const LaunchTarget &Target,
                                         cudaFuncAttributes &Out) = 0;
  /// Applies to all devices, and to the clone as well.
  virtual cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                           cudaFuncAttribute Attribute,
                                           int Value) = 0;
  virtual cudaError_t occupancy(const LaunchTarget &Target, int BlockThreads,
                                size_t DynamicSharedBytes, unsigned Flags,
                                int &BlocksPerMultiprocessor) = 0;

  //===--- Properties ---------------------------------------------------===//

  virtual cudaError_t properties(int Device, cudaDeviceProp &Out) = 0;
  virtual cudaError_t attribute(int Device, cudaDeviceAttr Attribute,
                                int &Out) = 0;
  /// The error that the vendor's runtime holds for the calling thread, from
  /// calls that did not come through Gridspan; Clear forgets it.
  virtual cudaError_t vendorError(bool Clear) = 0;
  virtual int driverVersion() const = 0;
};

/// Both return null with a Message when there is nothing to use.
struct CpuBackendOptions {
  unsigned NumDevices = 1;
  uint64_t MemoryPerDevice = 0; ///< 0: a share of the host's
  bool PeerAccess = true;
  bool UnifiedMemory = true;
};
std::unique_ptr<Backend> createCpuBackend(const CpuBackendOptions &Options,
                                          std::string &Message);

struct CudaBackendOptions {
  std::vector<int> Devices;     ///< CUDA ordinals; empty: all
  uint64_t MemoryPerDevice = 0; ///< 0: what is there
  bool PeerAccess = true;
};
/// Notes gets a line for each GPU that is there but is not used, and for what
/// does not work as it should; also when the result is null.
std::unique_ptr<Backend>
createCudaBackend(const CudaBackendOptions &Options, std::string &Message,
                  std::vector<std::string> *Notes = nullptr);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_BACKEND_H
