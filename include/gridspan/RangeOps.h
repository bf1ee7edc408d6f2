//===- RangeOps.h - Sets of values, computed at a launch --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the emitted range functions call: one function
// per kind of expression node (RangeOps.def). Each takes and gives the set of
// values that the node has over the threads and iterations of a box of blocks.
// Pure, thread-safe, no allocation, bounded time. Also used to evaluate an
// expression graph directly (analysis/summary/Evaluate.h).
//
// A set is a strided box
//
//   { Lo + sum over i of Stride_i * k_i : 0 <= k_i <= Last_i }
//
// of integers standing for bit patterns of Width bits. They all lie in the
// signed range of the width, or all in the unsigned one (for 64 bits: in the
// signed one). One number is in the signed range. A set that does not fit is
// Top: any pattern. An operation without a rule for boxes gives an enclosing
// one; of numbers it gives a number.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RANGEOPS_H
#define GRIDSPAN_RANGEOPS_H

#include "gridspan/ABI.h"

// Visible, so that programs may take them from libgridspan.so.
#pragma GCC visibility push(default)

extern "C" {

enum { GridspanMaxDims = 4 };

enum GridspanValueState : uint8_t {
  GridspanValueBox = 0,
  GridspanValueTop = 1,
  GridspanValueEmpty = 2, ///< no thread of the box gets there
};

struct GridspanDim {
  uint64_t Stride; ///< at least 1; ascending from dimension to dimension
  uint64_t Last;   ///< largest factor, at least 1
};

/// Says of a value that it depends on Symbols only through some digits of a
/// value that was divided. With all rows of `id` at hand, `id / N` and `id % N`
/// depend on the same symbols, and still combine freely. Digits are those
/// between the place values Lo and Hi; runs that do not overlap, of one Origin,
/// are independent.
struct GridspanDigits {
  uint64_t Symbols;
  uint64_t Lo;     ///< a place value: 1, N, N * M, ...
  uint64_t Hi;     ///< UINT64_MAX: all the upper ones
  uint32_t Origin; ///< identifies the divided value; 0: nothing is said
  uint32_t Pure;   ///< the value is the number that these digits make
};

struct GridspanValue {
  int64_t Lo;
  GridspanDim Dims[GridspanMaxDims];
  /// The varying symbols that the value depends on: a bit for each component of
  /// threadIdx and blockIdx, and for each loop (shared when there are many).
  /// Sets of values without common symbols combine freely.
  uint64_t Symbols;
  /// Members of Symbols that a guard within the value keeps from some of their
  /// values: where it is used at all, they do not take them.
  uint64_t Guarded;
  GridspanDigits Digits;
  uint8_t Width; ///< 1 to 64
  uint8_t State; ///< GridspanValueState
  uint8_t NumDims;
  uint8_t Exact; ///< every element is really attained
  uint32_t Reserved;
};

/// The values of llvm::CmpInst::Predicate.
enum GridspanPredicate : uint32_t {
  GridspanEQ = 32,
  GridspanNE,
  GridspanUGT,
  GridspanUGE,
  GridspanULT,
  GridspanULE,
  GridspanSGT,
  GridspanSGE,
  GridspanSLT,
  GridspanSLE,
};

/// Flags of Iter; the values of gridspan::IterFlags.
enum GridspanIterFlags : uint32_t {
  GridspanIterNSW = 1,
  GridspanIterNUW = 2,
  GridspanIterToLimit = 4,
};

// Out must be none of the operands.

/// Value is sign-extended from Width.
#define GRIDSPAN_RANGE_PARAMS_Const                                            \
  (GridspanValue * Out, uint32_t Width, int64_t Value)
/// Loads Width bits from the parameter Index, Offset bytes into it.
#define GRIDSPAN_RANGE_PARAMS_Param                                            \
  (GridspanValue * Out, uint32_t Width, const GridspanBox *Box,                \
   uint32_t Index, uint32_t Offset)
#define GRIDSPAN_RANGE_PARAMS_Special                                          \
  (GridspanValue * Out, const GridspanBox *Box, uint32_t Axis)
#define GRIDSPAN_RANGE_PARAMS_Bounded                                          \
  (GridspanValue * Out, uint32_t Width, int64_t Lo, int64_t Hi)
#define GRIDSPAN_RANGE_PARAMS_Unknown (GridspanValue * Out, uint32_t Width)
/// The integers in memory at the offsets At from the pointer in parameter
/// Index, Offset bytes into it: Top unless Box->Indices bounds them.
#define GRIDSPAN_RANGE_PARAMS_Load                                             \
  (GridspanValue * Out, uint32_t Width, const GridspanBox *Box,                \
   uint32_t Index, uint32_t Offset, const GridspanValue *At)
#define GRIDSPAN_RANGE_PARAMS_Binary                                           \
  (GridspanValue * Out, const GridspanValue *A, const GridspanValue *B)
/// NodeA and NodeB identify A and B among the values of the kernel.
#define GRIDSPAN_RANGE_PARAMS_Divide                                           \
  (GridspanValue * Out, const GridspanValue *A, const GridspanValue *B,        \
   uint32_t NodeA, uint32_t NodeB)
/// Width is that of the result.
#define GRIDSPAN_RANGE_PARAMS_Cast                                             \
  (GridspanValue * Out, const GridspanValue *A, uint32_t Width)
/// Pred is a GridspanPredicate.
#define GRIDSPAN_RANGE_PARAMS_Compare                                          \
  (GridspanValue * Out, const GridspanValue *A, const GridspanValue *B,        \
   uint32_t Pred)
#define GRIDSPAN_RANGE_PARAMS_Select                                           \
  (GridspanValue * Out, const GridspanValue *Cond, const GridspanValue *A,     \
   const GridspanValue *B)
/// BackedgeTaken is null when there is no bound.
#define GRIDSPAN_RANGE_PARAMS_Iter                                             \
  (GridspanValue * Out, const GridspanValue *Start, const GridspanValue *Step, \
   const GridspanValue *BackedgeTaken, uint32_t Flags, uint32_t Loop)

#define GRIDSPAN_RANGE_OP(Kind, Shape)                                         \
  void __gridspan_range_##Kind GRIDSPAN_RANGE_PARAMS_##Shape noexcept;
#include "gridspan/RangeOps.def"

/// The bytes touched: Length bytes (ElementSize when Length is null) at each of
/// the Offsets. Exact only when MayBeExact, which says that every guard of the
/// site is part of the Offset.
void __gridspan_range_finish(GridspanRange *Out, const GridspanValue *Offset,
                             const GridspanValue *Length, uint32_t ElementSize,
                             uint32_t MayBeExact) noexcept;

/// The range is unknown if it is not known what Loaded, on which it depends,
/// is: the offsets may then be bounded by nothing but the loaded integer's
/// width.
void __gridspan_range_need(GridspanRange *Out,
                           const GridspanValue *Loaded) noexcept;

/// Returns the mean of the set as an unsigned value, for estimates of work; a
/// guess where it is Top.
double __gridspan_range_mean(const GridspanValue *A) noexcept;

/// Returns how often the calling thread has been given that guess.
uint64_t __gridspan_range_guesses() noexcept;

/// Threads in the box.
double __gridspan_range_threads(const GridspanBox *Box) noexcept;

} // extern "C"

#pragma GCC visibility pop

#endif // GRIDSPAN_RANGEOPS_H
