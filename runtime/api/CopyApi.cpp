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

#include "runtime/api/OrderedCopy.h"

using namespace gridspan;

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
  if (!arePitchesSane(DstPitch, 0, Height) ||
      !arePitchesSane(SrcPitch, 0, Height))
    return cudaErrorInvalidValue;
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

/// Fills the bytes of a row.
static cudaError_t orderFill(Runtime &R, ProgramStream &S, void *Dst, int Byte,
                             size_t Bytes, NoWaitFor Which) {
  return orderCall(R, S,
                   {.Dst = {static_cast<std::byte *>(Dst)},
                    .Bytes = {Bytes},
                    .Byte = Byte,
                    .Which = Which,
                    .IsSane = Bytes != 0},
                   [=, &R, &S] { return fillAsync(R, S, Dst, Byte, Bytes); });
}

/// Returns the copy of rows as one that may wait among launches.
static OrderedCopy copyOf(Runtime &R, void *Dst, size_t DstPitch,
                          const void *Src, size_t SrcPitch, size_t Width,
                          size_t Height, cudaMemcpyKind Kind, NoWaitFor Which) {
  return {.Dst = {static_cast<std::byte *>(Dst), DstPitch},
          .Src = {{static_cast<const std::byte *>(Src), SrcPitch}},
          .Bytes = {Width, Height},
          .Which = Which,
          .IsSane = Width && Height && Width <= DstPitch && Width <= SrcPitch &&
                    arePitchesSane(DstPitch, 0, Height) &&
                    arePitchesSane(SrcPitch, 0, Height) && isKind(Kind) &&
                    checkEnds(R, Dst, Src, Kind) == cudaSuccess};
}

static cudaError_t copySync(void *Dst, const void *Src, size_t Bytes,
                            cudaMemcpyKind Kind, DefaultStream Zero) {
  return streamCall<CapturedAs::Refused, Tells::Nothing>(
      nullptr, Zero, [=](Runtime &R, ProgramStream &S) {
        return orderCall(
            R, S,
            copyOf(R, Dst, Bytes, Src, Bytes, Bytes, 1, Kind,
                   NoWaitFor::DeviceMemory),
            [=, &R, &S] { return copyAsync(R, S, Dst, Src, Bytes, Kind); });
      });
}

static cudaError_t copyOrdered(void *Dst, const void *Src, size_t Bytes,
                               cudaMemcpyKind Kind, cudaStream_t Stream,
                               DefaultStream Zero) {
  return streamCall<CapturedAs::Copy, Tells::Nothing>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        return order(
            R, S,
            copyOf(R, Dst, Bytes, Src, Bytes, Bytes, 1, Kind,
                   NoWaitFor::AnyMemory),
            [=, &R, &S] { return copyAsync(R, S, Dst, Src, Bytes, Kind); });
      });
}

static cudaError_t copy2DSync(void *Dst, size_t DstPitch, const void *Src,
                              size_t SrcPitch, size_t Width, size_t Height,
                              cudaMemcpyKind Kind, DefaultStream Zero) {
  return streamCall<CapturedAs::Refused, Tells::Nothing>(
      nullptr, Zero, [=](Runtime &R, ProgramStream &S) {
        return orderCall(R, S,
                         copyOf(R, Dst, DstPitch, Src, SrcPitch, Width, Height,
                                Kind, NoWaitFor::DeviceMemory),
                         [=, &R, &S] {
                           return copy2DAsync(R, S, Dst, DstPitch, Src,
                                              SrcPitch, Width, Height, Kind);
                         });
      });
}

static cudaError_t copy2DOrdered(void *Dst, size_t DstPitch, const void *Src,
                                 size_t SrcPitch, size_t Width, size_t Height,
                                 cudaMemcpyKind Kind, cudaStream_t Stream,
                                 DefaultStream Zero) {
  return streamCall<CapturedAs::Copy, Tells::Nothing>(
      Stream, Zero, [=](Runtime &R, ProgramStream &S) {
        return order(R, S,
                     copyOf(R, Dst, DstPitch, Src, SrcPitch, Width, Height,
                            Kind, NoWaitFor::AnyMemory),
                     [=, &R, &S] {
                       return copy2DAsync(R, S, Dst, DstPitch, Src, SrcPitch,
                                          Width, Height, Kind);
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
    return copy2DOrdered(Dst, DstPitch, Src, SrcPitch, Width, Height, Kind,    \
                         Stream, Zero);                                        \
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
