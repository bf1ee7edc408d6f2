// cuFFT there and back on a buffer that split kernels write and read.
//
// REQUIRES: gpu
// RUN: %gridspan++ -O2 %s -lcufft -o %t
// RUN: %t | FileCheck %s
// RUN: env GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cmath>
#include <cufft.h>
#include <vector>

#define CHECK_FFT(Call)                                                        \
  do {                                                                         \
    cufftResult Status = (Call);                                               \
    if (Status != CUFFT_SUCCESS) {                                             \
      printf("%s:%d: %s: status %d\n", __FILE__, __LINE__, #Call, Status);     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__host__ __device__ float2 value(size_t I) {
  return {float(int(I % 13)) - 6, float(int(I % 5)) - 2};
}

__global__ void init(float2 *Data, size_t Count) {
  size_t I = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (I < Count)
    Data[I] = value(I);
}

__global__ void scale(float2 *Data, size_t Count, float Factor) {
  size_t I = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (I < Count) {
    Data[I].x *= Factor;
    Data[I].y *= Factor;
  }
}

int main() {
  const int Length = 1 << 16, Batch = 512;
  const size_t Count = size_t(Length) * Batch;
  const unsigned Blocks = Count / 256;
  float2 *Data;
  CHECK(cudaMalloc(&Data, Count * sizeof(float2)));
  init<<<Blocks, 256>>>(Data, Count);
  cufftHandle Plan;
  CHECK_FFT(cufftPlan1d(&Plan, Length, CUFFT_C2C, Batch));
  auto *Complex = reinterpret_cast<cufftComplex *>(Data);
  for (int Round = 0; Round < 10; ++Round) {
    CHECK_FFT(cufftExecC2C(Plan, Complex, Complex, CUFFT_FORWARD));
    CHECK_FFT(cufftExecC2C(Plan, Complex, Complex, CUFFT_INVERSE));
    scale<<<Blocks, 256>>>(Data, Count, 1.0f / Length);
  }
  std::vector<float2> Got(Count);
  CHECK(cudaMemcpy(Got.data(), Data, Count * sizeof(float2),
                   cudaMemcpyDeviceToHost));
  float Worst = 0;
  for (size_t I = 0; I < Count; ++I)
    Worst = std::fmax(Worst, std::fmax(std::fabs(Got[I].x - value(I).x),
                                       std::fabs(Got[I].y - value(I).y)));
  EXPECT(Worst < 1e-3f);
  CHECK_FFT(cufftDestroy(Plan));
  CHECK(cudaFree(Data));
  return finish();
}
