// Functions of the driver say on the CPU device that it does not support them:
// once each, with CUDA_ERROR_NOT_SUPPORTED. Those that explain errors work. The
// driver here is the program's own, so that the test needs none.
//
// RUN: %gridspan++ -O2 -c %s -o %t.o
// RUN: %gridspan++ -O2 -DDRIVER -c %s -o %t.driver.o
// RUN: %gridspan++ %t.o %t.driver.o -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t 2> %t.err | FileCheck %s
// RUN: FileCheck --check-prefix=ERR %s < %t.err
// CHECK: PASS
// ERR: gridspan: the CPU device does not support cuInit
// ERR-NEXT: gridspan: the CPU device does not support cuMemcpyHtoD_v2
// ERR-NOT: gridspan

#include <cuda.h>

#ifdef DRIVER

extern "C" CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
extern "C" CUresult cuMemcpyHtoD(CUdeviceptr, const void *, size_t) {
  return CUDA_SUCCESS;
}
extern "C" CUresult cuGetErrorName(CUresult Error, const char **Out) {
  *Out = Error == CUDA_ERROR_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED" : "";
  return CUDA_SUCCESS;
}

#else

#include "../Inputs/check.h"
#include <cstring>

int main() {
  EXPECT(cuInit(0) == CUDA_ERROR_NOT_SUPPORTED);
  int *Data, Host = 7;
  CHECK(cudaMalloc(&Data, sizeof(int)));
  const CUresult Error =
      cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(Data), &Host, sizeof(int));
  EXPECT(Error == CUDA_ERROR_NOT_SUPPORTED);
  EXPECT(cuInit(0) == CUDA_ERROR_NOT_SUPPORTED);
  const char *Name = nullptr;
  EXPECT(cuGetErrorName(Error, &Name) == CUDA_SUCCESS);
  EXPECT(std::strcmp(Name, "CUDA_ERROR_NOT_SUPPORTED") == 0);
  // The runtime goes on.
  EXPECT(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMemcpy(Data, &Host, sizeof(int), cudaMemcpyHostToDevice));
  return finish();
}

#endif
