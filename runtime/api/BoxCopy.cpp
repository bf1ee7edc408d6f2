//===- BoxCopy.cpp - Copies of boxes of memory and arrays -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of the CPU device is memory like any other (CpuArrays.h), so each
// slice of a box is a copy of rows, which CopyEngine orders.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/BoxCopy.h"
#include "runtime/api/CpuArrays.h"
#include <fmt/format.h>

namespace gridspan {

std::optional<BoxEnd> arrayEnd(cudaArray_const_t Array, const cudaPos &At,
                               ArrayUnit Unit) {
  const std::shared_ptr<CpuArray> A = CpuArrays::get().find(Array);
  if (!A)
    return std::nullopt;
  const TexelGrid &G = A->Grid;
  const size_t X =
      Unit == ArrayUnit::Elements ? At.x * A->Format.bytes() : At.x;
  const size_t RowBytes = G.Width * A->Format.bytes();
  if (X >= RowBytes || At.y >= G.Height || At.z >= G.Depth)
    return std::nullopt;
  return BoxEnd{G.Data + At.z * G.SlicePitch + At.y * G.Pitch + X,
                G.Pitch,
                G.SlicePitch,
                A->Format.bytes(),
                {RowBytes - X, G.Height - At.y, G.Depth - At.z}};
}

static bool hasRoom(const BoxEnd &End, const cudaExtent &Extent) {
  return Extent.width <= End.Room.width && Extent.height <= End.Room.height &&
         Extent.depth <= End.Room.depth;
}

cudaError_t copyBox(Runtime &R, ProgramStream &S, const BoxEnd &To,
                    const BoxEnd &From, const cudaExtent &Extent) {
  // Programs give a single row any pitch, such as 0.
  const bool IsRow = Extent.height <= 1 && Extent.depth <= 1;
  const size_t ToPitch = IsRow ? Extent.width : To.Pitch;
  const size_t FromPitch = IsRow ? Extent.width : From.Pitch;
  if (Extent.width > ToPitch || Extent.width > FromPitch)
    return cudaErrorInvalidPitchValue;
  if (!hasRoom(To, Extent) || !hasRoom(From, Extent))
    return cudaErrorInvalidValue;
  for (size_t Z = 0; Z < Extent.depth; ++Z)
    if (cudaError_t Error =
            R.copies().copy2D(S, To.At + Z * To.SlicePitch, ToPitch,
                              From.At + Z * From.SlicePitch, FromPitch,
                              Extent.width, Extent.height))
      return Error;
  return cudaSuccess;
}

cudaError_t refuseArray(const char *Function) {
  static std::once_flag Said;
  std::call_once(Said, [=] {
    fmt::print(stderr,
               "gridspan: {} does not copy between CUDA arrays and memory that "
               "devices cannot hold\n",
               Function);
  });
  return cudaErrorNotSupported;
}

} // namespace gridspan
