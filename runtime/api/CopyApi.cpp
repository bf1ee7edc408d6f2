//===- CopyApi.cpp - Copies and fills -------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cudaMemcpy and its kin: checks the directions as CUDA does, and hands the
// copy to CopyEngine.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/stream/ProgressWait.h"

using namespace gridspan;

static bool isKind(cudaMemcpyKind Kind) {
  return Kind >= cudaMemcpyHostToHost && Kind <= cudaMemcpyDefault;
}

/// Returns true if the bytes at an address of the allocation are all its own.
static bool isWithin(const Allocation &A, const void *Address, size_t Bytes) {
  return Bytes <=
         A.bytes() - static_cast<size_t>(
                         static_cast<const std::byte *>(Address) - A.base());
}

/// Returns true if the bytes at the address are memory that only devices may
/// touch, all of one allocation.
static bool isDeviceOnly(Runtime &R, const void *Address, size_t Bytes = 0) {
  const std::shared_ptr<Allocation> A = R.memory().find(Address);
  return A && A->kind() != AllocationKind::Managed &&
         isWithin(*A, Address, Bytes);
}

/// A direction that calls device memory the host's is an error. The other way
/// round cannot be told: host memory may be visible to devices.
static cudaError_t checkEnds(Runtime &R, const void *Dst, const void *Src,
                             cudaMemcpyKind Kind) {
  if (!Dst || !Src)
    return cudaErrorInvalidValue;
  const bool ToHost =
      Kind == cudaMemcpyHostToHost || Kind == cudaMemcpyDeviceToHost;
  const bool FromHost =
      Kind == cudaMemcpyHostToHost || Kind == cudaMemcpyHostToDevice;
  if ((ToHost && isDeviceOnly(R, Dst)) || (FromHost && isDeviceOnly(R, Src)))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

static cudaError_t copyAsync(Runtime &R, ProgramStream &S, void *Dst,
                             const void *Src, size_t Bytes,
                             cudaMemcpyKind Kind) {
  if (!isKind(Kind))
    return cudaErrorInvalidMemcpyDirection;
  if (Bytes == 0)
    return cudaSuccess;
  if (cudaError_t Error = checkEnds(R, Dst, Src, Kind))
    return Error;
  return R.copies().copy(S, Dst, Src, Bytes);
}

static cudaError_t copy2DAsync(Runtime &R, ProgramStream &S, void *Dst,
                               size_t DstPitch, const void *Src,
                               size_t SrcPitch, size_t Width, size_t Height,
                               cudaMemcpyKind Kind) {
  if (!isKind(Kind))
    return cudaErrorInvalidMemcpyDirection;
  if (Width > DstPitch || Width > SrcPitch)
    return cudaErrorInvalidPitchValue;
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  if (cudaError_t Error = checkEnds(R, Dst, Src, Kind))
    return Error;
  return R.copies().copy2D(S, Dst, DstPitch, Src, SrcPitch, Width, Height);
}

static cudaError_t fillAsync(Runtime &R, ProgramStream &S, void *Dst, int Byte,
                             size_t Bytes) {
  if (Bytes == 0)
    return cudaSuccess;
  if (!Dst)
    return cudaErrorInvalidValue;
  return R.copies().fill(S, Dst, Byte, Bytes);
}

/// The synchronous forms of what Enqueue does: between devices CUDA does not
/// wait for them either.
template <typename Function>
static cudaError_t doSync(Runtime &R, ProgramStream &S, const void *Dst,
                          const void *Src, Function &&Enqueue) {
  if (isDeviceOnly(R, Dst) && isDeviceOnly(R, Src))
    return Enqueue();
  waitWithProgress(R.backend(), R.progress(), S);
  const cudaError_t Error = Enqueue();
  R.memory().noteHostSync();
  return Error ? Error : R.backend().synchronize(S.main());
}

/// Runs what is deferred, as the program is about to do or learn something.
static cudaError_t finishLaunches(Runtime &R) {
  if (cudaError_t Error = R.launches().finishDeferred())
    return Error;
  return R.launches().residency().writeBack();
}

/// The memory of which a call does not wait for its fills and copies.
enum class NoWaitFor {
  DeviceMemory, ///< none that the host may touch
  AnyMemory,    ///< managed memory as well
};

/// Returns true if the bytes are of one allocation of which the call does not
/// wait for fills and copies.
static bool isNotWaitedFor(Runtime &R, const void *Address, size_t Bytes,
                           NoWaitFor Memory) {
  if (Memory == NoWaitFor::DeviceMemory)
    return isDeviceOnly(R, Address, Bytes);
  const std::shared_ptr<Allocation> A = R.memory().find(Address);
  return A && isWithin(*A, Address, Bytes);
}

/// Returns the copy as an operation that may wait among launches on memory
/// larger than the devices; nothing if it is none.
static std::optional<MemoryOperation> operationOf(Runtime &R, void *Dst,
                                                  const void *Src, size_t Bytes,
                                                  cudaMemcpyKind Kind,
                                                  NoWaitFor Memory) {
  const auto *const To = static_cast<std::byte *>(Dst);
  const auto *const From = static_cast<const std::byte *>(Src);
  if (R.memory().pager().any() && Bytes && isKind(Kind) &&
      checkEnds(R, Dst, Src, Kind) == cudaSuccess &&
      (To + Bytes <= From || From + Bytes <= To) &&
      isNotWaitedFor(R, Dst, Bytes, Memory) &&
      isNotWaitedFor(R, Src, Bytes, Memory))
    return std::optional<MemoryOperation>(std::in_place, Dst, Src, Bytes);
  return std::nullopt;
}

/// The same for a fill.
static std::optional<MemoryOperation>
operationOf(Runtime &R, void *Dst, int Byte, size_t Bytes, NoWaitFor Memory) {
  if (R.memory().pager().any() && Bytes &&
      isNotWaitedFor(R, Dst, Bytes, Memory))
    return std::optional<MemoryOperation>(std::in_place, Dst, Byte, Bytes);
  return std::nullopt;
}

/// Does Now(), or has it wait among launches as Op. An operation tells the host
/// nothing; but those of managed memory are done where the host looks.
template <typename Function>
static cudaError_t order(Runtime &R, ProgramStream &S,
                         const std::optional<MemoryOperation> &Op,
                         bool OnDevicesOnly, const Function &Now) {
  if (!Op) {
    if (cudaError_t Error = finishLaunches(R))
      return Error;
    return Now();
  }
  const auto Alone = [&R, OnDevicesOnly, Now] {
    if (!OnDevicesOnly)
      if (cudaError_t Error = R.launches().residency().writeBack())
        return Error;
    return Now();
  };
  if (const auto Done = R.launches().defer(S, *Op, Alone))
    return *Done;
  if (cudaError_t Error = R.launches().finishDeferred())
    return Error;
  return Alone();
}

static cudaError_t orderFill(Runtime &R, ProgramStream &S, void *Dst, int Byte,
                             size_t Bytes, NoWaitFor Memory) {
  return order(R, S, operationOf(R, Dst, Byte, Bytes, Memory),
               isDeviceOnly(R, Dst),
               [=, &R, &S] { return fillAsync(R, S, Dst, Byte, Bytes); });
}

static cudaError_t copySync(void *Dst, const void *Src, size_t Bytes,
                            cudaMemcpyKind Kind, DefaultStream Zero) {
  return streamCall<CapturedAs::Refused, Tells::Nothing>(
      nullptr, Zero, [=](Runtime &R, ProgramStream &S) {
        return order(
            R, S,
            operationOf(R, Dst, Src, Bytes, Kind, NoWaitFor::DeviceMemory),
            /*OnDevicesOnly=*/true, [=, &R, &S] {
              return doSync(R, S, Dst, Src, [&] {
                return copyAsync(R, S, Dst, Src, Bytes, Kind);
              });
            });
      });
}

static cudaError_t copyOrdered(void *Dst, const void *Src, size_t Bytes,
                               cudaMemcpyKind Kind, cudaStream_t Stream,
                               DefaultStream Zero) {
  return streamCall<CapturedAs::Copy, Tells::Nothing>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        return order(
            R, S, operationOf(R, Dst, Src, Bytes, Kind, NoWaitFor::AnyMemory),
            isDeviceOnly(R, Dst) && isDeviceOnly(R, Src),
            [=, &R, &S] { return copyAsync(R, S, Dst, Src, Bytes, Kind); });
      });
}

static cudaError_t copy2DSync(void *Dst, size_t DstPitch, const void *Src,
                              size_t SrcPitch, size_t Width, size_t Height,
                              cudaMemcpyKind Kind, DefaultStream Zero) {
  return streamCall<CapturedAs::Refused>(
      nullptr, Zero, [=](Runtime &R, ProgramStream &S) {
        return doSync(R, S, Dst, Src, [&] {
          return copy2DAsync(R, S, Dst, DstPitch, Src, SrcPitch, Width, Height,
                             Kind);
        });
      });
}

#define GRIDSPAN_COPIES(SyncSuffix, AsyncSuffix, Zero)                         \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy##SyncSuffix(                \
      void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind) {         \
    return copySync(Dst, Src, Bytes, Kind, Zero);                              \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyAsync##AsyncSuffix(          \
      void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind,           \
      cudaStream_t Stream) {                                                   \
    return copyOrdered(Dst, Src, Bytes, Kind, Stream, Zero);                   \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy2D##SyncSuffix(              \
      void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch,            \
      size_t Width, size_t Height, cudaMemcpyKind Kind) {                      \
    return copy2DSync(Dst, DstPitch, Src, SrcPitch, Width, Height, Kind,       \
                      Zero);                                                   \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy2DAsync##AsyncSuffix(        \
      void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch,            \
      size_t Width, size_t Height, cudaMemcpyKind Kind, cudaStream_t Stream) { \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return copy2DAsync(R, S, Dst, DstPitch, Src, SrcPitch, Width, Height,    \
                         Kind);                                                \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemset##SyncSuffix(                \
      void *Dst, int Byte, size_t Bytes) {                                     \
    return streamCall<CapturedAs::Refused, Tells::Nothing>(                    \
        nullptr, Zero, [=](Runtime &R, ProgramStream &S) {                     \
          return orderFill(R, S, Dst, Byte, Bytes, NoWaitFor::DeviceMemory);   \
        });                                                                    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemsetAsync##AsyncSuffix(          \
      void *Dst, int Byte, size_t Bytes, cudaStream_t Stream) {                \
    return streamCall<CapturedAs::Fill, Tells::Nothing>(                       \
        Stream, Zero, [=](Runtime &R, ProgramStream &S) {                      \
          return orderFill(R, S, Dst, Byte, Bytes, NoWaitFor::AnyMemory);      \
        });                                                                    \
  }

GRIDSPAN_COPIES(, , DefaultStream::Legacy)
GRIDSPAN_COPIES(_ptds, _ptsz, DefaultStream::PerThread)

/// There is one device, so that a copy between peers is one within it.
static cudaError_t peersError(int Dst, int Src) {
  return Dst == 0 && Src == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyPeer(void *Dst, int DstDevice,
                                                     const void *Src,
                                                     int SrcDevice,
                                                     size_t Bytes) {
  if (cudaError_t Error = peersError(DstDevice, SrcDevice))
    return lastError() = Error;
  return copySync(Dst, Src, Bytes, cudaMemcpyDeviceToDevice,
                  DefaultStream::Legacy);
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyPeerAsync(
    void *Dst, int DstDevice, const void *Src, int SrcDevice, size_t Bytes,
    cudaStream_t Stream) {
  if (cudaError_t Error = peersError(DstDevice, SrcDevice))
    return lastError() = Error;
  return __gridspan_cudaMemcpyAsync(Dst, Src, Bytes, cudaMemcpyDeviceToDevice,
                                    Stream);
}
