//===- TableMemory.h - The memory of a hash map --------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table on devices is one part. A larger one is as many parts as have room in
// work space one by one: keys that are sorted by part meet their part there.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_TABLEMEMORY_H
#define GRIDSPAN_ALGORITHM_TABLEMEMORY_H

#include "gridspan/algorithm/HashTable.h"

namespace gridspan::detail {

/// The table of a map, and work on it in a stream.
template <typename Key, typename Value> class TableMemory {
public:
  using Mixed = typename MixedKey<Key>::Type;
  using Part = Slots<Mixed, Value>;

  explicit TableMemory(cudaStream_t Stream)
      : Stream(Stream), States(Stream), Keys(Stream), Values(Stream) {}

  Index capacity() const { return Capacity; }
  /// Returns true if keys are in no order of their own to be looked up.
  bool isOnePart() const { return !IsPaged; }

  /// Makes a table of free slots; Slots is a power of two.
  cudaError_t make(Index Slots) {
    if (cudaError_t Error = States.allocate(Slots))
      return Error;
    if (cudaError_t Error = Keys.allocate(Slots))
      return Error;
    if (cudaError_t Error = Values.allocate(Slots))
      return Error;
    Capacity = PartSlots = Slots;
    if (cudaError_t Error = withMemory(
            Stream,
            [&](const auto &Where, auto *, auto *, auto *) {
              IsPaged = Where.frameBytes() != 0;
              return cudaSuccess;
            },
            reads(States.get(), Slots), reads(Keys.get(), Slots),
            reads(Values.get(), Slots)))
      return Error;
    if (IsPaged) {
      constexpr uint64_t SlotBytes =
          sizeof(unsigned) + sizeof(Mixed) + sizeof(Value);
      Index Room = 0;
      if (cudaError_t Error = findRoom(SlotBytes, 8, 1, Slots, Room))
        return Error;
      while (PartSlots > 1 && PartSlots > Room)
        PartSlots /= 2;
    }
    return clear();
  }

  cudaError_t clear() {
    if (Capacity == 0)
      return cudaSuccess;
    return cudaMemsetAsync(States.get(), 0,
                           static_cast<size_t>(Capacity) * sizeof(unsigned),
                           Stream);
  }

  /// Returns the whole table, to be read.
  Part all() const { return part(0, Capacity); }

  /// Calls Do(part, first key, keys) for each part that some of the sorted keys
  /// belong to. Writes: Do changes it.
  template <typename Work>
  cudaError_t forKeys(const Mixed *Sorted, Index Count, bool Writes, Work Do) {
    if (!IsPaged)
      return Do(all(), Index(0), Count);
    std::unique_ptr<Index[]> Begins;
    {
      WorkSpace<Index> Found(Stream);
      if (cudaError_t Error = Found.allocate(parts() + 1))
        return Error;
      if (cudaError_t Error =
              launchForEach(findKeyParts<Mixed>, parts() + 1, Stream, Sorted,
                            Count, partShift(), parts(), Found.get()))
        return Error;
      if (cudaError_t Error =
              tellHost(Found.get(), parts() + 1, Begins, Stream))
        return Error;
    }
    return forParts(
        [&](Index P, const Part &Here, auto Load, auto Save) -> cudaError_t {
          const Index First = Begins[P], Keys = Begins[P + 1] - First;
          if (Keys == 0)
            return cudaSuccess;
          if (cudaError_t Error = Load())
            return Error;
          if (cudaError_t Error = Do(Here, First, Keys))
            return Error;
          return Writes ? Save() : cudaSuccess;
        });
  }

  /// Puts what is in Old into this table, which is empty.
  cudaError_t take(const TableMemory &Old, TableChanges *Changes) {
    if (Old.Capacity == 0)
      return cudaSuccess;
    return forParts([&](Index P, const Part &Here, auto,
                        auto Save) -> cudaError_t {
      if (IsPaged)
        if (cudaError_t Error = cudaMemsetAsync(
                Here.States, 0,
                static_cast<size_t>(PartSlots) * sizeof(unsigned), Stream))
          return Error;
      // Parts of both tables are whole powers of two of the mixed keys.
      const Index First = P * Old.parts() / parts();
      const Index Last = std::max(((P + 1) * Old.parts() - 1) / parts(), First);
      for (Index O = First; O <= Last; ++O)
        if (cudaError_t Error =
                launchForEach(moveSlots<Part>, Old.PartSlots, Stream,
                              Old.part(O * Old.PartSlots, Old.PartSlots), Here,
                              partShift(), P, Changes))
          return Error;
      return Save();
    });
  }

  void swap(TableMemory &Other) {
    States.swap(Other.States);
    Keys.swap(Other.Keys);
    Values.swap(Other.Values);
    std::swap(Capacity, Other.Capacity);
    std::swap(PartSlots, Other.PartSlots);
    std::swap(IsPaged, Other.IsPaged);
  }

private:
  Index parts() const { return Capacity / PartSlots; }
  static unsigned logOf(Index Power) {
    unsigned Log = 0;
    while (Power > Index(1) << Log)
      ++Log;
    return Log;
  }
  unsigned partShift() const { return MixedKey<Key>::Bits - logOf(parts()); }

  Part part(Index First, Index Count) const {
    const unsigned Log = logOf(Capacity);
    constexpr unsigned Bits = MixedKey<Key>::Bits;
    return {States.get() + First, Keys.get() + First, Values.get() + First,
            Count, Bits > Log ? Bits - Log : 0};
  }

  /// The states last: if one of the copies fails, no slot is full that has no
  /// key.
  cudaError_t copyPart(const Part &From, const Part &To) {
    if (cudaError_t Error =
            copyOnDevices(From.Values, To.Values, From.Count, Stream))
      return Error;
    if (cudaError_t Error =
            copyOnDevices(From.Keys, To.Keys, From.Count, Stream))
      return Error;
    return copyOnDevices(From.States, To.States, From.Count, Stream);
  }

  /// Calls Do(number, work space of a part, bring it, save it), or with the
  /// table itself, where there is nothing to bring and save.
  template <typename Work> cudaError_t forParts(Work Do) {
    const auto Nothing = [] { return cudaSuccess; };
    if (!IsPaged)
      return Do(Index(0), all(), Nothing, Nothing);
    WorkSpace<unsigned> HereStates(Stream);
    WorkSpace<Mixed> HereKeys(Stream);
    WorkSpace<Value> HereValues(Stream);
    if (cudaError_t Error = HereStates.allocate(PartSlots))
      return Error;
    if (cudaError_t Error = HereKeys.allocate(PartSlots))
      return Error;
    if (cudaError_t Error = HereValues.allocate(PartSlots))
      return Error;
    for (Index P = 0; P < parts(); ++P) {
      const Part There = part(P * PartSlots, PartSlots);
      const Part Here = {HereStates.get(), HereKeys.get(), HereValues.get(),
                         PartSlots, There.Shift};
      if (cudaError_t Error = Do(
              P, Here, [&] { return copyPart(There, Here); },
              [&] { return copyPart(Here, There); }))
        return Error;
    }
    return cudaSuccess;
  }

  const cudaStream_t Stream;
  WorkSpace<unsigned> States;
  WorkSpace<Mixed> Keys;
  WorkSpace<Value> Values;
  Index Capacity = 0, PartSlots = 1;
  bool IsPaged = false;
};

} // namespace gridspan::detail

#endif // GRIDSPAN_ALGORITHM_TABLEMEMORY_H
