//===- CudaBackend.cpp - GPUs through the CUDA driver ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every call makes the context of the device it is about current: default
// streams have the same handle on all devices, and events may only be recorded
// in their own device's streams. That costs a read of a thread-local when it is
// current already.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/backend/cuda/Measure.h"
#include "runtime/backend/cuda/Queues.h"
#include "runtime/backend/cuda/SystemCache.h"
#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace gridspan::cuda {

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static std::vector<std::vector<bool>> accessMatrix(const DeviceList &Devices,
                                                   bool PeerAccess) {
  size_t Count = Devices.size();
  std::vector<std::vector<bool>> May(Count, std::vector<bool>(Count));
  for (size_t I = 0; I < Count; ++I)
    for (size_t J = 0; J < Count; ++J) {
      int Can = I == J;
      if (I != J && PeerAccess)
        Devices[0]->driver().cuDeviceCanAccessPeer(&Can, Devices[I]->handle(),
                                                   Devices[J]->handle());
      May[I][J] = Can;
    }
  return May;
}

static bool peerAtomics(const DeviceList &Devices) {
  for (const auto &I : Devices)
    for (const auto &J : Devices) {
      int Native = 0;
      if (I != J)
        I->driver().cuDeviceGetP2PAttribute(
            &Native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
            I->handle(), J->handle());
      if (I != J && !Native)
        return false;
    }
  return true;
}

CudaBackend::CudaBackend(DeviceList Opened, const CudaBackendOptions &Options)
    : Devices(std::move(Opened)), D(Devices[0]->driver()),
      MayAccess(accessMatrix(Devices, Options.PeerAccess)),
      Mem(Devices, MayAccess, Options.MemoryPerDevice), Unified(Devices, Mem),
      Bridge(Devices), Launches(Devices), Scans(Devices),
      Given(new std::atomic<uint64_t>[Devices.size()]()),
      Waited(new std::atomic<uint64_t>[Devices.size()]()) {
  CurrentDevice Scope(Devices, 0);
  Info = describe(Devices, Mem);
  Info.PeerAtomics = peerAtomics(Devices);
  Info.SlowPageableCopies = true;
  for (const auto &Row : MayAccess) {
    auto &Rates = Info.PeerBandwidth.emplace_back();
    // Until it is measured: PCI Express.
    for (bool May : Row)
      Rates.push_back(May ? 12e9 : 0);
  }
  std::filesystem::path Cache = cacheDirectory();
  std::string Key = measurementKey();
  if (loadMeasurements(Cache, Key, Info))
    return;
  Memory Uncapped(Devices, MayAccess, 0);
  bool Complete = measure(Devices, Uncapped, MayAccess, Info);
  for (unsigned I = 0; I < Info.numDevices(); ++I)
    Info.PeerBandwidth[I][I] = Info.Devices[I].MemoryBandwidth;
  if (Complete)
    storeMeasurements(Cache, Key, Info);
}

CudaBackend::~CudaBackend() = default;

/// What measurements depend on.
std::string CudaBackend::measurementKey() const {
  std::string Key = fmt::format("driver {}", driverVersion());
  for (size_t I = 0; I < Devices.size(); ++I) {
    Key += fmt::format(" {}:", Devices[I]->uuid());
    for (bool May : MayAccess[I])
      Key += May ? '1' : '0';
  }
  return Key;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

cudaError_t CudaBackend::reserve(size_t Bytes, void *&Address) {
  return Mem.reserve(Bytes, Address);
}

void CudaBackend::release(void *Address, size_t Bytes) {
  Mem.release(Address, Bytes);
}

cudaError_t CudaBackend::createPages(Location Where, size_t Bytes,
                                     std::unique_ptr<Pages> &Out) {
  return Mem.createPages(Where, Bytes, Out);
}

cudaError_t CudaBackend::map(void *Address, Pages &P, size_t Offset,
                             size_t Bytes) {
  return Mem.map(Address, static_cast<CudaPages &>(P), Offset, Bytes);
}

cudaError_t CudaBackend::unmap(void *Address, size_t Bytes) {
  return Mem.unmap(Address, Bytes);
}

void CudaBackend::memoryInfo(Location Where, size_t &Free, size_t &Total) {
  Mem.info(Where, Free, Total);
}

cudaError_t CudaBackend::unifiedAlloc(size_t Bytes, void *&Out) {
  return Unified.allocate(Bytes, Out);
}

cudaError_t CudaBackend::unifiedFree(void *Address) {
  return Unified.free(Address);
}

cudaError_t CudaBackend::preferPlace(void *Address, size_t Bytes, Location From,
                                     Location To) {
  return Unified.preferPlace(Address, Bytes, From, To);
}

cudaError_t CudaBackend::prefetch(Stream &S, void *Address, size_t Bytes,
                                  Location To) {
  return Unified.prefetch(S, Address, Bytes, To);
}

cudaError_t CudaBackend::advise(void *Address, size_t Bytes,
                                cudaMemoryAdvise Advice, Location Where) {
  return Unified.advise(Address, Bytes, Advice, Where);
}

// The flags of the driver and of the runtime are the same bits. Portable memory
// is pinned for every context, and any device may have to copy it.
static_assert(cudaHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(cudaHostAllocMapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(cudaHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
static_assert(cudaHostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(cudaHostRegisterMapped == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(cudaHostRegisterReadOnly == CU_MEMHOSTREGISTER_READ_ONLY);

cudaError_t CudaBackend::hostAlloc(size_t Bytes, unsigned Flags, void *&Out) {
  CurrentDevice Scope(Devices, 0);
  return toError(
      D.cuMemHostAlloc(&Out, Bytes, Flags | CU_MEMHOSTALLOC_PORTABLE));
}

cudaError_t CudaBackend::hostFree(void *Address) {
  CurrentDevice Scope(Devices, 0);
  return toError(D.cuMemFreeHost(Address));
}

cudaError_t CudaBackend::hostRegister(void *Address, size_t Bytes,
                                      unsigned Flags) {
  CurrentDevice Scope(Devices, 0);
  return toError(
      D.cuMemHostRegister(Address, Bytes, Flags | CU_MEMHOSTREGISTER_PORTABLE));
}

cudaError_t CudaBackend::hostUnregister(void *Address) {
  CurrentDevice Scope(Devices, 0);
  return toError(D.cuMemHostUnregister(Address));
}

bool CudaBackend::isPinned(const void *Address, size_t Bytes) {
  CurrentDevice Scope(Devices, 0);
  CUmemorytype Type = {};
  CUdeviceptr Start = 0;
  size_t Size = 0;
  CUpointer_attribute Asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *Answers[] = {&Type, &Start, &Size};
  if (D.cuPointerGetAttributes(3, Asked, Answers, toDevicePtr(Address)) !=
      CUDA_SUCCESS)
    return false;
  return Type == CU_MEMORYTYPE_HOST &&
         toDevicePtr(Address) + Bytes <= Start + Size;
}

bool CudaBackend::isForeignDeviceMemory(const void *Address) {
  CurrentDevice Scope(Devices, 0);
  CUmemorytype Type = {};
  unsigned Managed = 0;
  CUpointer_attribute Asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *Answers[] = {&Type, &Managed};
  return D.cuPointerGetAttributes(2, Asked, Answers, toDevicePtr(Address)) ==
             CUDA_SUCCESS &&
         Type == CU_MEMORYTYPE_DEVICE && !Managed;
}

bool CudaBackend::isPageable(const void *Address, size_t Bytes) {
  CurrentDevice Scope(Devices, 0);
  // Only one end may be known to the driver when the program has registered a
  // part; such a copy is the driver's to refuse.
  for (const std::byte *At :
       {static_cast<const std::byte *>(Address),
        static_cast<const std::byte *>(Address) + Bytes - 1}) {
    CUmemorytype Type = {};
    CUpointer_attribute Asked = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *Answer = &Type;
    if (D.cuPointerGetAttributes(1, &Asked, &Answer, toDevicePtr(At)) ==
            CUDA_SUCCESS &&
        Type != CUmemorytype{})
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

cudaError_t CudaBackend::createStream(int Device, StreamKind Kind, int Priority,
                                      std::unique_ptr<Stream> &Out) {
  return CudaStream::create(Devices, Device, Kind, Priority, Out);
}

cudaError_t CudaBackend::adoptStream(cudaStream_t Native,
                                     std::unique_ptr<Stream> &Out) {
  Out = CudaStream::adopt(Devices, Native);
  return cudaSuccess;
}

cudaError_t CudaBackend::synchronize(Stream &S) {
  CurrentDevice Scope(Devices, S.device());
  return toError(D.cuStreamSynchronize(S.native()));
}

cudaError_t CudaBackend::query(Stream &S) {
  CurrentDevice Scope(Devices, S.device());
  return toError(D.cuStreamQuery(S.native()));
}

cudaError_t CudaBackend::synchronizeDevice(int Device) {
  CurrentDevice Scope(Devices, Device);
  return toError(D.cuCtxSynchronize());
}

cudaError_t CudaBackend::synchronizeAll() {
  cudaError_t First = cudaSuccess;
  for (size_t I = 0; I < Devices.size(); ++I) {
    const uint64_t Now = Given[I].load(std::memory_order_relaxed);
    if (I != 0 && Waited[I].load(std::memory_order_relaxed) == Now)
      continue;
    const cudaError_t Error = synchronizeDevice(static_cast<int>(I));
    First = First ? First : Error;
    // What was given meanwhile is for the next time, and errors too.
    if (!Error)
      Waited[I].store(Now, std::memory_order_relaxed);
  }
  return First;
}

bool CudaBackend::isCapturing(Stream &S) {
  CurrentDevice Scope(Devices, S.device());
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  // Fails on the default stream while another captures: that is not capturing.
  return D.cuStreamIsCapturing(S.native(), &Status) == CUDA_SUCCESS &&
         Status != CU_STREAM_CAPTURE_STATUS_NONE;
}

cudaError_t CudaBackend::createEvent(int Device, unsigned Flags,
                                     std::unique_ptr<Event> &Out) {
  return CudaEvent::create(Devices, Device, Flags, Out);
}

cudaError_t CudaBackend::adoptEvent(cudaEvent_t Native,
                                    std::unique_ptr<Event> &Out) {
  Out = CudaEvent::adopt(Devices, Native);
  return cudaSuccess;
}

cudaError_t CudaBackend::record(Event &E, Stream &S) {
  CurrentDevice Scope(Devices, S.device());
  return toError(D.cuEventRecord(E.native(), S.native()));
}

cudaError_t CudaBackend::wait(Stream &S, Event &E) {
  CurrentDevice Scope(Devices, S.device());
  return toError(D.cuStreamWaitEvent(S.native(), E.native(), 0));
}

cudaError_t CudaBackend::synchronize(Event &E) {
  return toError(D.cuEventSynchronize(E.native()));
}

cudaError_t CudaBackend::query(Event &E) {
  return toError(D.cuEventQuery(E.native()));
}

cudaError_t CudaBackend::elapsed(Event &From, Event &To, float &Ms) {
  return toError(D.cuEventElapsedTime(&Ms, From.native(), To.native()));
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Whether the stream's device reaches both places.
bool CudaBackend::reaches(const Stream &S, Location To, Location From) const {
  const auto &May = MayAccess[S.device()];
  return (To == Host || May[To]) && (From == Host || May[From]);
}

/// Has Give enqueue work on the two places, of which one is the host, or that
/// the stream's device reaches: in S, or else on the device that owns the
/// memory.
template <typename Function>
cudaError_t CudaBackend::give(Stream &S, Location To, Location From,
                              Function Give) {
  if (!reaches(S, To, From))
    return Bridge.runOn(To == Host ? From : To, S, Give);
  CurrentDevice Scope(Devices, S.device());
  return Give(S);
}

cudaError_t CudaBackend::copy(Stream &S, void *Dst, const void *Src,
                              size_t Bytes) {
  busy(S);
  auto *To = static_cast<std::byte *>(Dst);
  auto *From = static_cast<const std::byte *>(Src);
  // The driver decides by the first byte how to copy, so a copy must not cross
  // from one home to another.
  while (Bytes) {
    size_t Part =
        std::min(Mem.uniformPrefix(To, Bytes), Mem.uniformPrefix(From, Bytes));
    const Location Target = Mem.locationOf(To), Source = Mem.locationOf(From);
    cudaError_t E =
        needsBridge(S, Target, Source)
            ? Bridge.copy(S, {Target, toDevicePtr(To), Part},
                          {Source, toDevicePtr(From), Part}, Part, 1)
            : give(S, Target, Source, [&](const Stream &On) {
                return toError(D.cuMemcpyAsync(
                    toDevicePtr(To), toDevicePtr(From), Part, On.native()));
              });
    if (E)
      return E;
    To += Part;
    From += Part;
    Bytes -= Part;
  }
  return cudaSuccess;
}

cudaError_t CudaBackend::copy2D(Stream &S, void *Dst, size_t DstPitch,
                                const void *Src, size_t SrcPitch, size_t Width,
                                size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  busy(S);
  size_t DstSpan = (Height - 1) * DstPitch + Width;
  size_t SrcSpan = (Height - 1) * SrcPitch + Width;
  if (Mem.uniformPrefix(Dst, DstSpan) == DstSpan &&
      Mem.uniformPrefix(Src, SrcSpan) == SrcSpan) {
    const Location Target = Mem.locationOf(Dst), Source = Mem.locationOf(Src);
    if (needsBridge(S, Target, Source))
      return Bridge.copy(S, {Target, toDevicePtr(Dst), DstPitch},
                         {Source, toDevicePtr(Src), SrcPitch}, Width, Height);
    CUDA_MEMCPY2D Copy = {};
    Copy.srcMemoryType = Copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    Copy.srcDevice = toDevicePtr(Src);
    Copy.srcPitch = SrcPitch;
    Copy.dstDevice = toDevicePtr(Dst);
    Copy.dstPitch = DstPitch;
    Copy.WidthInBytes = Width;
    Copy.Height = Height;
    return give(S, Target, Source, [&](const Stream &On) {
      return toError(D.cuMemcpy2DAsync(&Copy, On.native()));
    });
  }
  if (Height == 1)
    return copy(S, Dst, Src, Width);
  // Halves until no part crosses from one home to another.
  size_t Upper = Height / 2;
  if (cudaError_t E = copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Upper))
    return E;
  return copy2D(S, static_cast<std::byte *>(Dst) + Upper * DstPitch, DstPitch,
                static_cast<const std::byte *>(Src) + Upper * SrcPitch,
                SrcPitch, Width, Height - Upper);
}

cudaError_t CudaBackend::fill(Stream &S, void *Dst, int Byte, size_t Bytes) {
  busy(S);
  auto *To = static_cast<std::byte *>(Dst);
  while (Bytes) {
    size_t Part = Mem.uniformPrefix(To, Bytes);
    cudaError_t E = give(S, Mem.locationOf(To), Host, [&](const Stream &On) {
      return toError(D.cuMemsetD8Async(toDevicePtr(To),
                                       static_cast<unsigned char>(Byte), Part,
                                       On.native()));
    });
    if (E)
      return E;
    To += Part;
    Bytes -= Part;
  }
  return cudaSuccess;
}

cudaError_t CudaBackend::indexBounds(Stream &S, const void *From,
                                     uint64_t Count, unsigned ElementBytes,
                                     uint64_t PerChunk, IndexBounds *Out) {
  busy(S);
  return Scans.enqueue(S, From, Count, ElementBytes, PerChunk, Out);
}

cudaError_t CudaBackend::launch(Stream &S, const LaunchTarget &Target,
                                const LaunchShape &Shape, void *const *Args,
                                const GridspanTile *Tile) {
  busy(S);
  return Launches.launch(S, Target, Shape, Args, Tile);
}

unsigned CudaBackend::argumentWords(const LaunchTarget &Target,
                                    void *const *Args, void **Out,
                                    unsigned Most) {
  return Launches.argumentWords(Target, Args, Out, Most);
}

cudaError_t CudaBackend::hostFunction(Stream &S, std::function<void()> Fn) {
  busy(S);
  struct Call {
    std::function<void()> Fn;
    /// In a graph it may run again: then it is kept for good.
    bool Again;
  };
  bool Again = isCapturing(S);
  auto Held = std::make_unique<Call>(Call{std::move(Fn), Again});
  auto Run = [](void *Data) {
    auto *C = static_cast<Call *>(Data);
    C->Fn();
    if (!C->Again)
      delete C;
  };
  CurrentDevice Scope(Devices, S.device());
  CUresult R = D.cuLaunchHostFunc(S.native(), Run, Held.get());
  if (R == CUDA_SUCCESS)
    Held.release();
  return toError(R);
}

//===----------------------------------------------------------------------===//
// Symbols, functions, properties
//===----------------------------------------------------------------------===//

/// The program is told through the result; the CUDA runtime need not remember
/// the error as well.
static cudaError_t answered(cudaError_t E) {
  if (E)
    cudaGetLastError();
  return E;
}

cudaError_t CudaBackend::symbol(int Device, const void *Symbol, void *&Address,
                                size_t &Bytes) {
  CurrentDevice Scope(Devices, Device);
  if (cudaError_t E = answered(cudaGetSymbolAddress(&Address, Symbol)))
    return E;
  return answered(cudaGetSymbolSize(&Bytes, Symbol));
}

cudaError_t CudaBackend::functionAttributes(const LaunchTarget &Target,
                                            cudaFuncAttributes &Out) {
  return Launches.attributes(Target, Out);
}

cudaError_t CudaBackend::setFunctionAttribute(const LaunchTarget &Target,
                                              cudaFuncAttribute Attribute,
                                              int Value) {
  return Launches.setAttribute(Target, Attribute, Value);
}

cudaError_t CudaBackend::occupancy(const LaunchTarget &Target, int BlockThreads,
                                   size_t DynamicSharedBytes, unsigned Flags,
                                   int &BlocksPerMultiprocessor) {
  return Launches.occupancy(Target, BlockThreads, DynamicSharedBytes, Flags,
                            BlocksPerMultiprocessor);
}

cudaError_t CudaBackend::properties(int Device, cudaDeviceProp &Out) {
  return answered(cudaGetDeviceProperties(&Out, Devices[Device]->ordinal()));
}

cudaError_t CudaBackend::attribute(int Device, cudaDeviceAttr Attribute,
                                   int &Out) {
  return answered(
      cudaDeviceGetAttribute(&Out, Attribute, Devices[Device]->ordinal()));
}

cudaError_t CudaBackend::vendorError(bool Clear) {
  return Clear ? cudaGetLastError() : cudaPeekAtLastError();
}

int CudaBackend::driverVersion() const {
  int Version = 0;
  D.cuDriverGetVersion(&Version);
  return Version;
}

} // namespace gridspan::cuda
