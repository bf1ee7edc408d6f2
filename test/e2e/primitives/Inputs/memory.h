// Arrays in all kinds of memory, for tests of gridspan/algorithm.h.

#ifndef MEMORY_H
#define MEMORY_H

#include "../../Inputs/check.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

enum class Kind { Pageable, Pinned, Managed, Device };

/// Returns the kinds that a test is for: all, or those of which the variable
/// KINDS has the initial (unpinned, pinned, managed, device). Runs without peer
/// access take long, as they are traced.
inline std::vector<Kind> chosenKinds() {
  const char *Initials = getenv("KINDS");
  std::vector<Kind> Out;
  for (auto [K, Initial] :
       {std::pair(Kind::Pageable, 'u'), std::pair(Kind::Pinned, 'p'),
        std::pair(Kind::Managed, 'm'), std::pair(Kind::Device, 'd')})
    if (!Initials || strchr(Initials, Initial))
      Out.push_back(K);
  return Out;
}
static const std::vector<Kind> Kinds = chosenKinds();

/// An array that begins in the middle of a page, with guards around it.
template <class T> class Array {
public:
  Array(Kind K, size_t Count) : K(K), Count(Count) {
    const size_t Bytes = Count * sizeof(T) + 2 * Guard;
    switch (K) {
    case Kind::Pageable:
      Memory = static_cast<char *>(malloc(Bytes));
      break;
    case Kind::Pinned:
      CHECK(cudaMallocHost(&Memory, Bytes));
      break;
    case Kind::Managed:
      CHECK(cudaMallocManaged(&Memory, Bytes));
      break;
    case Kind::Device:
      CHECK(cudaMalloc(&Memory, Bytes));
      break;
    }
    std::vector<char> All(Bytes, Mark);
    CHECK(cudaMemcpy(Memory, All.data(), Bytes, cudaMemcpyDefault));
  }
  Array(Kind K, const std::vector<T> &From) : Array(K, From.size()) {
    if (Count)
      CHECK(cudaMemcpy(begin(), From.data(), Count * sizeof(T),
                       cudaMemcpyDefault));
  }
  Array(const Array &) = delete;
  ~Array() {
    std::vector<char> All(Count * sizeof(T) + 2 * Guard);
    CHECK(cudaMemcpy(All.data(), Memory, All.size(), cudaMemcpyDefault));
    bool Whole = true;
    for (size_t I = 0; I < Guard; ++I)
      Whole &= All[I] == Mark && All[All.size() - 1 - I] == Mark;
    EXPECT(Whole);
    switch (K) {
    case Kind::Pageable:
      free(Memory);
      break;
    case Kind::Pinned:
      CHECK(cudaFreeHost(Memory));
      break;
    case Kind::Managed:
    case Kind::Device:
      CHECK(cudaFree(Memory));
      break;
    }
  }

  T *begin() { return reinterpret_cast<T *>(Memory + Guard); }
  T *end() { return begin() + Count; }
  std::vector<T> contents() {
    std::vector<T> Out(Count);
    if (Count)
      CHECK(cudaMemcpy(Out.data(), begin(), Count * sizeof(T),
                       cudaMemcpyDefault));
    return Out;
  }

private:
  static constexpr size_t Guard = 80;
  static constexpr char Mark = 0x5c;
  Kind K;
  size_t Count;
  char *Memory = nullptr;
};

/// Any numbers, the same each time.
inline uint64_t next(uint64_t &State) {
  State = State * 6364136223846793005U + 1442695040888963407U;
  return State >> 33;
}

template <class T> std::vector<T> randomValues(size_t Count, uint64_t Most) {
  uint64_t State = Count + 1;
  std::vector<T> Out(Count);
  for (T &V : Out)
    V = static_cast<T>(next(State) % Most);
  return Out;
}

/// The same bytes. (Padding is none of the tests' types'.)
template <class T> bool same(const std::vector<T> &L, const std::vector<T> &R) {
  return L.size() == R.size() &&
         (L.empty() || !memcmp(L.data(), R.data(), L.size() * sizeof(T)));
}

/// x -> A x + B modulo 2^32: composition is associative, and no two commute.
struct Affine {
  uint32_t A, B;
};
struct Compose {
  __host__ __device__ Affine operator()(const Affine &L,
                                        const Affine &R) const {
    return {L.A * R.A, R.A * L.B + R.B};
  }
};

#endif
