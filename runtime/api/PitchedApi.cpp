//===- PitchedApi.cpp - Fills and copies of boxes -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills of rows and copies of boxes of pitched memory. On GPUs they are CUDA's,
// and only what they write is noted; a CPU device does them row by row.
//
//===----------------------------------------------------------------------===//

#include "ApiCall.h"

using namespace gridspan;

static void noteWritten(Runtime &R, const void *Address) {
  if (std::shared_ptr<Allocation> A = R.memory().find(Address))
    A->written();
}

static cudaError_t fill2D(Runtime &R, ProgramStream &S, void *Dst, size_t Pitch,
                          int Byte, size_t Width, size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  if (!Dst || Width > Pitch)
    return cudaErrorInvalidValue;
  if (hasVendorMemory(R)) {
    std::unique_lock Order(S.lock());
    cudaError_t Error =
        cudaMemset2DAsync(Dst, Pitch, Byte, Width, Height, S.main().native());
    noteWritten(R, Dst);
    return Error;
  }
  for (size_t Row = 0; Row < Height; ++Row)
    if (cudaError_t Error = R.copies().fill(
            S, static_cast<std::byte *>(Dst) + Row * Pitch, Byte, Width))
      return Error;
  return cudaSuccess;
}

/// The first byte of a box within pitched memory.
static std::byte *cornerOf(const cudaPitchedPtr &P, const cudaPos &At) {
  return static_cast<std::byte *>(P.ptr) + (At.z * P.ysize + At.y) * P.pitch +
         At.x;
}

static cudaError_t copy3D(Runtime &R, ProgramStream &S,
                          const cudaMemcpy3DParms *P) {
  if (!P)
    return cudaErrorInvalidValue;
  if (P->kind < cudaMemcpyHostToHost || P->kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (hasVendorMemory(R)) {
    std::unique_lock Order(S.lock());
    cudaError_t Error = cudaMemcpy3DAsync(P, S.main().native());
    noteWritten(R, P->dstPtr.ptr);
    return Error;
  }
  if (P->srcArray || P->dstArray)
    return cudaErrorNotSupported; // CUDA arrays exist on GPUs only
  const cudaExtent &E = P->extent;
  if (E.width == 0 || E.height == 0 || E.depth == 0)
    return cudaSuccess;
  if (!P->srcPtr.ptr || !P->dstPtr.ptr)
    return cudaErrorInvalidValue;
  if (E.width > P->srcPtr.pitch || E.width > P->dstPtr.pitch)
    return cudaErrorInvalidPitchValue;
  std::byte *Dst = cornerOf(P->dstPtr, P->dstPos);
  const std::byte *Src = cornerOf(P->srcPtr, P->srcPos);
  for (size_t Z = 0; Z < E.depth; ++Z)
    if (cudaError_t Error = R.copies().copy2D(
            S, Dst + Z * P->dstPtr.ysize * P->dstPtr.pitch, P->dstPtr.pitch,
            Src + Z * P->srcPtr.ysize * P->srcPtr.pitch, P->srcPtr.pitch,
            E.width, E.height))
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
