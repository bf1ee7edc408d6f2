//===- PitchedApi.cpp - Fills and copies of boxes -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills of rows and boxes, and copies of boxes, of pitched memory and arrays
// (BoxCopy.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/api/BoxCopy.h"
#include "runtime/api/OrderedCopy.h"

using namespace gridspan;

cudaError_t gridspan::fill2D(Runtime &R, ProgramStream &S, void *Dst,
                             size_t Pitch, int Byte, size_t Width,
                             size_t Height) {
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  if (!Dst || Width > Pitch || !arePitchesSane(Pitch, 0, Height) ||
      !isWithinOne(R, {static_cast<std::byte *>(Dst), Pitch}, {Width, Height}))
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

/// Returns true if the box at a place of pitched memory has addresses.
static bool isSane(const cudaPitchedPtr &P, const cudaPos &At,
                   const cudaExtent &E) {
  size_t Rows = 0, Slices = 0, Slice = 0;
  if (At.x > MostBytes || E.width > MostBytes ||
      __builtin_add_overflow(At.y, E.height, &Rows) ||
      __builtin_add_overflow(At.z, E.depth, &Slices) ||
      (Slices > 1 && __builtin_mul_overflow(P.pitch, P.ysize, &Slice)))
    return false;
  const bool IsRow = Rows <= 1 && Slices <= 1;
  return (IsRow || At.x + E.width <= P.pitch) &&
         arePitchesSane(P.pitch, Slice, Rows, Slices);
}

/// Returns a place in pitched memory as the end of an operation.
static MemoryOperation::End operationEnd(const cudaPitchedPtr &P,
                                         const cudaPos &At) {
  return {cornerOf(P, At), P.pitch, P.ysize * P.pitch};
}

/// Returns the end of a copy that is an array or pitched memory; nothing if
/// there is no such array.
static std::optional<BoxEnd> endOf(cudaArray_const_t Array,
                                   const cudaPitchedPtr &P, const cudaPos &At) {
  if (Array)
    return arrayEnd(Array, At, ArrayUnit::Elements);
  return BoxEnd{cornerOf(P, At), P.pitch, P.ysize * P.pitch, 1};
}

/// Does copy3D, but for noting that an array is written.
static cudaError_t copyBoxOf(Runtime &R, ProgramStream &S,
                             const cudaMemcpy3DParms *P) {
  if (P->kind < cudaMemcpyHostToHost || P->kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const auto Vendor = [&](cudaStream_t Stream) {
    return cudaMemcpy3DAsync(P, Stream);
  };
  const void *Src = P->srcArray ? nullptr : P->srcPtr.ptr;
  const void *Dst = P->dstArray ? nullptr : P->dstPtr.ptr;
  if (const std::optional<cudaError_t> Done =
          doneByVendor(R, S, {Src, Dst}, Dst, Vendor))
    return *Done;
  const bool HasArray = P->srcArray || P->dstArray;
  if (HasArray && hasVendorMemory(R))
    return refuseArray("cudaMemcpy3D");
  cudaExtent E = P->extent;
  if (E.width == 0 || E.height == 0 || E.depth == 0)
    return cudaSuccess;
  if ((!P->srcArray && (!Src || !isSane(P->srcPtr, P->srcPos, E))) ||
      (!P->dstArray && (!Dst || !isSane(P->dstPtr, P->dstPos, E))))
    return cudaErrorInvalidValue;
  const std::optional<BoxEnd> From = endOf(P->srcArray, P->srcPtr, P->srcPos);
  const std::optional<BoxEnd> To = endOf(P->dstArray, P->dstPtr, P->dstPos);
  if (!From || !To)
    return cudaErrorInvalidResourceHandle;
  if (P->srcArray && P->dstArray && From->ElementBytes != To->ElementBytes)
    return cudaErrorInvalidValue;
  // Of arrays the width is in elements.
  E.width *= P->srcArray ? From->ElementBytes : To->ElementBytes;
  return copyBox(R, S, *To, *From, E);
}

/// Returns the copy as one that may wait among launches.
static OrderedCopy orderedOf(Runtime &R, const cudaMemcpy3DParms &P,
                             NoWaitFor Which) {
  OrderedCopy Out = {.Dst = {}, .Bytes = {}, .Which = Which, .IsSane = false};
  const cudaExtent &E = P.extent;
  if (P.srcArray || P.dstArray || !P.srcPtr.ptr || !P.dstPtr.ptr ||
      !isKind(P.kind) || !isSane(P.srcPtr, P.srcPos, E) ||
      !isSane(P.dstPtr, P.dstPos, E))
    return Out;
  Out.Dst = operationEnd(P.dstPtr, P.dstPos);
  Out.Src = operationEnd(P.srcPtr, P.srcPos);
  Out.Bytes = {E.width, E.height, E.depth};
  // Programs give a single row any pitch, such as 0.
  const bool IsRow = E.height <= 1 && E.depth <= 1;
  Out.IsSane =
      Out.Bytes.bytes() &&
      (IsRow || (E.width <= Out.Dst.Pitch && E.width <= Out.Src->Pitch)) &&
      checkEnds(R, Out.Dst.At, Out.Src->At, P.kind) == cudaSuccess;
  return Out;
}

cudaError_t gridspan::copy3D(Runtime &R, ProgramStream &S,
                             const cudaMemcpy3DParms *P) {
  if (!P)
    return cudaErrorInvalidValue;
  const cudaError_t Error = copyBoxOf(R, S, P);
  if (P->dstArray)
    R.launches().textures().arrayWritten(P->dstArray);
  return Error;
}

static cudaError_t fill3D(Runtime &R, ProgramStream &S, cudaPitchedPtr Dst,
                          int Byte, cudaExtent E) {
  if (E.width == 0 || E.height == 0 || E.depth == 0)
    return cudaSuccess;
  if (!Dst.ptr || E.width > Dst.pitch || !isSane(Dst, {}, E) ||
      !isWithinOne(R, operationEnd(Dst, {}), {E.width, E.height, E.depth}))
    return cudaErrorInvalidValue;
  const auto Vendor = [&](cudaStream_t Stream) {
    return cudaMemset3DAsync(Dst, Byte, E, Stream);
  };
  if (const std::optional<cudaError_t> Done =
          doneByVendor(R, S, {Dst.ptr}, Dst.ptr, Vendor))
    return *Done;
  for (size_t Z = 0; Z < E.depth; ++Z)
    if (cudaError_t Error = fill2D(R, S, cornerOf(Dst, {0, 0, Z}), Dst.pitch,
                                   Byte, E.width, E.height))
      return Error;
  return cudaSuccess;
}

/// Fills rows, or has that wait among launches.
static cudaError_t orderFill2D(Runtime &R, ProgramStream &S, void *Dst,
                               size_t Pitch, int Byte, size_t Width,
                               size_t Height, NoWaitFor Which) {
  return orderCall(
      R, S,
      {.Dst = {static_cast<std::byte *>(Dst), Pitch},
       .Bytes = {Width, Height},
       .Byte = Byte,
       .Which = Which,
       .IsSane = Dst && Width && Height && Width <= Pitch &&
                 arePitchesSane(Pitch, 0, Height)},
      [=, &R, &S] { return fill2D(R, S, Dst, Pitch, Byte, Width, Height); });
}

static cudaError_t orderFill3D(Runtime &R, ProgramStream &S, cudaPitchedPtr Dst,
                               int Byte, cudaExtent E, NoWaitFor Which) {
  return orderCall(R, S,
                   {.Dst = operationEnd(Dst, {}),
                    .Bytes = {E.width, E.height, E.depth},
                    .Byte = Byte,
                    .Which = Which,
                    .IsSane = Dst.ptr && E.width && E.height && E.depth &&
                              E.width <= Dst.pitch && isSane(Dst, {}, E)},
                   [=, &R, &S] { return fill3D(R, S, Dst, Byte, E); });
}

/// Does a copy that the host waits for where an end is the host's.
static cudaError_t copy3DSync(const cudaMemcpy3DParms *P, DefaultStream Zero) {
  if (!P)
    return lastError() = cudaErrorInvalidValue;
  return streamCall<CapturedAs::Refused, Tells::Nothing>(
      nullptr, Zero, [P = *P](Runtime &R, ProgramStream &S) {
        return order(R, S, orderedOf(R, P, NoWaitFor::DeviceMemory),
                     [P, &R, &S] {
                       cudaError_t Error = copy3D(R, S, &P);
                       return Error ? Error : R.backend().synchronize(S.main());
                     });
      });
}

/// Copies with a node's parameters if the stream is captured.
static cudaError_t copy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t Stream,
                               DefaultStream Zero) {
  if (!P)
    return lastError() = cudaErrorInvalidValue;
  return streamCall<CapturedAs::Itself, Tells::Nothing>(
      Stream, Zero, [P = *P](Runtime &R, ProgramStream &S) {
        if (StreamCapture::any())
          if (const auto Done = StreamCapture::get().add(S, copyTask(P)))
            return *Done;
        return order(R, S, orderedOf(R, P, NoWaitFor::AnyMemory),
                     [P, &R, &S] { return copy3D(R, S, &P); });
      });
}

#define GRIDSPAN_PITCHED(SyncSuffix, AsyncSuffix, Zero)                        \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemset2D##SyncSuffix(              \
      void *Dst, size_t Pitch, int Byte, size_t Width, size_t Height) {        \
    return streamCall<CapturedAs::Refused, Tells::Nothing>(                    \
        nullptr, Zero, [=](Runtime &R, ProgramStream &S) {                     \
          return orderFill2D(R, S, Dst, Pitch, Byte, Width, Height,            \
                             NoWaitFor::DeviceMemory);                         \
        });                                                                    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemset2DAsync##AsyncSuffix(        \
      void *Dst, size_t Pitch, int Byte, size_t Width, size_t Height,          \
      cudaStream_t Stream) {                                                   \
    return streamCall<CapturedAs::Fill, Tells::Nothing>(                       \
        Stream, Zero, [=](Runtime &R, ProgramStream &S) {                      \
          return orderFill2D(R, S, Dst, Pitch, Byte, Width, Height,            \
                             NoWaitFor::AnyMemory);                            \
        });                                                                    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemset3D##SyncSuffix(              \
      cudaPitchedPtr Dst, int Byte, cudaExtent Extent) {                       \
    return streamCall<CapturedAs::Refused, Tells::Nothing>(                    \
        nullptr, Zero, [=](Runtime &R, ProgramStream &S) {                     \
          return orderFill3D(R, S, Dst, Byte, Extent,                          \
                             NoWaitFor::DeviceMemory);                         \
        });                                                                    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemset3DAsync##AsyncSuffix(        \
      cudaPitchedPtr Dst, int Byte, cudaExtent Extent, cudaStream_t Stream) {  \
    return streamCall<CapturedAs::Fill, Tells::Nothing>(                       \
        Stream, Zero, [=](Runtime &R, ProgramStream &S) {                      \
          return orderFill3D(R, S, Dst, Byte, Extent, NoWaitFor::AnyMemory);   \
        });                                                                    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy3D##SyncSuffix(              \
      const cudaMemcpy3DParms *P) {                                            \
    return copy3DSync(P, Zero);                                                \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy3DAsync##AsyncSuffix(        \
      const cudaMemcpy3DParms *P, cudaStream_t Stream) {                       \
    return copy3DAsync(P, Stream, Zero);                                       \
  }

GRIDSPAN_PITCHED(, , DefaultStream::Legacy)
GRIDSPAN_PITCHED(_ptds, _ptsz, DefaultStream::PerThread)

/// There is one device, so that a copy between peers is one within it.
static cudaError_t copy3DPeer(Runtime &R, ProgramStream &S,
                              const cudaMemcpy3DPeerParms *P) {
  if (!P)
    return cudaErrorInvalidValue;
  if (P->srcDevice != 0 || P->dstDevice != 0)
    return cudaErrorInvalidDevice;
  cudaMemcpy3DParms Same = {};
  Same.srcArray = P->srcArray;
  Same.srcPos = P->srcPos;
  Same.srcPtr = P->srcPtr;
  Same.dstArray = P->dstArray;
  Same.dstPos = P->dstPos;
  Same.dstPtr = P->dstPtr;
  Same.extent = P->extent;
  Same.kind = cudaMemcpyDeviceToDevice;
  return copy3D(R, S, &Same);
}

#define GRIDSPAN_PEERS(SyncSuffix, AsyncSuffix, Zero)                          \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy3DPeer##SyncSuffix(          \
      const cudaMemcpy3DPeerParms *P) {                                        \
    return streamCall<CapturedAs::Refused>(                                    \
        nullptr, Zero,                                                         \
        [=](Runtime &R, ProgramStream &S) { return copy3DPeer(R, S, P); });    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy3DPeerAsync##AsyncSuffix(    \
      const cudaMemcpy3DPeerParms *P, cudaStream_t Stream) {                   \
    if (!P)                                                                    \
      return lastError() = cudaErrorInvalidValue;                              \
    return streamCall(Stream, Zero, [P = *P](Runtime &R, ProgramStream &S) {   \
      return copy3DPeer(R, S, &P);                                             \
    });                                                                        \
  }

GRIDSPAN_PEERS(, , DefaultStream::Legacy)
GRIDSPAN_PEERS(_ptds, _ptsz, DefaultStream::PerThread)
