// Small helpers of the end-to-end programs.

#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #Call,                     \
             cudaGetErrorString(Error));                                       \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Prints what differs; the program's result is the number of failures.
inline int Failures = 0;
#define EXPECT(Condition)                                                      \
  do {                                                                         \
    if (!(Condition)) {                                                        \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #Condition);         \
      ++Failures;                                                              \
    }                                                                          \
  } while (0)

inline int finish() {
  printf("%s\n", Failures ? "FAIL" : "PASS");
  return Failures != 0;
}

/// Device memory with contents from and to a host array.
template <class T> T *toDevice(const T *Data, size_t Count) {
  T *Device = nullptr;
  CHECK(cudaMalloc(&Device, Count * sizeof(T)));
  CHECK(cudaMemcpy(Device, Data, Count * sizeof(T), cudaMemcpyHostToDevice));
  return Device;
}
template <class T> void toHost(T *Data, const T *Device, size_t Count) {
  CHECK(cudaMemcpy(Data, Device, Count * sizeof(T), cudaMemcpyDeviceToHost));
}

#endif
