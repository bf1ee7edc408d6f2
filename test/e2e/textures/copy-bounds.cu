// Copies that an array, or a level of a mipmap, has no room for are errors and
// copy nothing.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

static const cudaMemcpyKind ToDevice = cudaMemcpyHostToDevice;

static void rowsAndColumns() {
  const cudaChannelFormatDesc Format = cudaCreateChannelDesc<float>();
  cudaArray_t Array;
  CHECK(cudaMallocArray(&Array, &Format, 64, 4));
  std::vector<float> Zeros(256, 0), Sevens(256, 7), Out(256, 1);
  CHECK(cudaMemcpy2DToArray(Array, 0, 0, Zeros.data(), 256, 256, 4, ToDevice));
  EXPECT(cudaMemcpy2DToArray(Array, 128, 0, Sevens.data(), 256, 256, 3,
                             ToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy2DToArray(Array, 0, 2, Sevens.data(), 256, 256, 3,
                             ToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy2DFromArray(Out.data(), 256, Array, 4, 0, 256, 1,
                               cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidValue);
  EXPECT(Out[0] == 1);
  CHECK(cudaMemcpy2DFromArray(Out.data(), 256, Array, 0, 0, 256, 4,
                              cudaMemcpyDeviceToHost));
  EXPECT(Out == Zeros);
  CHECK(
      cudaMemcpy2DToArray(Array, 128, 1, Sevens.data(), 128, 128, 3, ToDevice));
  CHECK(cudaFreeArray(Array));
}

/// The pitch of a single row means nothing.
static void rowWithoutPitch() {
  const cudaChannelFormatDesc Format = cudaCreateChannelDesc<float>();
  cudaArray_t Array;
  CHECK(cudaMallocArray(&Array, &Format, 16));
  std::vector<float> Fives(16, 5), Out(16, 1);
  CHECK(cudaMemcpy2DToArray(Array, 0, 0, Fives.data(), 0, 64, 1, ToDevice));
  CHECK(cudaMemcpy2DFromArray(Out.data(), 0, Array, 0, 0, 64, 1,
                              cudaMemcpyDeviceToHost));
  EXPECT(Out == Fives);
  CHECK(cudaFreeArray(Array));
}

static void levels() {
  const cudaChannelFormatDesc Format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t Mipmap;
  CHECK(cudaMallocMipmappedArray(&Mipmap, &Format, cudaExtent{64, 64, 0}, 3));
  cudaArray_t First, Second;
  CHECK(cudaGetMipmappedArrayLevel(&First, Mipmap, 1));
  CHECK(cudaGetMipmappedArrayLevel(&Second, Mipmap, 2));
  std::vector<float> Nines(64 * 64, 9), Threes(16 * 16, 3), Out(16 * 16, 0);
  CHECK(cudaMemcpy2DToArray(Second, 0, 0, Threes.data(), 64, 64, 16, ToDevice));
  EXPECT(cudaMemcpy2DToArray(First, 0, 0, Nines.data(), 128, 128, 40,
                             ToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy2DFromArray(Out.data(), 64, Second, 0, 0, 64, 16,
                              cudaMemcpyDeviceToHost));
  EXPECT(Out == Threes);
  CHECK(cudaFreeMipmappedArray(Mipmap));
}

int main() {
  rowsAndColumns();
  rowWithoutPitch();
  levels();
  return finish();
}
