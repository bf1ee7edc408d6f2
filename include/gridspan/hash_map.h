//===- hash_map.h - Maps of any size ----------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map on all devices, also larger than they are, which many keys at a time
// are put into and looked up in: docs/guide/primitives.md. To be compiled by
// gridspan++.
//
// What is put in is sorted by mixed key first, and equal keys are combined, in
// their order. So the keys of a launch are different, results do not depend on
// the order of threads, and a table that is larger than the devices comes to
// them part by part (algorithm/TableMemory.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_HASH_MAP_H
#define GRIDSPAN_HASH_MAP_H

#include "gridspan/algorithm.h"
#include "gridspan/algorithm/TableMemory.h"

namespace gridspan {
namespace detail {

struct FirstOfTwo {
  template <typename T>
  __host__ __device__ T operator()(const T &L, const T &) const {
    return L;
  }
};
struct SecondOfTwo {
  template <typename T>
  __host__ __device__ T operator()(const T &, const T &R) const {
    return R;
  }
};
struct AsItIs {
  template <typename T> __host__ __device__ T operator()(const T &V) const {
    return V;
  }
};

/// How many slots are full, and how many are erased.
struct SlotNumbers {
  Index Full, Erased;
  friend __host__ __device__ SlotNumbers operator+(const SlotNumbers &L,
                                                   const SlotNumbers &R) {
    return {L.Full + R.Full, L.Erased + R.Erased};
  }
};
struct NumberOfState {
  __host__ __device__ SlotNumbers operator()(unsigned State) const {
    return {State == SlotFull, State == SlotErased};
  }
};

/// Full slots of a table, as a selection has them (Ways.h).
template <typename Key, typename Value> struct FullSlots {
  using State = Index;
  using First = Key;
  using Second = Value;
  Slots<typename MixedKey<Key>::Type, Value> In;

  Plus operation() const { return {}; }
  __device__ State operator()(Index I) const {
    return In.States[I] == SlotFull;
  }
  static __device__ Counts countsOf(State Full, Index) {
    return {{Full, Full}};
  }
  template <typename Outputs>
  __device__ void put(Index I, State Full, const Outputs &To) const {
    if (In.States[I] != SlotFull)
      return;
    To.first(Full - 1, MixedKey<Key>::key(In.Keys[I]));
    To.second(Full - 1, In.Values[I]);
  }
};

} // namespace detail

/// Values by keys of 4 or 8 bytes, which are compared by their bits. All
/// functions return when they are done; errors are CUDA's. After an error the
/// map has the keys that it had, and perhaps some of those that were put in,
/// which size() counts if it can.
template <typename Key, typename Value> class hash_map {
public:
  explicit hash_map(cudaStream_t Stream = nullptr)
      : Stream(Stream), Table(Stream), Changes(Stream) {}

  /// Returns how many keys there are, and how many slots.
  size_t size() const {
    if (!IsExact)
      (void)countSlots();
    return static_cast<size_t>(Full);
  }
  size_t capacity() const { return static_cast<size_t>(Table.capacity()); }

  /// Makes room for so many keys, so that to put them in takes no growth.
  cudaError_t reserve(size_t Keys) {
    const auto Wanted = static_cast<Index>(Keys);
    return Wanted <= room(Table.capacity()) ? cudaSuccess
                                            : grow(capacityFor(Wanted));
  }

  /// Puts keys in that are not there, the first value of equal ones.
  template <typename KeyInput, typename ValueInput>
  cudaError_t insert(KeyInput First, KeyInput Last, ValueInput Values) {
    return upsert(First, Last, Values, detail::FirstOfTwo());
  }

  /// Puts keys in, or the last value of equal ones in the place of what is
  /// there.
  template <typename KeyInput, typename ValueInput>
  cudaError_t insert_or_assign(KeyInput First, KeyInput Last,
                               ValueInput Values) {
    return upsert(First, Last, Values, detail::SecondOfTwo());
  }

  /// Puts keys in, or Op(what is there, value) in its place. Values of equal
  /// keys are combined by Op in their order. It is associative.
  template <typename KeyInput, typename ValueInput, typename Operation>
  cudaError_t upsert(KeyInput First, KeyInput Last, ValueInput Values,
                     Operation Op) {
    const Index Count = Last - First;
    if (Count <= 0)
      return cudaSuccess;
    detail::WorkSpace<Mixed> Keys(Stream);
    detail::WorkSpace<Value> Mine(Stream);
    if (cudaError_t Error = mix(First, Last, Keys))
      return Error;
    if (cudaError_t Error = Mine.allocate(Count))
      return Error;
    if (cudaError_t Error = transform(Values, Values + Count, Mine.get(),
                                      detail::AsItIs(), Stream))
      return Error;
    if (cudaError_t Error =
            sort_by_key(Keys.get(), Keys.get() + Count, Mine.get(), Stream))
      return Error;
    size_t Different = 0;
    if (cudaError_t Error = reduce_by_key(
            Keys.get(), Keys.get() + Count, Mine.get(), Keys.get(), Mine.get(),
            detail::Equal(), Op, &Different, Stream))
      return Error;
    return put(Keys.get(), Mine.get(), static_cast<Index>(Different), Op);
  }

  /// Sets Result[i] to the value of key i, or to Other where it is not there.
  template <typename KeyInput, typename Output>
  cudaError_t find(KeyInput First, KeyInput Last, Output Result,
                   Value Other = Value()) const {
    const auto Launch = [&](const Part &In, const Mixed *Keys, Index Here,
                            Value *Out) {
      return detail::launchForEach(detail::findValues<Part, Mixed, Value>, Here,
                                   Stream, In, Keys, Here, Out, Other);
    };
    return lookUp<Value>(First, Last, Result, Launch);
  }

  /// Sets Result[i] to whether key i is there, as 1 or 0.
  template <typename KeyInput, typename Output>
  cudaError_t contains(KeyInput First, KeyInput Last, Output Result) const {
    const auto Launch = [&](const Part &In, const Mixed *Keys, Index Here,
                            unsigned char *Out) {
      return detail::launchForEach(detail::findKeys<Part, Mixed>, Here, Stream,
                                   In, Keys, Here, Out);
    };
    return lookUp<unsigned char>(First, Last, Result, Launch);
  }

  /// Takes keys out that are there.
  template <typename KeyInput>
  cudaError_t erase(KeyInput First, KeyInput Last) {
    const Index Count = Last - First;
    if (Count <= 0 || Table.capacity() == 0)
      return cudaSuccess;
    detail::WorkSpace<Mixed> Keys(Stream);
    if (cudaError_t Error = mix(First, Last, Keys))
      return Error;
    if (!Table.isOnePart())
      if (cudaError_t Error = sort(Keys.get(), Keys.get() + Count, Stream))
        return Error;
    if (cudaError_t Error = beginChanges())
      return Error;
    if (cudaError_t Error = change(
            Keys.get(), Count, [&](const Part &In, Index Lo, Index Here) {
              return detail::launchForEach(detail::eraseSlots<Part, Mixed>,
                                           Here, Stream, In, Keys.get() + Lo,
                                           Here, Changes.get());
            }))
      return Error;
    Index Failed = 0;
    return endChanges(Failed);
  }

  /// Takes all keys out, and keeps the memory.
  cudaError_t clear() {
    if (cudaError_t Error = clearChanges())
      return Error;
    if (cudaError_t Error = Table.clear())
      return Error;
    Full = Erased = 0;
    CountsAll = IsExact = true;
    return cudaStreamSynchronize(Stream);
  }

  /// Copies all keys, in no order, and their values to memory for size() of
  /// them.
  template <typename KeyOutput, typename ValueOutput>
  cudaError_t retrieve_all(KeyOutput Keys, ValueOutput Values) const {
    using namespace detail;
    if (!IsExact)
      if (cudaError_t Error = countSlots())
        return Error;
    if (Full == 0)
      return cudaSuccess;
    const FullSlots<Key, Value> Way = {Table.all()};
    WorkSpace<Index> Number(Stream);
    if (cudaError_t Error = Number.allocate(1))
      return Error;
    if (cudaError_t Error =
            detail::select(Way, Way.In.States, Table.capacity(), Keys, Values,
                           Number.get(), Table.isOnePart() ? 0 : 1, Stream))
      return Error;
    return cudaStreamSynchronize(Stream);
  }

private:
  using Index = detail::Index;
  using Memory = detail::TableMemory<Key, Value>;
  using Mixed = typename Memory::Mixed;
  using Part = typename Memory::Part;

  /// Returns how many slots may be full or erased.
  static Index room(Index Capacity) { return Capacity / 4 * 3; }
  static Index capacityFor(Index Keys) {
    Index Capacity = 64;
    while (Capacity / 2 < Keys)
      Capacity *= 2;
    return Capacity;
  }

  template <typename KeyInput>
  cudaError_t mix(KeyInput First, KeyInput Last,
                  detail::WorkSpace<Mixed> &Keys) const {
    if (cudaError_t Error = Keys.allocate(Last - First))
      return Error;
    return transform(First, Last, Keys.get(), detail::MixKey<Key>(), Stream);
  }

  /// Makes the counters.
  cudaError_t beginChanges() {
    return IsCounting ? cudaSuccess : clearChanges();
  }

  cudaError_t clearChanges() {
    if (!Changes.get())
      if (cudaError_t Error = Changes.allocate(1))
        return Error;
    Seen = {};
    const cudaError_t Error =
        cudaMemsetAsync(Changes.get(), 0, sizeof Seen, Stream);
    IsCounting = !Error;
    return Error;
  }

  /// Has Do change the parts of the table that some of the sorted keys belong
  /// to. After an error nobody knows how many that were; and where a part is
  /// work space, launches may have counted what the error keeps out of the
  /// table.
  template <typename Work>
  cudaError_t change(const Mixed *Keys, Index Count, Work Do) {
    const cudaError_t Error = Table.forKeys(Keys, Count, true, Do);
    if (Error)
      CountsAll = IsExact = false;
    return Error;
  }

  /// Waits, and counts the slots anew.
  cudaError_t countSlots() const {
    if (Table.capacity() == 0) {
      IsExact = true;
      return cudaSuccess;
    }
    detail::SlotNumbers Now = {};
    const unsigned *const States = Table.all().States;
    if (cudaError_t Error = transform_reduce(
            States, States + Table.capacity(), Now, detail::Plus(),
            detail::NumberOfState(), &Now, Stream))
      return Error;
    Full = Now.Full;
    Erased = Now.Erased;
    IsExact = true;
    return cudaSuccess;
  }

  /// Waits, and takes over what launches have counted, also those of calls that
  /// have failed since. Failed becomes what this call could not put in.
  cudaError_t endChanges(Index &Failed) {
    std::unique_ptr<detail::TableChanges[]> Counted;
    if (cudaError_t Error =
            detail::tellHost(Changes.get(), 1, Counted, Stream)) {
      CountsAll = IsExact = false;
      return Error;
    }
    const detail::TableChanges &Now = Counted[0];
    Full += static_cast<Index>(Now.Added - Seen.Added);
    Full -= static_cast<Index>(Now.Erased - Seen.Erased);
    Erased += static_cast<Index>(Now.Erased - Seen.Erased);
    Failed = static_cast<Index>(Now.Failed - Seen.Failed);
    Seen = Now;
    if (!CountsAll)
      if (cudaError_t Error = countSlots())
        return Error;
    CountsAll = true;
    return cudaSuccess;
  }

  /// Moves all to a table of at least so many slots. Until that is complete the
  /// map stays as it is.
  cudaError_t grow(Index Capacity) {
    for (;; Capacity *= 2) {
      Memory Larger(Stream);
      detail::WorkSpace<detail::TableChanges> Moving(Stream);
      std::unique_ptr<detail::TableChanges[]> Moved;
      if (cudaError_t Error = Larger.make(Capacity))
        return Error;
      if (cudaError_t Error = Moving.allocate(1))
        return Error;
      if (cudaError_t Error =
              cudaMemsetAsync(Moving.get(), 0, sizeof Seen, Stream))
        return Error;
      if (cudaError_t Error = Larger.take(Table, Moving.get()))
        return Error;
      if (cudaError_t Error = detail::tellHost(Moving.get(), 1, Moved, Stream))
        return Error;
      // Many keys may be of one part.
      if (Moved[0].Failed != 0)
        continue;
      Table.swap(Larger);
      Erased = 0;
      return cudaSuccess;
    }
  }

  /// Counts how many of different, sorted keys are not there.
  cudaError_t countMissing(const Mixed *Keys, Index Count, Index &Missing) {
    detail::WorkSpace<unsigned char> Found(Stream);
    if (cudaError_t Error = Found.allocate(Count))
      return Error;
    if (cudaError_t Error = Table.forKeys(
            Keys, Count, false, [&](const Part &In, Index Lo, Index Here) {
              return detail::launchForEach(detail::findKeys<Part, Mixed>, Here,
                                           Stream, In, Keys + Lo, Here,
                                           Found.get() + Lo);
            }))
      return Error;
    Index There = 0;
    if (cudaError_t Error =
            reduce(Found.get(), Found.get() + Count, Index(0), &There, Stream))
      return Error;
    Missing = Count - There;
    return cudaSuccess;
  }

  /// Puts different, sorted keys in, or combines their values with what is
  /// there.
  template <typename Operation>
  cudaError_t put(const Mixed *Keys, const Value *Values, Index Count,
                  Operation Op) {
    if (Full + Erased + Count > room(Table.capacity())) {
      Index Missing = Count;
      if (Table.capacity() != 0)
        if (cudaError_t Error = countMissing(Keys, Count, Missing))
          return Error;
      if (Full + Erased + Missing > room(Table.capacity()))
        if (cudaError_t Error = grow(capacityFor(Full + Missing)))
          return Error;
    }
    detail::WorkSpace<unsigned char> Done(Stream);
    if (cudaError_t Error = Done.allocate(Count))
      return Error;
    if (cudaError_t Error =
            cudaMemsetAsync(Done.get(), 0, static_cast<size_t>(Count), Stream))
      return Error;
    while (true) {
      if (cudaError_t Error = beginChanges())
        return Error;
      if (cudaError_t Error = change(
              Keys, Count,
              [&](const Part &In, Index Lo, Index Here) -> cudaError_t {
                if (cudaError_t Error = detail::launchForEach(
                        detail::updateSlots<Part, Mixed, Value, Operation>,
                        Here, Stream, In, Keys + Lo, Values + Lo,
                        Done.get() + Lo, Here, Op))
                  return Error;
                return detail::launchForEach(
                    detail::claimSlots<Part, Mixed, Value>, Here, Stream, In,
                    Keys + Lo, Values + Lo, Done.get() + Lo, Here,
                    Changes.get());
              }))
        return Error;
      Index Failed = 0;
      if (cudaError_t Error = endChanges(Failed))
        return Error;
      if (Failed == 0)
        return cudaSuccess;
      if (cudaError_t Error = grow(2 * Table.capacity()))
        return Error;
    }
  }

  /// Sets Result[i] to what Launch(part, keys, how many, results) finds for key
  /// i. A table of several parts takes sorted keys.
  template <typename Found, typename KeyInput, typename Output,
            typename Function>
  cudaError_t lookUp(KeyInput First, KeyInput Last, Output Result,
                     Function Launch) const {
    const Index Count = Last - First;
    if (Count <= 0)
      return cudaSuccess;
    if (Table.capacity() == 0) {
      Memory Empty(Stream);
      if (cudaError_t Error = Empty.make(64))
        return Error;
      return lookUpIn<Found>(Empty, First, Last, Result, Launch);
    }
    return lookUpIn<Found>(Table, First, Last, Result, Launch);
  }

  template <typename Found, typename KeyInput, typename Output,
            typename Function>
  cudaError_t lookUpIn(Memory &In, KeyInput First, KeyInput Last, Output Result,
                       Function Launch) const {
    const Index Count = Last - First;
    detail::WorkSpace<Mixed> Keys(Stream);
    detail::WorkSpace<Found> Out(Stream);
    detail::WorkSpace<unsigned long long> Places(Stream);
    if (cudaError_t Error = mix(First, Last, Keys))
      return Error;
    if (cudaError_t Error = Out.allocate(Count))
      return Error;
    if (!In.isOnePart()) {
      if (cudaError_t Error = Places.allocate(Count))
        return Error;
      if (cudaError_t Error =
              iota(Places.get(), Places.get() + Count, 0ULL, Stream))
        return Error;
      if (cudaError_t Error =
              sort_by_key(Keys.get(), Keys.get() + Count, Places.get(), Stream))
        return Error;
    }
    if (cudaError_t Error = In.forKeys(
            Keys.get(), Count, false,
            [&](const Part &Here, Index Lo, Index Some) {
              return Launch(Here, Keys.get() + Lo, Some, Out.get() + Lo);
            }))
      return Error;
    if (In.isOnePart()) {
      if (cudaError_t Error = transform(Out.get(), Out.get() + Count, Result,
                                        detail::AsItIs(), Stream))
        return Error;
    } else if (cudaError_t Error =
                   scatter(Out.get(), Out.get() + Count, Places.get(), Result,
                           Result + Count, Stream)) {
      return Error;
    }
    return cudaStreamSynchronize(Stream);
  }

  const cudaStream_t Stream;
  mutable Memory Table;
  detail::WorkSpace<detail::TableChanges> Changes;
  /// The counters, as they were last seen: they only grow.
  detail::TableChanges Seen = {};
  bool IsCounting = false;
  /// False if they may have counted what is not in the table, or not be seen.
  bool CountsAll = true;
  /// Slots that are full, and those that have been erased since the table was
  /// made, also if they are full again.
  mutable Index Full = 0, Erased = 0;
  /// False if these are to be counted anew.
  mutable bool IsExact = true;
};

} // namespace gridspan

#endif // GRIDSPAN_HASH_MAP_H
