//===- BoxCopy.h - Copies of boxes of memory and arrays ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On GPUs copies of boxes are CUDA's, and only what they write is noted; a CPU
// device does them slice by slice, and so they are done where an end is paged:
// CUDA would see the host's copy alone, which frames on devices may be newer
// than (Pager.h). Between paged memory and CUDA's arrays there is no such way.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_BOXCOPY_H
#define GRIDSPAN_RUNTIME_API_BOXCOPY_H

#include "runtime/api/ApiCall.h"
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace gridspan {

/// Lets CUDA write Dst in the stream's order by Do(cudaStream_t). Returns
/// nothing, with nothing done, where some end is paged or there are no GPUs.
template <typename Function>
std::optional<cudaError_t>
doneByVendor(Runtime &R, ProgramStream &S,
             std::initializer_list<const void *> Ends, const void *Dst,
             Function &&Do) {
  if (!hasVendorMemory(R))
    return std::nullopt;
  PlacementReader Placement(R.memory().placementLock());
  for (const void *End : Ends)
    if (std::shared_ptr<Allocation> A = R.memory().find(End); A && A->Paged)
      return std::nullopt;
  for (const void *End : Ends)
    if (std::shared_ptr<Allocation> A = R.memory().find(End))
      if (cudaError_t Error = R.memory().owned().bring(*A, S.main()))
        return Error;
  MutexLock Order(S.lock());
  const cudaError_t Error = Do(S.main().native());
  // Before the version, as in CopyEngine::noteWritten().
  ProgramStream::operated(ProgramStream::Work::EndsByItself);
  if (std::shared_ptr<Allocation> A = R.memory().find(Dst))
    A->written();
  return Error;
}

/// One end of a copy: pitched memory, or an array of the CPU device.
struct BoxEnd {
  std::byte *At = nullptr;
  size_t Pitch = 0;
  size_t SlicePitch = 0;
  size_t ElementBytes = 1;
  /// The bytes, rows and slices that there are from here on, in an array.
  cudaExtent Room = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

  /// Returns the bytes from here to the end of the slice.
  size_t bytesLeft() const {
    return Room.height == SIZE_MAX ? SIZE_MAX
                                   : (Room.height - 1) * Pitch + Room.width;
  }
};

/// The unit of the x coordinate in an array.
enum class ArrayUnit { Bytes, Elements };

/// Returns a place in an array of the CPU device; nothing if there is no such
/// array, or it has no such place.
std::optional<BoxEnd> arrayEnd(cudaArray_const_t Array, const cudaPos &At,
                               ArrayUnit Unit);

/// Copies Extent.width bytes of Extent.height rows of Extent.depth slices.
/// cudaErrorInvalidValue if an array does not have as many.
cudaError_t copyBox(Runtime &R, ProgramStream &S, const BoxEnd &To,
                    const BoxEnd &From, const cudaExtent &Extent);

/// These are cudaMemcpy3DAsync and cudaMemset2DAsync.
cudaError_t copy3D(Runtime &R, ProgramStream &S, const cudaMemcpy3DParms *P);
cudaError_t fill2D(Runtime &R, ProgramStream &S, void *Dst, size_t Pitch,
                   int Byte, size_t Width, size_t Height);

/// Says once that Function does not copy between CUDA's arrays and paged
/// memory, and returns the error for it.
cudaError_t refuseArray(const char *Function);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_BOXCOPY_H
