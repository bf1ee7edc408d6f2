// Kinds of memory and of copies.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split scale %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cstring>
#include <vector>

__global__ void scale(char *data, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    float *row = (float *)(data + y * pitch);
    row[x] *= 2;
  }
}

static void launch(void *data, size_t pitch, int width, int height) {
  dim3 block(16, 4), grid((width + 15) / 16, (height + 3) / 4);
  scale<<<grid, block>>>((char *)data, pitch, width, height);
}

int main() {
  const int width = 301, height = 203, n = width * height;
  const size_t row = width * sizeof(float), bytes = n * sizeof(float);
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i;
  auto expectScaled = [&](const float *got, float factor) {
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      wrong += got[i] != in[i] * factor;
    EXPECT(wrong == 0);
  };

  // Pitched memory and two-dimensional copies.
  void *pitched;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, row, height));
  EXPECT(pitch >= row);
  CHECK(cudaMemcpy2D(pitched, pitch, in.data(), row, row, height,
                     cudaMemcpyHostToDevice));
  launch(pitched, pitch, width, height);
  CHECK(cudaMemcpy2D(out.data(), row, pitched, pitch, row, height,
                     cudaMemcpyDeviceToHost));
  expectScaled(out.data(), 2);
  float *packed;
  CHECK(cudaMalloc(&packed, bytes));
  CHECK(cudaMemcpy2DAsync(packed, row, pitched, pitch, row, height,
                          cudaMemcpyDeviceToDevice, 0));
  toHost(out.data(), packed, n);
  expectScaled(out.data(), 2);

  // Managed memory, on both sides without copies.
  float *managed;
  CHECK(cudaMallocManaged(&managed, bytes));
  memcpy(managed, in.data(), bytes);
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPrefetchAsync(managed, bytes, here, 0, 0));
  launch(managed, row, width, height);
  CHECK(cudaDeviceSynchronize());
  expectScaled(managed, 2);

  // Pinned and registered host memory, which kernels may use directly.
  float *pinned;
  CHECK(cudaMallocHost(&pinned, bytes));
  memcpy(pinned, in.data(), bytes);
  launch(pinned, row, width, height);
  CHECK(cudaDeviceSynchronize());
  expectScaled(pinned, 2);
  std::vector<float> plain(in);
  CHECK(cudaHostRegister(plain.data(), bytes, cudaHostRegisterMapped));
  void *mapped = nullptr;
  CHECK(cudaHostGetDevicePointer(&mapped, plain.data(), 0));
  launch(mapped, row, width, height);
  CHECK(cudaDeviceSynchronize());
  expectScaled(plain.data(), 2);
  CHECK(cudaHostUnregister(plain.data()));

  // Stream-ordered memory.
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  void *ordered;
  CHECK(cudaMallocAsync(&ordered, bytes, s));
  CHECK(cudaMemcpyAsync(ordered, in.data(), bytes, cudaMemcpyHostToDevice, s));
  CHECK(cudaMemcpyAsync(out.data(), ordered, bytes, cudaMemcpyDeviceToHost, s));
  CHECK(cudaFreeAsync(ordered, s));
  CHECK(cudaStreamSynchronize(s));
  expectScaled(out.data(), 1);

  // Parts, with odd offsets; the direction found by the addresses.
  CHECK(cudaMemset(packed, 0, bytes));
  CHECK(cudaMemset((char *)packed + 5, 0xab, 1001));
  CHECK(cudaMemcpy((char *)packed + 7, "hello", 5, cudaMemcpyDefault));
  unsigned char text[1100];
  CHECK(cudaMemcpy(text, packed, sizeof(text), cudaMemcpyDefault));
  EXPECT(text[4] == 0 && text[5] == 0xab && text[1005] == 0xab);
  EXPECT(text[1006] == 0 && memcmp(text + 7, "hello", 5) == 0);

  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, packed + 3));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
  CHECK(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaPointerGetAttributes(&attributes, &n));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);

  size_t before, after, total;
  CHECK(cudaMemGetInfo(&before, &total));
  CHECK(cudaFree(packed));
  CHECK(cudaMemGetInfo(&after, &total));
  EXPECT(after >= before && total >= after);
  CHECK(cudaFree(pitched));
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaGetLastError());
  return finish();
}
