//===- mini_lattice.cu - A lattice Boltzmann code larger than memory ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A channel with obstacles by the lattice Boltzmann method with nine speeds
// (Y. H. Qian, D. d'Humieres and P. Lallemand, "Lattice BGK models for
// Navier-Stokes equation", Europhysics Letters 17(6), 1992), in the form of
// codes that grew: moments, collision, one kernel for each direction that
// streams, obstacles and two walls. A step is 14 kernels on 22
// fields. The program waits for nothing within the steps.
//
// Usage: mini_lattice [MiB of each field] [steps] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/HostData.h"

static constexpr int Speeds = 9;
static constexpr int SpeedX[Speeds] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static constexpr int SpeedY[Speeds] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static constexpr float Omega = 1.2f, Inflow = 0.05f;

/// The densities of all speeds, by cell.
struct Populations {
  float *Of[Speeds];
};

static __device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }

static __global__ void
moments(const float *F0, const float *F1, const float *F2, const float *F3,
        const float *F4, const float *F5, const float *F6, const float *F7,
        const float *F8, float *Density, float *U, float *V, int W, int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  const float D =
      F0[I] + F1[I] + F2[I] + F3[I] + F4[I] + F5[I] + F6[I] + F7[I] + F8[I];
  Density[I] = D;
  U[I] = (F1[I] - F3[I] + F5[I] - F6[I] - F7[I] + F8[I]) / D;
  V[I] = (F2[I] - F4[I] + F5[I] + F6[I] - F7[I] - F8[I]) / D;
}

static __device__ float relaxed(float Old, float Weight, float Density,
                                float Along, float Square) {
  const float Equilibrium =
      Weight * Density * (1 + 3 * Along + 4.5f * Along * Along - Square);
  return Old + Omega * (Equilibrium - Old);
}

static __global__ void collide(const float *Density, const float *U,
                               const float *V, float *F0, float *F1, float *F2,
                               float *F3, float *F4, float *F5, float *F6,
                               float *F7, float *F8, int W, int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  const float D = Density[I], P = U[I], Q = V[I];
  const float Square = 1.5f * (P * P + Q * Q);
  constexpr float Center = 4.f / 9, Side = 1.f / 9, Corner = 1.f / 36;
  F0[I] = relaxed(F0[I], Center, D, 0, Square);
  F1[I] = relaxed(F1[I], Side, D, P, Square);
  F2[I] = relaxed(F2[I], Side, D, Q, Square);
  F3[I] = relaxed(F3[I], Side, D, -P, Square);
  F4[I] = relaxed(F4[I], Side, D, -Q, Square);
  F5[I] = relaxed(F5[I], Corner, D, P + Q, Square);
  F6[I] = relaxed(F6[I], Corner, D, -P + Q, Square);
  F7[I] = relaxed(F7[I], Corner, D, -P - Q, Square);
  F8[I] = relaxed(F8[I], Corner, D, P - Q, Square);
}

/// What moves by (Dx, Dy); at the edge of the channel it stays.
static __global__ void stream(const float *From, float *To, int W, int H,
                              int Dx, int Dy) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const int Sx = X - Dx, Sy = Y - Dy;
  const bool Inside = Sx >= 0 && Sx < W && Sy >= 0 && Sy < H;
  To[size_t(Y) * W + X] =
      From[Inside ? size_t(Sy) * W + Sx : size_t(Y) * W + X];
}

/// Turns what has come to an obstacle back.
static __global__ void obstacles(const float *Solid, float *F1, float *F2,
                                 float *F3, float *F4, float *F5, float *F6,
                                 float *F7, float *F8, int W, int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  const bool Turns = Solid[I] > 3.9f;
  const float A = F1[I], B = F2[I], C = F3[I], D = F4[I];
  const float E = F5[I], F = F6[I], G = F7[I], K = F8[I];
  F1[I] = Turns ? C : A;
  F3[I] = Turns ? A : C;
  F2[I] = Turns ? D : B;
  F4[I] = Turns ? B : D;
  F5[I] = Turns ? G : E;
  F7[I] = Turns ? E : G;
  F6[I] = Turns ? K : F;
  F8[I] = Turns ? F : K;
}

/// The wall in a row turns three speeds back.
static __global__ void wall(float *A, const float *B, float *C, const float *D,
                            float *E, const float *F, int W, int Row) {
  const int X = column();
  if (X >= W)
    return;
  const size_t I = size_t(Row) * W + X;
  A[I] = B[I];
  C[I] = D[I];
  E[I] = F[I];
}

int main(int Argc, char **Argv) {
  const size_t N = argument(Argc, Argv, 1, 640) * (size_t(1) << 18);
  const int Steps = argument(Argc, Argv, 2, 4);
  const int Repetitions = argument(Argc, Argv, 3, 2);
  const int W = N >= (size_t(1) << 26) ? 16384 : 512;
  const int H = static_cast<int>(N / W);
  constexpr int NumFields = 2 * Speeds + 4;
  Populations F, G;
  float *Density, *U, *V, *Solid;
  {
    HostMemory Start(N * sizeof(float), HostKind::Pinned);
    const auto Make = [&](float *&Field, float Scale, float Least) {
      float *Values = Start.as<float>();
      parallelFor(N, [=](size_t Begin, size_t End) {
        for (size_t I = Begin; I < End; ++I)
          Values[I] = Least + Scale * static_cast<float>(valueAt(I));
      });
      CHECK(cudaMalloc(&Field, N * sizeof(float)));
      CHECK(
          cudaMemcpy(Field, Values, N * sizeof(float), cudaMemcpyHostToDevice));
    };
    for (int S = 0; S < Speeds; ++S) {
      const float Weight = S == 0 ? 4.f / 9 : S < 5 ? 1.f / 9 : 1.f / 36;
      const float Flow = 1 + 3 * Inflow * static_cast<float>(SpeedX[S]);
      Make(F.Of[S], 0.01f * Weight, Weight * Flow);
      Make(G.Of[S], 0, 0);
    }
    Make(Solid, 1, 0);
    for (float **Field : {&Density, &U, &V})
      Make(*Field, 0, 1);
  }
  const dim3 Block(64, 4), Grid((W + 63) / 64, (H + 3) / 4);
  const double Seconds = medianSeconds(Repetitions, [&] {
    for (int S = 0; S < Steps; ++S) {
      float **A = F.Of, **B = G.Of;
      moments<<<Grid, Block>>>(A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7],
                               A[8], Density, U, V, W, H);
      collide<<<Grid, Block>>>(Density, U, V, A[0], A[1], A[2], A[3], A[4],
                               A[5], A[6], A[7], A[8], W, H);
      for (int K = 0; K < Speeds; ++K)
        stream<<<Grid, Block>>>(A[K], B[K], W, H, SpeedX[K], SpeedY[K]);
      obstacles<<<Grid, Block>>>(Solid, B[1], B[2], B[3], B[4], B[5], B[6],
                                 B[7], B[8], W, H);
      wall<<<(W + 255) / 256, 256>>>(B[2], B[4], B[5], B[7], B[6], B[8], W, 0);
      wall<<<(W + 255) / 256, 256>>>(B[4], B[2], B[7], B[5], B[8], B[6], W,
                                     H - 1);
      std::swap(F, G);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  });
  HostMemory Result(N * sizeof(float), HostKind::Pinned);
  unsigned long long Sum = 0;
  for (float *Field : {F.Of[0], F.Of[5], U}) {
    CHECK(cudaMemcpy(Result.as<float>(), Field, N * sizeof(float),
                     cudaMemcpyDeviceToHost));
    Sum = 31 * Sum + checksumHost(Result.as<float>(), N);
  }
  report("lattice", Seconds, 2.0 * NumFields * N * sizeof(float), Sum);
}
