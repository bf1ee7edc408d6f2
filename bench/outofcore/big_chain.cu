//===- big_chain.cu - Chains of launches larger than memory ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times launches behind each other with no wait in between, on buffers that a
// cap on device memory makes larger than it: element by element, five-point and
// seven-point stencils with swapped buffers, and steps of several kernels on
// several fields. Bytes are those of a single pass: each buffer once each way.
//
// Usage: big_chain pointwise|stencil2d|stencil3d|fields [MiB of each buffer]
//        [launches or steps] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/HostData.h"
#include "bench/common/Stencil.h"
#include <cstring>
#include <utility>

static __global__ void scaleBy(const float *In, float *Out, float By,
                               size_t N) {
  size_t I = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (I < N)
    Out[I] = By * In[I] + 0.5f;
}

static __global__ void smooth3(const float *In, float *Out, int W, int H,
                               int D) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  int Z = blockIdx.z;
  if (X >= W || Y >= H)
    return;
  size_t Plane = size_t(W) * H, I = Z * Plane + size_t(Y) * W + X;
  if (X > 0 && X < W - 1 && Y > 0 && Y < H - 1 && Z > 0 && Z < D - 1)
    Out[I] = 0.4f * In[I] + 0.1f * (In[I - 1] + In[I + 1] + In[I - W] +
                                    In[I + W] + In[I - Plane] + In[I + Plane]);
  else
    Out[I] = In[I];
}

// A step of a shallow-water-like model: fluxes along both axes, then heights.
static __global__ void fluxX(const float *Height, float *U, int W, int H,
                             float Dt) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  size_t I = size_t(Y) * W + X;
  if (X < W - 1 && Y < H)
    U[I] += Dt * (Height[I] - Height[I + 1]);
}
static __global__ void fluxY(const float *Height, float *V, int W, int H,
                             float Dt) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  size_t I = size_t(Y) * W + X;
  if (X < W && Y < H - 1)
    V[I] += Dt * (Height[I] - Height[I + W]);
}
static __global__ void heights(float *Height, const float *U, const float *V,
                               int W, int H, float Dt) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  size_t I = size_t(Y) * W + X;
  if (X > 0 && X < W && Y > 0 && Y < H)
    Height[I] += Dt * (U[I - 1] - U[I] + V[I - W] - V[I]);
}
static __global__ void damp(float *U, float *V, float By, size_t N) {
  size_t I = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (I < N) {
    U[I] *= By;
    V[I] *= By;
  }
}

int main(int Argc, char **Argv) {
  const char *Kind = Argc > 1 ? Argv[1] : "pointwise";
  const size_t N = argument(Argc, Argv, 2, 6144) * (size_t(1) << 18);
  const int Count = argument(Argc, Argv, 3, 10);
  const int Repetitions = argument(Argc, Argv, 4, 3);
  const bool Fields = !strcmp(Kind, "fields");
  // Rows of 16384 elements, planes of 1024 x 512.
  const int W = 16384, H = static_cast<int>(N / W);
  const int W3 = 1024, H3 = 512, D3 = static_cast<int>(N / (W3 * H3));
  float *Buffers[3];
  const int NumBuffers = Fields ? 3 : 2;
  {
    HostMemory Start(N * sizeof(float), HostKind::Pinned);
    fillHost(Start.as<float>(), N);
    for (int B = 0; B < NumBuffers; ++B) {
      CHECK(cudaMalloc(&Buffers[B], N * sizeof(float)));
      CHECK(cudaMemcpy(Buffers[B], Start.as<float>(), N * sizeof(float),
                       cudaMemcpyHostToDevice));
    }
  }
  const unsigned Blocks = static_cast<unsigned>((N + 255) / 256);
  float *In = Buffers[0], *Out = Buffers[1];
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int I = 0; I < Count; ++I) {
      if (Fields) {
        const dim3 Grid = stencilGrid(W, H), Block = stencilBlock();
        fluxX<<<Grid, Block>>>(Buffers[0], Buffers[1], W, H, 0.01f);
        fluxY<<<Grid, Block>>>(Buffers[0], Buffers[2], W, H, 0.01f);
        heights<<<Grid, Block>>>(Buffers[0], Buffers[1], Buffers[2], W, H,
                                 0.01f);
        damp<<<Blocks, 256>>>(Buffers[1], Buffers[2], 0.999f, N);
        continue;
      }
      if (!strcmp(Kind, "pointwise"))
        scaleBy<<<Blocks, 256>>>(In, Out, 0.5f, N);
      else if (!strcmp(Kind, "stencil2d"))
        smooth<<<stencilGrid(W, H), stencilBlock()>>>(In, Out, W, H);
      else
        smooth3<<<dim3(W3 / 64, H3 / 4, D3), dim3(64, 4)>>>(In, Out, W3, H3,
                                                            D3);
      std::swap(In, Out);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  });
  HostMemory Result(N * sizeof(float), HostKind::Pinned);
  CHECK(cudaMemcpy(Result.as<float>(), Fields ? Buffers[0] : In,
                   N * sizeof(float), cudaMemcpyDeviceToHost));
  report(Kind, Seconds, 2.0 * NumBuffers * N * sizeof(float),
         checksumHost(Result.as<float>(), N));
}
