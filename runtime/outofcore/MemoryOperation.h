//===- MemoryOperation.h - Fills and copies as launches ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fill of device memory, or a copy within it, of bytes, rows or a box, in the
// form of a launch: blocks of some bytes or rows, with a descriptor that says
// what each of them touches. So it may wait among launches and run in chunks
// between theirs. No code stands behind the descriptor; run() does what it
// says.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_MEMORYOPERATION_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_MEMORYOPERATION_H

#include "runtime/backend/Backend.h"
#include "runtime/stream/LaunchRequest.h"
#include <array>

namespace gridspan {

class MemoryOperation {
public:
  /// Depth planes of Height rows of Width bytes; none is 0.
  struct Extent {
    uint64_t Width = 0;
    uint64_t Height = 1;
    uint64_t Depth = 1;
    uint64_t bytes() const { return Width * Height * Depth; }
  };
  /// Where they are: the first byte, and the bytes from a row and from a plane
  /// to the next. These are of no meaning where there is one row, or plane.
  struct End {
    const std::byte *At = nullptr;
    uint64_t Pitch = 0;
    uint64_t PlanePitch = 0;
    /// Returns the bytes from the first to behind the last one.
    uint64_t span(const Extent &E) const {
      return (E.Depth - 1) * PlanePitch + (E.Height - 1) * Pitch + E.Width;
    }
  };

  /// Returns true if no byte is in two rows of End.
  static bool isSound(const End &At, const Extent &E);
  /// Returns true if it can be proven that the two have no byte in common.
  static bool areApart(const End &Dst, const End &Src, const Extent &E);

  /// Dst is sound.
  MemoryOperation(const End &Dst, int Byte, const Extent &E);
  /// Both are sound, and apart.
  MemoryOperation(const End &Dst, const End &Src, const Extent &E);
  MemoryOperation(const MemoryOperation &) = delete;

  /// Valid while this is where it is.
  LaunchRequest request(ProgramStream &S) const {
    return {{Kernel, Kernel->HostStub}, Shape, Values.data(), S};
  }

  /// Returns the descriptor of all fills, or of all copies.
  static const GridspanKernel &kernel(bool Fills);
  static bool isOne(const GridspanKernel &Kernel);
  /// Returns the bytes of an operation with these arguments.
  static uint64_t bytes(void *const *Args);
  /// Returns true if it is a fill.
  static bool isFill(const GridspanKernel &Kernel);

  /// Blocks of an operation.
  struct Blocks {
    std::array<uint32_t, 3> Lo;
    std::array<uint32_t, 3> Count;
  };
  /// Returns the bytes of blocks of it.
  static uint64_t bytes(void *const *Args, const Blocks &What);
  /// Where the first byte of an operation's end is: of frames, if it is paged,
  /// of so many bytes each.
  struct Place {
    uint64_t Offset = 0;
    uint64_t FrameBytes = 0; ///< 0: no copy needs to be divided
  };
  /// Enqueues blocks of an operation with the arguments that a launch of it
  /// has. Each copy and fill stays within a frame: those of a chunk may be on
  /// several devices.
  static cudaError_t run(Backend &B, Stream &S, const GridspanKernel &Kernel,
                         void *const *Args, const Blocks &What,
                         const Place &Dst, const Place &Src);

private:
  /// The values of the parameters.
  struct Arguments {
    const std::byte *Dst;
    const std::byte *Src;
    Extent Bytes;
    uint64_t DstPitch[2];
    uint64_t SrcPitch[2];
    int Byte;
  };
  MemoryOperation(const GridspanKernel &Kernel, Extent E, End Dst, End Src,
                  int Byte);

  const GridspanKernel *Kernel;
  LaunchShape Shape;
  Arguments Given;
  std::array<void *, 6> Values;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_MEMORYOPERATION_H
