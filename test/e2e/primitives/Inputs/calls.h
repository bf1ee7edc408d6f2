// Calls of CUB as programs make them, for tests of calls that become
// primitives.

#ifndef CALLS_H
#define CALLS_H

#include "memory.h"

constexpr Kind OnDevices = Kind::Device;

/// Sizes around those of tiles, and more than 1 MiB of elements of 4 bytes.
constexpr size_t Sizes[] = {0, 1, 2, 3839, 3841, 70001, 400009};

/// Makes CUB's two calls: for the size of the storage, and with the storage.
template <class Function> void twice(const Function &Call) {
  void *Storage = nullptr;
  size_t Bytes = 0;
  CHECK(Call(Storage, Bytes));
  // Of nothing, radix sorting needs none.
  CHECK(cudaMalloc(&Storage, Bytes ? Bytes : 1));
  CHECK(Call(Storage, Bytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(Storage));
}

/// Values with few distinct ones, in runs.
inline std::vector<int> runs(size_t Count, size_t Longest) {
  uint64_t State = Count;
  std::vector<int> Out;
  while (Out.size() < Count) {
    const int Value = int(next(State) % 5);
    for (size_t I = 1 + next(State) % Longest; I && Out.size() < Count; --I)
      Out.push_back(Value);
  }
  return Out;
}

#endif
