//===- CpuCodes.h - Numbers in calls of the CPU device ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowered device code tells the runtime which of several similar operations it
// wants by these numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CPUCODES_H
#define GRIDSPAN_CPUCODES_H

#include <cstdint>

namespace gridspan {

enum class BarrierReduction : uint32_t { Count, And, Or };
enum class WarpVote : uint32_t { All, Any, Uniform, Ballot };
enum class WarpShuffle : uint32_t { Up, Down, Butterfly, Index };
enum class WarpReduction : uint32_t {
  Add,
  Min,
  Max,
  UnsignedMin,
  UnsignedMax,
  And,
  Or,
  Xor
};

/// The lowest bits of an mbarrier's word are the arrivals that its phase still
/// waits for. There are as many in PTX.
constexpr unsigned MbarrierCountBits = 20;

/// The processors that a kernel's code is for, from the program's own on: each
/// runs the code of those before it.
enum class VectorLevel : uint32_t { Program, Avx2, Avx512 };

/// Rounding of an arithmetic operation: to nearest even, toward zero, minus
/// infinity, plus infinity.
enum class Rounding : uint32_t { Nearest, Zero, Down, Up };

/// Blocks have barriers 0 to 15 (PTX ISA, bar), and this one of their cluster,
/// which has no other block.
constexpr uint32_t ClusterBarrier = 16;

/// In the modes that recorded accesses have: bits below are a GridspanMode,
/// from this bit on one more than the logarithm of the alignment that the
/// access needs; 0: none.
constexpr uint32_t AccessAlignmentShift = 8;

/// The memory that a generic address points to.
enum class MemorySpace : uint32_t { Global, Shared, Local };

/// The geometry that an instruction takes a texture or a surface to have.
enum class TextureShape : uint32_t {
  Line,
  Plane,
  Volume,
  Cube,
  Lines, ///< this and below: layers, of which the first coordinate is one
  Planes,
  Cubes
};
/// The manner in which an instruction reads a texture.
enum class TextureLookup : uint32_t {
  Base,     ///< the finest level
  Level,    ///< the level that is given
  Gradient, ///< the level for the derivatives that are given
  Gather,   ///< one component of the four texels of a linear filter
  Fetch,    ///< an element by its index
};
/// What an instruction does with accesses outside of a surface.
enum class SurfaceBoundary : uint32_t { Trap, Clamp, Zero };
/// A property of a texture or a surface that an instruction asks for.
enum class TextureQuery : uint32_t {
  Width,
  Height,
  Depth,
  ChannelDataType,
  ChannelOrder,
  NormalizedCoordinates,
  ArraySize,
  MipmapLevels,
  Samples
};

/// The second argument of the CPU device's functions for textures has the
/// shape below these, and above: the lookup and the component that is
/// gathered; or the boundary and the number of bytes.
constexpr unsigned TextureLookupShift = 8;
constexpr unsigned TextureComponentShift = 16;

} // namespace gridspan

#endif // GRIDSPAN_CPUCODES_H
