//===- HashTable.h - Slots of a hash map ---------------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of hash_map. Keys are mixed by a bijection (the finalizers of
// MurmurHash3), so that a mixed key stands for the key, and its high bits are
// its first slot. Probing is linear, and goes round within a part of the table.
// So parts are tables of their own, and sorted mixed keys are in the parts'
// order.
//
// The keys of one launch that changes the table are all different. A launch
// first updates what is there; the next one claims free slots for the rest, by
// their states alone. So it compares no key with one that is being written, no
// key is reserved, and values are of any size.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_HASHTABLE_H
#define GRIDSPAN_ALGORITHM_HASHTABLE_H

#include "gridspan/algorithm/Order.h"
#include "gridspan/algorithm/Ranges.h"

namespace gridspan::detail {

/// Keys as integers of the same size that follow no order, and back.
template <typename Key> struct MixedKey {
  static_assert((sizeof(Key) == 4 || sizeof(Key) == 8) &&
                    std::is_trivially_copyable_v<Key>,
                "keys of 4 or 8 bytes");
  using Type = typename UnsignedOf<sizeof(Key)>::Type;
  static constexpr unsigned Bits = 8 * sizeof(Key);

  static __host__ __device__ Type of(const Key &K) {
    Type X = __builtin_bit_cast(Type, K);
    if constexpr (sizeof(Key) == 8) {
      X = (X ^ X >> 33) * 0xff51afd7ed558ccdULL;
      X = (X ^ X >> 33) * 0xc4ceb9fe1a85ec53ULL;
      return X ^ X >> 33;
    } else {
      X = (X ^ X >> 16) * 0x85ebca6bU;
      X = (X ^ X >> 13) * 0xc2b2ae35U;
      return X ^ X >> 16;
    }
  }
  static __host__ __device__ Key key(Type X) {
    if constexpr (sizeof(Key) == 8) {
      X = (X ^ X >> 33) * 0x9cb4b2f8129337dbULL;
      X = (X ^ X >> 33) * 0x4f74430c22a54005ULL;
      return __builtin_bit_cast(Key, X ^ X >> 33);
    } else {
      X = (X ^ X >> 16) * 0x7ed1b41dU;
      X = (X ^ X >> 13 ^ X >> 26) * 0xa5cb9243U;
      return __builtin_bit_cast(Key, X ^ X >> 16);
    }
  }
};

template <typename Key> struct MixKey {
  __host__ __device__ typename MixedKey<Key>::Type
  operator()(const Key &K) const {
    return MixedKey<Key>::of(K);
  }
};

enum SlotState : unsigned { SlotFree = 0, SlotFull = 1, SlotErased = 2 };

/// Some slots, or all of a table: a power of two. Shift moves a mixed key so
/// that its low bits are its first slot here.
template <typename Mixed, typename Value> struct Slots {
  unsigned *States;
  Mixed *Keys;
  Value *Values;
  Index Count;
  unsigned Shift;

  /// Calls Stop(slot) for the slots of a key, in the order of probing, until it
  /// returns true. Returns false if it never did.
  template <typename Function>
  __device__ __forceinline__ bool probe(Mixed K, Function Stop) const {
    const Index Mask = Count - 1;
    Index At = static_cast<Index>(K >> Shift) & Mask;
    for (Index I = 0; I < Count; ++I, At = (At + 1) & Mask)
      if (Stop(At))
        return true;
    return false;
  }

  /// Returns the slot of a key, or -1.
  __device__ __forceinline__ Index find(Mixed K) const {
    Index Found = -1;
    probe(K, [&](Index At) {
      const unsigned State = States[At];
      if (State == SlotFull && Keys[At] == K)
        Found = At;
      return State == SlotFree || Found >= 0;
    });
    return Found;
  }
};

/// What launches count.
struct TableChanges {
  unsigned long long Added, Failed, Erased;
};

/// Combines values with those of keys that are there, and says which are.
template <typename Table, typename Mixed, typename Value, typename Operation>
__global__ void __launch_bounds__(ElementThreads)
    updateSlots(Table In, const Mixed *Keys, const Value *Values,
                unsigned char *Done, Index Elements, Operation Op) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= Elements || Done[I])
    return;
  const Index At = In.find(Keys[I]);
  if (At < 0)
    return;
  In.Values[At] = Op(In.Values[At], Values[I]);
  Done[I] = 1;
}

/// Puts keys that are not there, unless Done, into slots that are not full.
template <typename Table, typename Mixed, typename Value>
__global__ void __launch_bounds__(ElementThreads)
    claimSlots(Table In, const Mixed *Keys, const Value *Values,
               unsigned char *Done, Index Elements, TableChanges *Changes) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= Elements || Done[I])
    return;
  const bool IsIn = In.probe(Keys[I], [&](Index At) {
    const unsigned State = In.States[At];
    if (State == SlotFull ||
        atomicCAS(&In.States[At], State, unsigned(SlotFull)) != State)
      return false;
    In.Keys[At] = Keys[I];
    In.Values[At] = Values[I];
    return true;
  });
  if (IsIn)
    Done[I] = 1;
  atomicAdd(IsIn ? &Changes->Added : &Changes->Failed, 1ULL);
}

/// Puts the full slots of Old whose keys belong to part number Part of In, of
/// which PartShift leaves the number.
template <typename Table>
__global__ void __launch_bounds__(ElementThreads)
    moveSlots(Table Old, Table In, unsigned PartShift, Index Part,
              TableChanges *Changes) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= Old.Count || Old.States[I] != SlotFull)
    return;
  const auto Key = Old.Keys[I];
  // All of the table are one part where nothing is left of the key.
  const Index Of = PartShift < 8 * sizeof(Key) ? Index(Key >> PartShift) : 0;
  if (Of != Part)
    return;
  const bool IsIn = In.probe(Key, [&](Index At) {
    if (atomicCAS(&In.States[At], unsigned(SlotFree), unsigned(SlotFull)) !=
        SlotFree)
      return false;
    In.Keys[At] = Key;
    In.Values[At] = Old.Values[I];
    return true;
  });
  if (!IsIn)
    atomicAdd(&Changes->Failed, 1ULL);
}

template <typename Table, typename Mixed>
__global__ void __launch_bounds__(ElementThreads)
    eraseSlots(Table In, const Mixed *Keys, Index Elements,
               TableChanges *Changes) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= Elements)
    return;
  const Index At = In.find(Keys[I]);
  // The same key may be there twice.
  if (At >= 0 && atomicCAS(&In.States[At], unsigned(SlotFull),
                           unsigned(SlotErased)) == SlotFull)
    atomicAdd(&Changes->Erased, 1ULL);
}

/// Sets each value to that of the key, or to Other.
template <typename Table, typename Mixed, typename Value>
__global__ void __launch_bounds__(ElementThreads)
    findValues(Table In, const Mixed *Keys, Index Elements, Value *Out,
               Value Other) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I >= Elements)
    return;
  const Index At = In.find(Keys[I]);
  Out[I] = At >= 0 ? In.Values[At] : Other;
}

template <typename Table, typename Mixed>
__global__ void __launch_bounds__(ElementThreads)
    findKeys(Table In, const Mixed *Keys, Index Elements, unsigned char *Out) {
  const Index I = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Elements)
    Out[I] = In.find(Keys[I]) >= 0;
}

/// Finds where the keys of each part begin among sorted ones.
template <typename Mixed>
__global__ void __launch_bounds__(ElementThreads)
    findKeyParts(const Mixed *Keys, Index Elements, unsigned PartShift,
                 Index Parts, Index *Begins) {
  const Index P = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (P > Parts)
    return;
  Index Lo = 0, Hi = Elements;
  while (Lo < Hi) {
    const Index Mid = (Lo + Hi) / 2;
    const Index Of =
        PartShift < 8 * sizeof(Mixed) ? Index(Keys[Mid] >> PartShift) : 0;
    if (Of < P)
      Lo = Mid + 1;
    else
      Hi = Mid;
  }
  Begins[P] = Lo;
}

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_HASHTABLE_H
