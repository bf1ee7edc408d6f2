//===- PitchedApi.cpp - Fills and copies of boxes -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills of rows and copies of boxes of pitched memory. On GPUs they are CUDA's,
// and only what they write is noted; a CPU device does them row by row, and so
// they are done where an end is paged: CUDA would see the host's copy alone,
// which frames on devices may be newer than (Pager.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include <fmt/format.h>
#include <initializer_list>
#include <optional>

using namespace gridspan;

/// Lets CUDA write Dst in the stream's order by Do(cudaStream_t). Returns
/// nothing, with nothing done, where some end is paged or there are no GPUs.
template <typename Function>
static std::optional<cudaError_t>
doneByVendor(Runtime &R, ProgramStream &S,
             std::initializer_list<const void *> Ends, const void *Dst,
             Function &&Do) {
  if (!hasVendorMemory(R))
    return std::nullopt;
  PlacementReader Placement(R.memory().placementLock());
  for (const void *End : Ends)
    if (std::shared_ptr<Allocation> A = R.memory().find(End); A && A->Paged)
      return std::nullopt;
  MutexLock Order(S.lock());
  const cudaError_t Error = Do(S.main().native());
  if (std::shared_ptr<Allocation> A = R.memory().find(Dst))
    A->written();
  return Error;
}

static cudaError_t fill2D(Runtime &R, ProgramStream &S, void *Dst, size_t Pitch,
                          int Byte, size_t Width, size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  if (!Dst || Width > Pitch)
    return cudaErrorInvalidValue;
  cudaError_t Error = cudaSuccess;
  const auto Vendor = [&](cudaStream_t Stream) {
    return cudaMemset2DAsync(Dst, Pitch, Byte, Width, Height, Stream);
  };
  if (const std::optional<cudaError_t> Done =
          doneByVendor(R, S, {Dst}, Dst, Vendor))
    return *Done;
  for (size_t Row = 0; Row < Height; ++Row)
    if ((Error = R.copies().fill(S, static_cast<std::byte *>(Dst) + Row * Pitch,
                                 Byte, Width)))
      return Error;
  return Error;
}

/// The first byte of a box within pitched memory.
static std::byte *cornerOf(const cudaPitchedPtr &P, const cudaPos &At) {
  return static_cast<std::byte *>(P.ptr) + (At.z * P.ysize + At.y) * P.pitch +
         At.x;
}

/// CUDA arrays exist on GPUs only, and nothing is known of where they are.
static cudaError_t refuseArray(Runtime &R) {
  static std::once_flag Said;
  if (hasVendorMemory(R))
    std::call_once(Said, [] {
      fmt::print(stderr, "gridspan: cudaMemcpy3D does not copy between CUDA "
                         "arrays and memory that devices cannot hold\n");
    });
  return cudaErrorNotSupported;
}

static cudaError_t copy3D(Runtime &R, ProgramStream &S,
                          const cudaMemcpy3DParms *P) {
  if (!P)
    return cudaErrorInvalidValue;
  if (P->kind < cudaMemcpyHostToHost || P->kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  cudaError_t Error = cudaSuccess;
  const auto Vendor = [&](cudaStream_t Stream) {
    return cudaMemcpy3DAsync(P, Stream);
  };
  const void *Src = P->srcArray ? nullptr : P->srcPtr.ptr;
  const void *Dst = P->dstArray ? nullptr : P->dstPtr.ptr;
  if (const std::optional<cudaError_t> Done =
          doneByVendor(R, S, {Src, Dst}, Dst, Vendor))
    return *Done;
  if (P->srcArray || P->dstArray)
    return refuseArray(R);
  const cudaExtent &E = P->extent;
  if (E.width == 0 || E.height == 0 || E.depth == 0)
    return cudaSuccess;
  if (!P->srcPtr.ptr || !P->dstPtr.ptr)
    return cudaErrorInvalidValue;
  if (E.width > P->srcPtr.pitch || E.width > P->dstPtr.pitch)
    return cudaErrorInvalidPitchValue;
  std::byte *To = cornerOf(P->dstPtr, P->dstPos);
  const std::byte *From = cornerOf(P->srcPtr, P->srcPos);
  for (size_t Z = 0; Z < E.depth; ++Z)
    if ((Error = R.copies().copy2D(
             S, To + Z * P->dstPtr.ysize * P->dstPtr.pitch, P->dstPtr.pitch,
             From + Z * P->srcPtr.ysize * P->srcPtr.pitch, P->srcPtr.pitch,
             E.width, E.height)))
      return Error;
  return cudaSuccess;
}

#define GRIDSPAN_PITCHED(SyncSuffix, AsyncSuffix, Zero)                        \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemset2D##SyncSuffix(              \
      void *Dst, size_t Pitch, int Byte, size_t Width, size_t Height) {        \
    return streamCall(nullptr, Zero, [=](Runtime &R, ProgramStream &S) {       \
      return fill2D(R, S, Dst, Pitch, Byte, Width, Height);                    \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemset2DAsync##AsyncSuffix(        \
      void *Dst, size_t Pitch, int Byte, size_t Width, size_t Height,          \
      cudaStream_t Stream) {                                                   \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return fill2D(R, S, Dst, Pitch, Byte, Width, Height);                    \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy3D##SyncSuffix(              \
      const cudaMemcpy3DParms *P) {                                            \
    return streamCall(nullptr, Zero, [=](Runtime &R, ProgramStream &S) {       \
      cudaError_t Error = copy3D(R, S, P);                                     \
      return Error ? Error : R.backend().synchronize(S.main());                \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy3DAsync##AsyncSuffix(        \
      const cudaMemcpy3DParms *P, cudaStream_t Stream) {                       \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return copy3D(R, S, P);                                                  \
    });                                                                        \
  }

GRIDSPAN_PITCHED(, , DefaultStream::Legacy)
GRIDSPAN_PITCHED(_ptds, _ptsz, DefaultStream::PerThread)
