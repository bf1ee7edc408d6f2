//===- CombineKernel.cu - Private copies of reductions --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to PTX by the build, without headers of CUDA. Fills memory with the
// identity of an operation, and combines copies with what they are copies of, a
// row of blocks for each, by the operation's own atomics of system scope: other
// rows and kernels of other streams, also on other devices, may have atomics
// there meanwhile. Elements that are the identity, which nobody has reduced
// into, cost no more than their reading.
//
// Each thread reads several elements before it combines the first one, as they
// come over a link.
//
//===----------------------------------------------------------------------===//

namespace {

using uint32_t = unsigned;
using int32_t = int;
using uint64_t = unsigned long long;
using int64_t = long long;

constexpr unsigned PerThread = 4; // of Combiner.cpp

struct Sources { // of Combiner.cpp
  const void *At[8];
};

enum class Reduction : unsigned { // GridspanReduction
  None,
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined) Kind,
#include "gridspan/Reductions.def"
};

__attribute__((device)) inline uint64_t thread() {
  return uint64_t(__nvvm_read_ptx_sreg_ctaid_x()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

__attribute__((device)) inline uint64_t threads() {
  return uint64_t(__nvvm_read_ptx_sreg_nctaid_x()) *
         __nvvm_read_ptx_sreg_ntid_x();
}

template <typename Word>
__attribute__((device)) inline void fill(Word *Out, uint64_t Count,
                                         uint64_t Identity) {
  for (uint64_t I = thread(), Step = threads(); I < Count; I += Step)
    Out[I] = Word(Identity);
}

#define CONSTRAINT_uint32_t "r"
#define CONSTRAINT_int32_t "r"
#define CONSTRAINT_uint64_t "l"
#define CONSTRAINT_int64_t "l"
#define CONSTRAINT_float "f"
#define CONSTRAINT_double "d"

template <typename Word>
__attribute__((device)) inline void reduce(Reduction Operation, Word *Into,
                                           Word Bits) {
  switch (Operation) {
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined)               \
  case Reduction::Kind:                                                        \
    if constexpr (sizeof(Type) == sizeof(Word))                                \
      asm volatile("red.sys." Name " [%0], %1;" ::"l"(Into),                   \
                   CONSTRAINT_##Type(__builtin_bit_cast(Type, Bits))           \
                   : "memory");                                                \
    break;
#include "gridspan/Reductions.def"
  case Reduction::None:
    break;
  }
}

template <typename Word>
__attribute__((device)) inline void combine(Word *Into, const Sources &All,
                                            uint64_t Count, uint64_t Identity,
                                            Reduction Operation) {
  const auto *From =
      static_cast<const Word *>(All.At[__nvvm_read_ptx_sreg_ctaid_y()]);
  const Word Skipped = Word(Identity);
  const uint64_t Step = threads();
  for (uint64_t I = thread(); I < Count; I += PerThread * Step) {
    Word Part[PerThread];
#pragma unroll
    for (unsigned K = 0; K != PerThread; ++K)
      Part[K] = I + K * Step < Count ? From[I + K * Step] : Skipped;
    // Not unrolled: the many operations would be compiled as often.
#pragma clang loop unroll(disable)
    for (unsigned K = 0; K != PerThread; ++K) {
      if (Part[0] != Skipped)
        reduce(Operation, Into + I + K * Step, Part[0]);
#pragma unroll
      for (unsigned Next = 1; Next != PerThread; ++Next)
        Part[Next - 1] = Part[Next];
    }
  }
}

} // namespace

#define KERNELS(Bytes, Word)                                                   \
  extern "C" __attribute__((global)) void gridspan_fill_##Bytes(               \
      Word *Out, uint64_t Count, uint64_t Identity) {                          \
    fill(Out, Count, Identity);                                                \
  }                                                                            \
  extern "C" __attribute__((global)) void gridspan_combine_##Bytes(            \
      Word *Into, Sources From, uint64_t Count, uint64_t Identity,             \
      unsigned Operation) {                                                    \
    combine(Into, From, Count, Identity, Reduction(Operation));                \
  }

KERNELS(4, uint32_t)
KERNELS(8, uint64_t)
