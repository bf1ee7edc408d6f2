// What every program of this folder needs around its kernels: device memory
// with reproducible contents, and a checksum of the results.

#ifndef PROGRAM_H
#define PROGRAM_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(Error));    \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Device memory that is freed at the end of its scope.
template <class T> struct Buffer {
  T *Data = nullptr;
  size_t Count;

  /// Zeros.
  explicit Buffer(size_t Count) : Count(Count) {
    CHECK(cudaMalloc(&Data, Count * sizeof(T)));
    CHECK(cudaMemset(Data, 0, Count * sizeof(T)));
  }
  explicit Buffer(const std::vector<T> &Host) : Count(Host.size()) {
    CHECK(cudaMalloc(&Data, Count * sizeof(T)));
    CHECK(cudaMemcpy(Data, Host.data(), Count * sizeof(T),
                     cudaMemcpyHostToDevice));
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { cudaFree(Data); }

  operator T *() const { return Data; }
  std::vector<T> host() const {
    std::vector<T> Out(Count);
    CHECK(cudaMemcpy(Out.data(), Data, Count * sizeof(T),
                     cudaMemcpyDeviceToHost));
    return Out;
  }
};

/// Count small positive integers below Limit, as T.
template <class T>
std::vector<T> pattern(size_t Count, unsigned Seed = 1, unsigned Limit = 256) {
  std::vector<T> Out(Count);
  for (size_t I = 0; I < Count; ++I) {
    uint32_t X = (uint32_t)(I + 1) * 2654435761u + Seed * 40503u;
    X ^= X >> 15;
    X *= 2246822519u;
    X ^= X >> 13;
    Out[I] = (T)(X % Limit + 1);
  }
  return Out;
}

/// How many times the data of the usual run, from the first argument.
inline int scaleOf(int argc, char **argv) {
  return argc > 1 ? atoi(argv[1]) : 1;
}
/// The factor of one side where a problem grows with its square.
inline int rootOf(int Scale) {
  int Root = 1;
  while ((Root + 1) * (Root + 1) <= Scale)
    ++Root;
  return Root;
}

inline unsigned divideUp(unsigned A, unsigned B) { return (A + B - 1) / B; }

/// Waits for the kernels and prints a checksum of the bytes of the buffers.
template <class... T> int finish(const Buffer<T> &...Buffers) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  uint64_t Hash = 1469598103934665603ull;
  auto Add = [&](const auto &Host) {
    const auto *Bytes = (const unsigned char *)Host.data();
    for (size_t I = 0; I < Host.size() * sizeof(Host[0]); ++I)
      Hash = (Hash ^ Bytes[I]) * 1099511628211ull;
  };
  (Add(Buffers.host()), ...);
  printf("checksum %016llx\n", (unsigned long long)Hash);
  return 0;
}

#endif
