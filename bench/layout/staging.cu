//===- staging.cu - What a stage in shared memory gains over L1 -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel is a function of the elements around a point. It runs twice: with
// loads from global memory, as one writes it first, and staged as a compiler
// could do it for any of them: the block's elements and their halo come to
// shared memory by all threads in turn, and the same function reads them there.
// Both must leave the same bits. Points whose halo is not inside are left out.
//
//   staging [share]    share of the elements in percent, 100 by default
//
// Prints "kernel block elements loads milliseconds staged ratio"; a ratio above
// 1 is what the stage gains.
//
//===----------------------------------------------------------------------===//

#include "bench/common/EventTime.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Extent {
  int X, Y, Z;
  __host__ __device__ size_t count() const { return size_t(X) * Y * Z; }
};

/// Elements around a point of an array with rows of Row and planes of Plane.
struct Around {
  const float *At;
  int Row, Plane;
  __device__ float operator()(int X, int Y = 0, int Z = 0) const {
    return At[Z * Plane + Y * Row + X];
  }
};

//===--- Kernels --------------------------------------------------------===//

/// A shape of block, the reach along each axis, and what is read of it.
template <int BlockX, int BlockY, int BlockZ, int ReachX, int ReachY,
          int ReachZ, int NumLoads>
struct Shape {
  static constexpr int Bx = BlockX, By = BlockY, Bz = BlockZ;
  static constexpr int Rx = ReachX, Ry = ReachY, Rz = ReachZ;
  static constexpr int Loads = NumLoads;
};

template <int Radius>
struct Window : Shape<256, 1, 1, Radius, 0, 0, 2 * Radius + 1> {
  __device__ static float value(Around In) {
    float Sum = 0;
#pragma unroll
    for (int X = -Radius; X <= Radius; ++X)
      Sum += In(X);
    return Sum * (1.0f / (2 * Radius + 1));
  }
};

struct Plane5 : Shape<32, 8, 1, 1, 1, 0, 5> {
  __device__ static float value(Around In) {
    return 0.2f * (In(0) + In(-1) + In(1) + In(0, -1) + In(0, 1));
  }
};

template <int Radius>
struct Box
    : Shape<32, 8, 1, Radius, Radius, 0, (2 * Radius + 1) * (2 * Radius + 1)> {
  __device__ static float value(Around In) {
    float Sum = 0;
#pragma unroll
    for (int Y = -Radius; Y <= Radius; ++Y)
#pragma unroll
      for (int X = -Radius; X <= Radius; ++X)
        Sum += In(X, Y) * (1.0f / (1 + X * X + Y * Y));
    return Sum;
  }
};

struct Sobel : Shape<32, 8, 1, 1, 1, 0, 8> {
  __device__ static float value(Around In) {
    const float Across = In(1, -1) - In(-1, -1) + 2 * (In(1, 0) - In(-1, 0)) +
                         In(1, 1) - In(-1, 1);
    const float Down = In(-1, 1) - In(-1, -1) + 2 * (In(0, 1) - In(0, -1)) +
                       In(1, 1) - In(1, -1);
    return sqrtf(Across * Across + Down * Down);
  }
};

/// Half of a selection sort of the nine around.
struct Median : Shape<32, 8, 1, 1, 1, 0, 9> {
  __device__ static float value(Around In) {
    float V[9];
#pragma unroll
    for (int I = 0; I < 9; ++I)
      V[I] = In(I % 3 - 1, I / 3 - 1);
#pragma unroll
    for (int I = 0; I < 5; ++I)
#pragma unroll
      for (int J = I + 1; J < 9; ++J) {
        const float Low = fminf(V[I], V[J]), High = fmaxf(V[I], V[J]);
        V[I] = Low;
        V[J] = High;
      }
    return V[4];
  }
};

struct Bilateral : Shape<32, 8, 1, 2, 2, 0, 25> {
  __device__ static float value(Around In) {
    const float Here = In(0);
    float Sum = 0, Weights = 0;
#pragma unroll
    for (int Y = -2; Y <= 2; ++Y)
#pragma unroll
      for (int X = -2; X <= 2; ++X) {
        const float There = In(X, Y), Apart = There - Here;
        const float Weight = __expf(-0.1f * (X * X + Y * Y) - Apart * Apart);
        Sum += Weight * There;
        Weights += Weight;
      }
    return Sum / Weights;
  }
};

/// Radius elements along each axis and direction.
template <int Radius>
struct Star : Shape<32, 4, 4, Radius, Radius, Radius, 6 * Radius + 1> {
  __device__ static float value(Around In) {
    float Sum = In(0);
#pragma unroll
    for (int I = 1; I <= Radius; ++I)
      Sum +=
          (In(-I) + In(I) + In(0, -I) + In(0, I) + In(0, 0, -I) + In(0, 0, I)) *
          (0.1f / I);
    return Sum;
  }
};

struct Cube27 : Shape<32, 4, 4, 1, 1, 1, 27> {
  __device__ static float value(Around In) {
    float Sum = 0;
#pragma unroll
    for (int I = 0; I < 27; ++I)
      Sum += In(I % 3 - 1, I / 3 % 3 - 1, I / 9 - 1) * (1.0f / (I + 1));
    return Sum;
  }
};

//===--- Both versions --------------------------------------------------===//

template <class Kernel>
__device__ bool isInside(Extent E, int X, int Y, int Z) {
  return X >= Kernel::Rx && X < E.X - Kernel::Rx && Y >= Kernel::Ry &&
         Y < E.Y - Kernel::Ry && Z >= Kernel::Rz && Z < E.Z - Kernel::Rz;
}

template <class Kernel>
__global__ void direct(const float *In, float *Out, Extent E) {
  const int X = blockIdx.x * Kernel::Bx + threadIdx.x,
            Y = blockIdx.y * Kernel::By + threadIdx.y,
            Z = blockIdx.z * Kernel::Bz + threadIdx.z;
  if (!isInside<Kernel>(E, X, Y, Z))
    return;
  const size_t At = (size_t(Z) * E.Y + Y) * E.X + X;
  Out[At] = Kernel::value({In + At, E.X, E.X * E.Y});
}

template <class Kernel>
__global__ void staged(const float *In, float *Out, Extent E) {
  constexpr int Wx = Kernel::Bx + 2 * Kernel::Rx,
                Wy = Kernel::By + 2 * Kernel::Ry,
                Wz = Kernel::Bz + 2 * Kernel::Rz;
  constexpr int Threads = Kernel::Bx * Kernel::By * Kernel::Bz;
  __shared__ float Stage[Wx * Wy * Wz];
  const int FirstX = blockIdx.x * Kernel::Bx - Kernel::Rx,
            FirstY = blockIdx.y * Kernel::By - Kernel::Ry,
            FirstZ = blockIdx.z * Kernel::Bz - Kernel::Rz;
  const int Thread =
      (threadIdx.z * Kernel::By + threadIdx.y) * Kernel::Bx + threadIdx.x;
  for (int I = Thread; I < Wx * Wy * Wz; I += Threads) {
    const int X = FirstX + I % Wx, Y = FirstY + I / Wx % Wy,
              Z = FirstZ + I / (Wx * Wy);
    if (X >= 0 && X < E.X && Y >= 0 && Y < E.Y && Z >= 0 && Z < E.Z)
      Stage[I] = In[(size_t(Z) * E.Y + Y) * E.X + X];
  }
  __syncthreads();
  const int X = FirstX + Kernel::Rx + threadIdx.x,
            Y = FirstY + Kernel::Ry + threadIdx.y,
            Z = FirstZ + Kernel::Rz + threadIdx.z;
  if (!isInside<Kernel>(E, X, Y, Z))
    return;
  const float *Here =
      Stage +
      ((threadIdx.z + Kernel::Rz) * Wy + threadIdx.y + Kernel::Ry) * Wx +
      threadIdx.x + Kernel::Rx;
  Out[(size_t(Z) * E.Y + Y) * E.X + X] = Kernel::value({Here, Wx, Wx * Wy});
}

//===--- Measuring ------------------------------------------------------===//

struct Buffers {
  float *In, *Out;
  std::vector<float> Direct, Staged;
};

/// Returns true if both versions leave the same.
template <class Kernel>
static bool measure(const char *Name, Extent E, Buffers &Data) {
  const dim3 Block(Kernel::Bx, Kernel::By, Kernel::Bz);
  const dim3 Grid((E.X + Block.x - 1) / Block.x, (E.Y + Block.y - 1) / Block.y,
                  (E.Z + Block.z - 1) / Block.z);
  const size_t Bytes = E.count() * sizeof(float);
  const auto Run = [&](auto Launch, std::vector<float> &Result) {
    CHECK(cudaMemset(Data.Out, 0, Bytes));
    Launch();
    Result.resize(E.count());
    CHECK(cudaMemcpy(Result.data(), Data.Out, Bytes, cudaMemcpyDeviceToHost));
    return medianMilliseconds(9, Launch, 1);
  };
  const double Direct =
      Run([&] { direct<Kernel><<<Grid, Block>>>(Data.In, Data.Out, E); },
          Data.Direct);
  const double Staged =
      Run([&] { staged<Kernel><<<Grid, Block>>>(Data.In, Data.Out, E); },
          Data.Staged);
  const bool Same = !memcmp(Data.Direct.data(), Data.Staged.data(), Bytes);
  printf("%s %ux%ux%u %zu %d %.5f %.5f %.3f%s\n", Name, Block.x, Block.y,
         Block.z, E.count(), Kernel::Loads, Direct, Staged, Direct / Staged,
         Same ? "" : " differs");
  fflush(stdout);
  return Same;
}

/// Returns Full reduced to the share of it.
static int scaled(int Full, double Share) {
  return std::max(32, static_cast<int>(Full * Share));
}

int main(int Argc, char **Argv) {
  const double Share = Argc > 1 ? std::atof(Argv[1]) / 100 : 1;
  if (!(Share > 0 && Share <= 1)) {
    fprintf(stderr, "usage: staging [percent of the elements]\n");
    return 2;
  }
  const double Root = std::sqrt(Share), Third = std::cbrt(Share);
  const Extent Line = {scaled(1 << 28, Share), 1, 1},
               Plane = {scaled(16384, Root), scaled(16384, Root), 1},
               Space = {scaled(640, Third), scaled(640, Third),
                        scaled(640, Third)};
  const size_t Most =
      std::max(Line.count(), std::max(Plane.count(), Space.count()));
  std::vector<float> Values(Most);
  for (size_t I = 0; I < Most; ++I)
    Values[I] = float(I * 2654435761u >> 8 & 0xffff) / 65536;
  Buffers Data;
  for (float **Buffer : {&Data.In, &Data.Out})
    CHECK(cudaMalloc(Buffer, Most * sizeof(float)));
  CHECK(cudaMemcpy(Data.In, Values.data(), Most * sizeof(float),
                   cudaMemcpyHostToDevice));

  bool Same = measure<Window<1>>("window3", Line, Data);
  Same &= measure<Window<8>>("window17", Line, Data);
  Same &= measure<Window<32>>("window65", Line, Data);
  Same &= measure<Plane5>("plane5", Plane, Data);
  Same &= measure<Box<1>>("box9", Plane, Data);
  Same &= measure<Box<2>>("box25", Plane, Data);
  Same &= measure<Box<4>>("box81", Plane, Data);
  Same &= measure<Sobel>("sobel", Plane, Data);
  Same &= measure<Median>("median", Plane, Data);
  Same &= measure<Bilateral>("bilateral", Plane, Data);
  Same &= measure<Star<1>>("star7", Space, Data);
  Same &= measure<Star<4>>("star25", Space, Data);
  Same &= measure<Cube27>("cube27", Space, Data);
  for (float *Buffer : {Data.In, Data.Out})
    CHECK(cudaFree(Buffer));
  return Same ? 0 : 1;
}
