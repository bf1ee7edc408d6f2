//===- CudaBackend.cpp - GPUs through the CUDA driver ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Set-up, streams and events, symbols, functions and properties.
//
// Every call makes the context of the device it is about current: default
// streams have the same handle on all devices, and events may only be recorded
// in their own device's streams. That costs a read of a thread-local when it is
// current already.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/backend/SystemCache.h"
#include "runtime/backend/cuda/DuringCaptures.h"
#include "runtime/backend/cuda/Measure.h"
#include "runtime/backend/cuda/Queues.h"
#include "runtime/support/CacheFile.h"
#include <algorithm>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace gridspan::cuda {

//===--- Set-up -----------------------------------------------------------===//

static std::vector<std::vector<bool>> accessMatrix(const DeviceList &Devices,
                                                   bool PeerAccess) {
  size_t Count = Devices.size();
  std::vector<std::vector<bool>> May(Count, std::vector<bool>(Count));
  for (size_t I = 0; I != Count; ++I)
    for (size_t J = 0; J != Count; ++J) {
      int Can = I == J || (PeerAccess && isSameGpu(*Devices[I], *Devices[J]));
      if (!Can && PeerAccess)
        Devices[0]->driver().cuDeviceCanAccessPeer(&Can, Devices[I]->handle(),
                                                   Devices[J]->handle());
      May[I][J] = Can;
    }
  return May;
}

static bool peerAtomics(const DeviceList &Devices) {
  for (const auto &I : Devices)
    for (const auto &J : Devices) {
      int Native = isSameGpu(*I, *J);
      if (!Native)
        I->driver().cuDeviceGetP2PAttribute(
            &Native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
            I->handle(), J->handle());
      if (!Native)
        return false;
    }
  return true;
}

/// Measured on two H100: what the first launch over both takes longer than the
/// later ones.
static constexpr double FirstSplitSeconds = 1e-3;
/// Until it is measured: what pages of 2 MiB take that have a handle each.
static constexpr double PageMoveSeconds = 1.6e-4;
/// Pinning memory for bounds, and making a tree of them.
static constexpr double InspectSeconds = 1e-3;

CudaBackend::CudaBackend(DeviceList Opened, const CudaBackendOptions &Options,
                         bool HostPages)
    : Devices(std::move(Opened)), D(Devices[0]->driver()),
      MayAccess(accessMatrix(Devices, Options.PeerAccess)),
      Mem(Devices, MayAccess, Options.MemoryPerDevice, HostPages),
      Unified(Devices, Mem), Peerless(Devices), Launches(Devices),
      Scans(Devices), Combines(Devices), Forms(Devices), Texturing(Devices),
      Given(new std::atomic<uint64_t>[Devices.size()]()),
      Waited(new std::atomic<uint64_t>[Devices.size()]()),
      Late(Devices, [this](int Device) { return prepareDevice(Device); }) {
  CurrentDevice Scope(Devices, 0);
  // Starts the CUDA runtime, which knows the program's kernels, as the first
  // call of a program that uses it alone does. The first launch would wait for
  // it otherwise. If it fails, that launch says so.
  if (cudaFree(nullptr))
    cudaGetLastError();
  Info = describe(Devices, Mem);
  Info.PeerAtomics = peerAtomics(Devices);
  Info.SlowPageableCopies = true;
  Info.StreamsWaitForWords = std::ranges::all_of(Devices, [](const auto &Each) {
    return Each->attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
  });
  Info.TimesTell = true;
  Info.FirstSplitSeconds = FirstSplitSeconds;
  Info.PageMoveSeconds = PageMoveSeconds;
  Info.InspectSeconds = InspectSeconds;
  for (const auto &Row : MayAccess) {
    auto &Rates = Info.PeerBandwidth.emplace_back();
    // Until it is measured: PCI Express.
    for (bool May : Row)
      Rates.push_back(May ? 12e9 : 0);
  }
  std::filesystem::path Cache = cacheDirectory();
  std::string Key = measurementKey();
  Info.TimesKey = fmt::format("{}, memory {}", Key, Options.MemoryPerDevice);
  if (loadMeasurements(Cache, Key, Info))
    return;
  Late.wait();
  Memory Uncapped(Devices, MayAccess, 0, HostPages);
  bool Complete = measure(Devices, Uncapped, MayAccess, Info);
  for (unsigned I = 0, E = Info.numDevices(); I != E; ++I)
    Info.PeerBandwidth[I][I] = Info.Devices[I].MemoryBandwidth;
  if (Complete)
    storeMeasurements(Cache, Key, Info);
}

CudaBackend::~CudaBackend() = default;

/// Makes a device that is opened later what the constructors make the others.
CUresult CudaBackend::prepareDevice(int Device) {
  if (CUresult R = Mem.opened(Device))
    return R;
  Launches.opened(Device);
  Scans.opened(Device);
  Combines.opened(Device);
  return CUDA_SUCCESS;
}

/// Returns the text of everything that measurements depend on.
std::string CudaBackend::measurementKey() const {
  std::string Key = fmt::format("driver {}", driverVersion());
  for (size_t I = 0, E = Devices.size(); I != E; ++I) {
    Key += fmt::format(" {}:", Devices[I]->uuid());
    for (bool May : MayAccess[I])
      Key += May ? '1' : '0';
  }
  return Key;
}

//===--- Streams and events -----------------------------------------------===//

cudaError_t CudaBackend::createStream(int Device, StreamKind Kind, int Priority,
                                      std::unique_ptr<Stream> &Out) {
  return CudaStream::create(Devices, Device, Kind, Priority, Out);
}

cudaError_t CudaBackend::adoptStream(cudaStream_t Native,
                                     std::unique_ptr<Stream> &Out) {
  Out = CudaStream::adopt(Devices, Native);
  return cudaSuccess;
}

static const CudaStream &asCuda(const Stream &S) {
  return static_cast<const CudaStream &>(S);
}

/// Records a new event in S.
static cudaError_t recordNew(Backend &B, Stream &S,
                             std::unique_ptr<Event> &Out) {
  const cudaError_t Error =
      B.createEvent(S.device(), cudaEventDisableTiming, Out);
  return Error ? Error : B.record(*Out, S);
}

cudaError_t CudaBackend::synchronize(Stream &S) {
  if (asCuda(S).needsEvent()) {
    std::unique_ptr<Event> End;
    const cudaError_t Error = recordNew(*this, S, End);
    return Error ? Error : synchronize(*End);
  }
  CurrentDevice Scope(Devices, S.device());
  return toError(D.cuStreamSynchronize(S.native()));
}

cudaError_t CudaBackend::query(Stream &S) {
  if (asCuda(S).needsEvent()) {
    std::unique_ptr<Event> End;
    const cudaError_t Error = recordNew(*this, S, End);
    return Error ? Error : query(*End);
  }
  CurrentDevice Scope(Devices, S.device());
  const DuringCaptures Asking(D);
  return toError(D.cuStreamQuery(S.native()));
}

cudaError_t CudaBackend::synchronizeDevice(int Device) {
  if (!Devices[Device]->isOpen())
    return cudaSuccess;
  CurrentDevice Scope(Devices, Device);
  return toError(D.cuCtxSynchronize());
}

cudaError_t CudaBackend::synchronizeAll() {
  cudaError_t First = cudaSuccess;
  for (size_t I = 0, E = Devices.size(); I != E; ++I) {
    const uint64_t Now = Given[I].load(std::memory_order_relaxed);
    if (I != 0 && Waited[I].load(std::memory_order_relaxed) == Now)
      continue;
    const cudaError_t Error = synchronizeDevice(static_cast<int>(I));
    First = First ? First : Error;
    // Work that came meanwhile, and errors, are for the next call.
    if (!Error)
      Waited[I].store(Now, std::memory_order_relaxed);
  }
  return First;
}

bool CudaBackend::isCapturing(Stream &S) {
  // What stands for the default stream of another thread fails while any
  // blocking stream is captured.
  const bool IsOfOther = asCuda(S).isOfOtherThread();
  // It cannot be captured, and each launch asks.
  if (S.native() == CU_STREAM_LEGACY && !IsOfOther)
    return false;
  CurrentDevice Scope(Devices, S.device());
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult R = D.cuStreamIsCapturing(S.native(), &Status);
  return R == CUDA_SUCCESS
             ? Status != CU_STREAM_CAPTURE_STATUS_NONE
             : IsOfOther && R == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
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
  const DuringCaptures Asking(D);
  return toError(D.cuEventQuery(E.native()));
}

cudaError_t CudaBackend::elapsed(Event &From, Event &To, float &Ms) {
  return toError(D.cuEventElapsedTime(&Ms, From.native(), To.native()));
}

//===--- Symbols, functions, properties -----------------------------------===//

/// Clears an error in the CUDA runtime: the program gets it as the result.
static cudaError_t answered(cudaError_t E) {
  if (E)
    cudaGetLastError();
  return E;
}

cudaError_t CudaBackend::symbol(int Device, const void *Symbol, void *&Address,
                                size_t &Bytes) {
  CurrentDevice Scope(Devices, Device);
  // It may load the module.
  const DuringCaptures Asking(D);
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

bool CudaBackend::isInForeignContext() const {
  CUcontext Current = nullptr;
  return D.cuCtxGetCurrent(&Current) == CUDA_SUCCESS && Current &&
         std::none_of(Devices.begin(), Devices.end(), [&](const auto &Dev) {
           return Dev->isOpen() && Dev->context() == Current;
         });
}

} // namespace gridspan::cuda
