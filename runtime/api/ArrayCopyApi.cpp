//===- ArrayCopyApi.cpp - Copies to and from arrays -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cudaMemcpy2DToArray and its kin: CUDA's own on GPUs, else copies of rows
// (BoxCopy.h). Offsets and widths are in bytes.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/BoxCopy.h"

using namespace gridspan;

/// Notes that Copy(), which returns an error, writes Array, if that is not
/// null.
template <typename Function>
static cudaError_t writing(Runtime &R, cudaArray_t Array, Function &&Copy) {
  const cudaError_t Error = Copy();
  if (Array)
    R.launches().textures().arrayWritten(Array);
  return Error;
}

/// Copies rows by Vendor(stream), or between Ends() -> {to, from}.
template <typename VendorFunction, typename EndsFunction>
static cudaError_t copyRows(const char *Name, Runtime &R, ProgramStream &S,
                            void *Dst, const void *Src, size_t Width,
                            size_t Height, cudaMemcpyKind Kind,
                            VendorFunction &&Vendor, EndsFunction &&Ends) {
  if (Kind < cudaMemcpyHostToHost || Kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (const std::optional<cudaError_t> Done =
          doneByVendor(R, S, {Dst, Src}, Dst, Vendor))
    return *Done;
  if (hasVendorMemory(R))
    return refuseArray(Name);
  if (Width == 0 || Height == 0)
    return cudaSuccess;
  const auto [To, From] = Ends();
  if (!To || !From)
    return cudaErrorInvalidValue;
  return copyBox(R, S, *To, *From, {Width, Height, 1});
}

static std::optional<BoxEnd> memoryEnd(const void *Address, size_t Pitch) {
  if (!Address)
    return std::nullopt;
  return BoxEnd{
      const_cast<std::byte *>(static_cast<const std::byte *>(Address)), Pitch,
      0, 1};
}

static cudaError_t toArray(Runtime &R, ProgramStream &S, cudaArray_t Dst,
                           size_t X, size_t Y, const void *Src, size_t Pitch,
                           size_t Width, size_t Height, cudaMemcpyKind Kind) {
  return writing(R, Dst, [&] {
    return copyRows(
        "cudaMemcpy2DToArray", R, S, nullptr, Src, Width, Height, Kind,
        [=](cudaStream_t Stream) {
          return cudaMemcpy2DToArrayAsync(Dst, X, Y, Src, Pitch, Width, Height,
                                          Kind, Stream);
        },
        [=] {
          return std::pair(arrayEnd(Dst, {X, Y, 0}, ArrayUnit::Bytes),
                           memoryEnd(Src, Pitch));
        });
  });
}

static cudaError_t fromArray(Runtime &R, ProgramStream &S, void *Dst,
                             size_t Pitch, cudaArray_const_t Src, size_t X,
                             size_t Y, size_t Width, size_t Height,
                             cudaMemcpyKind Kind) {
  return copyRows(
      "cudaMemcpy2DFromArray", R, S, Dst, nullptr, Width, Height, Kind,
      [=](cudaStream_t Stream) {
        return cudaMemcpy2DFromArrayAsync(Dst, Pitch, Src, X, Y, Width, Height,
                                          Kind, Stream);
      },
      [=] {
        return std::pair(memoryEnd(Dst, Pitch),
                         arrayEnd(Src, {X, Y, 0}, ArrayUnit::Bytes));
      });
}

static cudaError_t betweenArrays(Runtime &R, ProgramStream &S, cudaArray_t Dst,
                                 size_t DstX, size_t DstY,
                                 cudaArray_const_t Src, size_t SrcX,
                                 size_t SrcY, size_t Width, size_t Height,
                                 cudaMemcpyKind Kind) {
  return writing(R, Dst, [&] {
    return copyRows(
        "cudaMemcpy2DArrayToArray", R, S, nullptr, nullptr, Width, Height, Kind,
        [=](cudaStream_t) {
          return cudaMemcpy2DArrayToArray(Dst, DstX, DstY, Src, SrcX, SrcY,
                                          Width, Height, Kind);
        },
        [=] {
          return std::pair(arrayEnd(Dst, {DstX, DstY, 0}, ArrayUnit::Bytes),
                           arrayEnd(Src, {SrcX, SrcY, 0}, ArrayUnit::Bytes));
        });
  });
}

/// Copies of bytes that go on in the next row at the end of one: CUDA's, or
/// copies of memory, as rows follow each other.
template <typename VendorFunction, typename EndsFunction>
static cudaError_t copyBytes(const char *Name, Runtime &R, ProgramStream &S,
                             void *Dst, const void *Src, size_t Bytes,
                             cudaMemcpyKind Kind, VendorFunction &&Vendor,
                             EndsFunction &&Ends) {
  if (Kind < cudaMemcpyHostToHost || Kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (const std::optional<cudaError_t> Done =
          doneByVendor(R, S, {Dst, Src}, Dst, Vendor))
    return *Done;
  if (hasVendorMemory(R))
    return refuseArray(Name);
  if (Bytes == 0)
    return cudaSuccess;
  const auto [To, From] = Ends();
  if (!To || !From || Bytes > To->bytesLeft() || Bytes > From->bytesLeft())
    return cudaErrorInvalidValue;
  return R.copies().copy(S, To->At, From->At, Bytes);
}

// The older functions, which newer toolkits call deprecated.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cudaError_t bytesToArray(Runtime &R, ProgramStream &S, cudaArray_t Dst,
                                size_t X, size_t Y, const void *Src,
                                size_t Bytes, cudaMemcpyKind Kind) {
  return writing(R, Dst, [&] {
    return copyBytes(
        "cudaMemcpyToArray", R, S, nullptr, Src, Bytes, Kind,
        [=](cudaStream_t Stream) {
          return cudaMemcpyToArrayAsync(Dst, X, Y, Src, Bytes, Kind, Stream);
        },
        [=] {
          return std::pair(arrayEnd(Dst, {X, Y, 0}, ArrayUnit::Bytes),
                           memoryEnd(Src, Bytes));
        });
  });
}

static cudaError_t bytesFromArray(Runtime &R, ProgramStream &S, void *Dst,
                                  cudaArray_const_t Src, size_t X, size_t Y,
                                  size_t Bytes, cudaMemcpyKind Kind) {
  return copyBytes(
      "cudaMemcpyFromArray", R, S, Dst, nullptr, Bytes, Kind,
      [=](cudaStream_t Stream) {
        return cudaMemcpyFromArrayAsync(Dst, Src, X, Y, Bytes, Kind, Stream);
      },
      [=] {
        return std::pair(memoryEnd(Dst, Bytes),
                         arrayEnd(Src, {X, Y, 0}, ArrayUnit::Bytes));
      });
}

static cudaError_t bytesBetweenArrays(Runtime &R, ProgramStream &S,
                                      cudaArray_t Dst, size_t DstX, size_t DstY,
                                      cudaArray_const_t Src, size_t SrcX,
                                      size_t SrcY, size_t Bytes,
                                      cudaMemcpyKind Kind) {
  return writing(R, Dst, [&] {
    return copyBytes(
        "cudaMemcpyArrayToArray", R, S, nullptr, nullptr, Bytes, Kind,
        [=](cudaStream_t) {
          return cudaMemcpyArrayToArray(Dst, DstX, DstY, Src, SrcX, SrcY, Bytes,
                                        Kind);
        },
        [=] {
          return std::pair(arrayEnd(Dst, {DstX, DstY, 0}, ArrayUnit::Bytes),
                           arrayEnd(Src, {SrcX, SrcY, 0}, ArrayUnit::Bytes));
        });
  });
}

#pragma GCC diagnostic pop

/// Runs Enqueue(Runtime &, ProgramStream &) in the default stream and waits.
template <typename Function>
static cudaError_t sync(DefaultStream Zero, Function &&Enqueue) {
  return streamCall<CapturedAs::Refused>(
      nullptr, Zero, [&](Runtime &R, ProgramStream &S) {
        const cudaError_t Error = Enqueue(R, S);
        R.memory().noteHostSync();
        return Error ? Error : R.backend().synchronize(S.main());
      });
}

#define GRIDSPAN_ARRAY_COPIES(SyncSuffix, AsyncSuffix, Zero)                   \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy2DToArray##SyncSuffix(       \
      cudaArray_t Dst, size_t X, size_t Y, const void *Src, size_t Pitch,      \
      size_t Width, size_t Height, cudaMemcpyKind Kind) {                      \
    return sync(Zero, [=](Runtime &R, ProgramStream &S) {                      \
      return toArray(R, S, Dst, X, Y, Src, Pitch, Width, Height, Kind);        \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy2DToArrayAsync##AsyncSuffix( \
      cudaArray_t Dst, size_t X, size_t Y, const void *Src, size_t Pitch,      \
      size_t Width, size_t Height, cudaMemcpyKind Kind, cudaStream_t Stream) { \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return toArray(R, S, Dst, X, Y, Src, Pitch, Width, Height, Kind);        \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy2DFromArray##SyncSuffix(     \
      void *Dst, size_t Pitch, cudaArray_const_t Src, size_t X, size_t Y,      \
      size_t Width, size_t Height, cudaMemcpyKind Kind) {                      \
    return sync(Zero, [=](Runtime &R, ProgramStream &S) {                      \
      return fromArray(R, S, Dst, Pitch, Src, X, Y, Width, Height, Kind);      \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t                                                   \
      __gridspan_cudaMemcpy2DFromArrayAsync##AsyncSuffix(                      \
          void *Dst, size_t Pitch, cudaArray_const_t Src, size_t X, size_t Y,  \
          size_t Width, size_t Height, cudaMemcpyKind Kind,                    \
          cudaStream_t Stream) {                                               \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return fromArray(R, S, Dst, Pitch, Src, X, Y, Width, Height, Kind);      \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpy2DArrayToArray##SyncSuffix(  \
      cudaArray_t Dst, size_t DstX, size_t DstY, cudaArray_const_t Src,        \
      size_t SrcX, size_t SrcY, size_t Width, size_t Height,                   \
      cudaMemcpyKind Kind) {                                                   \
    return sync(Zero, [=](Runtime &R, ProgramStream &S) {                      \
      return betweenArrays(R, S, Dst, DstX, DstY, Src, SrcX, SrcY, Width,      \
                           Height, Kind);                                      \
    });                                                                        \
  }

#define GRIDSPAN_ARRAY_BYTES(SyncSuffix, AsyncSuffix, Zero)                    \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyToArray##SyncSuffix(         \
      cudaArray_t Dst, size_t X, size_t Y, const void *Src, size_t Bytes,      \
      cudaMemcpyKind Kind) {                                                   \
    return sync(Zero, [=](Runtime &R, ProgramStream &S) {                      \
      return bytesToArray(R, S, Dst, X, Y, Src, Bytes, Kind);                  \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyToArrayAsync##AsyncSuffix(   \
      cudaArray_t Dst, size_t X, size_t Y, const void *Src, size_t Bytes,      \
      cudaMemcpyKind Kind, cudaStream_t Stream) {                              \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return bytesToArray(R, S, Dst, X, Y, Src, Bytes, Kind);                  \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyFromArray##SyncSuffix(       \
      void *Dst, cudaArray_const_t Src, size_t X, size_t Y, size_t Bytes,      \
      cudaMemcpyKind Kind) {                                                   \
    return sync(Zero, [=](Runtime &R, ProgramStream &S) {                      \
      return bytesFromArray(R, S, Dst, Src, X, Y, Bytes, Kind);                \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyFromArrayAsync##AsyncSuffix( \
      void *Dst, cudaArray_const_t Src, size_t X, size_t Y, size_t Bytes,      \
      cudaMemcpyKind Kind, cudaStream_t Stream) {                              \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return bytesFromArray(R, S, Dst, Src, X, Y, Bytes, Kind);                \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyArrayToArray##SyncSuffix(    \
      cudaArray_t Dst, size_t DstX, size_t DstY, cudaArray_const_t Src,        \
      size_t SrcX, size_t SrcY, size_t Bytes, cudaMemcpyKind Kind) {           \
    return sync(Zero, [=](Runtime &R, ProgramStream &S) {                      \
      return bytesBetweenArrays(R, S, Dst, DstX, DstY, Src, SrcX, SrcY, Bytes, \
                                Kind);                                         \
    });                                                                        \
  }

GRIDSPAN_ARRAY_COPIES(, , DefaultStream::Legacy)
GRIDSPAN_ARRAY_COPIES(_ptds, _ptsz, DefaultStream::PerThread)
GRIDSPAN_ARRAY_BYTES(, , DefaultStream::Legacy)
GRIDSPAN_ARRAY_BYTES(_ptds, _ptsz, DefaultStream::PerThread)
