//===- mini_hydro.cu - A hydrodynamics code larger than memory ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gas with a tracer in a box under gravity, in the style of the mini-apps for
// hydrodynamics: the compressible Euler equations by Rusanov fluxes, split by
// direction (E. F. Toro, "Riemann Solvers and Numerical Methods for Fluid
// Dynamics", 2009, 10.5), heat conduction and upwind advection. A step is 13
// kernels, a fill and a copy on 13 fields; the time step is found on the
// device. The program waits for nothing within the steps.
//
// Usage: mini_hydro [MiB of each field] [steps] [repetitions]
//
//===----------------------------------------------------------------------===//

#include "bench/common/HostData.h"

static constexpr double Gamma = 1.4, Gravity = -0.1, Conduction = 1e-3;

static __device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }

static __global__ void equationOfState(const double *Density,
                                       const double *MomentumX,
                                       const double *MomentumY,
                                       const double *Energy, double *Pressure,
                                       double *Sound, int W, int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  const double Kinetic =
      0.5 * (MomentumX[I] * MomentumX[I] + MomentumY[I] * MomentumY[I]) /
      Density[I];
  const double P = (Gamma - 1) * fmax(Energy[I] - Kinetic, 1e-9);
  Pressure[I] = P;
  Sound[I] = sqrt(Gamma * P / Density[I]);
}

/// Finds the fastest wave. Speeds are above 0, so that their bits are ordered
/// as they are.
static __global__ void fastest(const double *Density, const double *MomentumX,
                               const double *Sound, unsigned *Most, int W,
                               int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  const float Speed =
      static_cast<float>(fabs(MomentumX[I]) / Density[I] + Sound[I]);
  unsigned Bits = __float_as_uint(Speed);
  for (int Lane = 16; Lane > 0; Lane /= 2)
    Bits = max(Bits, __shfl_xor_sync(~0u, Bits, Lane));
  if (threadIdx.x % 32 == 0)
    atomicMax(Most, Bits);
}

static __global__ void chooseStep(const unsigned *Most, double *Step) {
  *Step = 0.2 / static_cast<double>(__uint_as_float(*Most) + 1);
}

/// Fluxes through the faces between each cell and the one that is Next behind,
/// for which Along is the momentum.
static __global__ void fluxes(const double *Density, const double *Along,
                              const double *Across, const double *Energy,
                              const double *Pressure, const double *Sound,
                              double *FluxDensity, double *FluxAlong,
                              double *FluxAcross, double *FluxEnergy, int W,
                              int H, int StepX, int StepY) {
  const int X = column(), Y = row();
  if (X >= W - StepX || Y >= H - StepY)
    return;
  const size_t L = size_t(Y) * W + X, R = L + StepX + size_t(StepY) * W;
  const double VelocityL = Along[L] / Density[L];
  const double VelocityR = Along[R] / Density[R];
  const double S = fmax(fabs(VelocityL) + Sound[L], fabs(VelocityR) + Sound[R]);
  FluxDensity[L] = 0.5 * (Along[L] + Along[R] - S * (Density[R] - Density[L]));
  FluxAlong[L] =
      0.5 * (Along[L] * VelocityL + Pressure[L] + Along[R] * VelocityR +
             Pressure[R] - S * (Along[R] - Along[L]));
  FluxAcross[L] = 0.5 * (Across[L] * VelocityL + Across[R] * VelocityR -
                         S * (Across[R] - Across[L]));
  FluxEnergy[L] = 0.5 * ((Energy[L] + Pressure[L]) * VelocityL +
                         (Energy[R] + Pressure[R]) * VelocityR -
                         S * (Energy[R] - Energy[L]));
}

static __global__ void update(double *Density, double *Along, double *Across,
                              double *Energy, const double *FluxDensity,
                              const double *FluxAlong, const double *FluxAcross,
                              const double *FluxEnergy, const double *Step,
                              int W, int H, int StepX, int StepY) {
  const int X = column(), Y = row();
  if (X < 1 || Y < 1 || X >= W - 1 || Y >= H - 1)
    return;
  const size_t I = size_t(Y) * W + X, L = I - StepX - size_t(StepY) * W;
  const double Dt = *Step;
  Density[I] += Dt * (FluxDensity[L] - FluxDensity[I]);
  Along[I] += Dt * (FluxAlong[L] - FluxAlong[I]);
  Across[I] += Dt * (FluxAcross[L] - FluxAcross[I]);
  Energy[I] += Dt * (FluxEnergy[L] - FluxEnergy[I]);
}

static __global__ void gravity(const double *Density, double *MomentumY,
                               double *Energy, const double *Step, int W,
                               int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  const double Push = *Step * Gravity * Density[I];
  Energy[I] +=
      Push * MomentumY[I] / Density[I] + 0.5 * Push * Push / Density[I];
  MomentumY[I] += Push;
}

static __global__ void temperatures(const double *Density,
                                    const double *Pressure, double *Temperature,
                                    int W, int H) {
  const int X = column(), Y = row();
  if (X < W && Y < H)
    Temperature[size_t(Y) * W + X] =
        Pressure[size_t(Y) * W + X] / Density[size_t(Y) * W + X];
}

static __global__ void conduct(const double *Temperature, double *Energy,
                               const double *Step, int W, int H) {
  const int X = column(), Y = row();
  if (X < 1 || Y < 1 || X >= W - 1 || Y >= H - 1)
    return;
  const size_t I = size_t(Y) * W + X;
  Energy[I] += *Step * Conduction *
               (Temperature[I - 1] + Temperature[I + 1] + Temperature[I - W] +
                Temperature[I + W] - 4 * Temperature[I]);
}

static __global__ void advect(const double *Density, const double *MomentumX,
                              const double *MomentumY, const double *Tracer,
                              double *Next, const double *Step, int W, int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  double Change = 0;
  if (X > 0 && Y > 0 && X < W - 1 && Y < H - 1) {
    const double U = MomentumX[I] / Density[I], V = MomentumY[I] / Density[I];
    Change = fmax(U, 0.0) * (Tracer[I - 1] - Tracer[I]) +
             fmin(U, 0.0) * (Tracer[I] - Tracer[I + 1]) +
             fmax(V, 0.0) * (Tracer[I - W] - Tracer[I]) +
             fmin(V, 0.0) * (Tracer[I] - Tracer[I + W]);
  }
  Next[I] = Tracer[I] + *Step * Change;
}

static __global__ void keepPositive(double *Density, double *Energy, int W,
                                    int H) {
  const int X = column(), Y = row();
  if (X >= W || Y >= H)
    return;
  const size_t I = size_t(Y) * W + X;
  Density[I] = fmax(Density[I], 1e-6);
  Energy[I] = fmax(Energy[I], 1e-9);
}

int main(int Argc, char **Argv) {
  const size_t N = argument(Argc, Argv, 1, 1024) * (size_t(1) << 17);
  const int Steps = argument(Argc, Argv, 2, 4);
  const int Repetitions = argument(Argc, Argv, 3, 2);
  const int W = N >= (size_t(1) << 26) ? 8192 : 256;
  const int H = static_cast<int>(N / W);
  constexpr int NumFields = 13;
  double *F[NumFields];
  {
    HostMemory Start(N * sizeof(double), HostKind::Pinned);
    fillHost(Start.as<double>(), N); // in [0, 4)
    for (int K = 0; K < NumFields; ++K) {
      const double Scale = K == 3 ? 1 : K == 0 ? 0.1 : 0.01;
      const double Least = K == 0 ? 1 : K == 3 ? 2 : 0;
      double *Values = Start.as<double>();
      parallelFor(N, [=](size_t Begin, size_t End) {
        for (size_t I = Begin; I < End; ++I)
          Values[I] = Least + Scale * valueAt(I + size_t(K) * 977);
      });
      CHECK(cudaMalloc(&F[K], N * sizeof(double)));
      CHECK(
          cudaMemcpy(F[K], Values, N * sizeof(double), cudaMemcpyHostToDevice));
    }
  }
  unsigned *Most;
  double *Step;
  CHECK(cudaMalloc(&Most, sizeof(unsigned)));
  CHECK(cudaMalloc(&Step, sizeof(double)));
  double *Density = F[0], *MomentumX = F[1], *MomentumY = F[2], *Energy = F[3];
  double *Pressure = F[4], *Sound = F[5], *Temperature = F[10];
  double *Tracer = F[11], *Next = F[12];
  const dim3 Block(64, 4), Grid((W + 63) / 64, (H + 3) / 4);
  const double Seconds = medianSeconds(Repetitions, [&] {
    for (int S = 0; S < Steps; ++S) {
      equationOfState<<<Grid, Block>>>(Density, MomentumX, MomentumY, Energy,
                                       Pressure, Sound, W, H);
      CHECK(cudaMemsetAsync(Most, 0, sizeof(unsigned)));
      fastest<<<Grid, Block>>>(Density, MomentumX, Sound, Most, W, H);
      chooseStep<<<1, 1>>>(Most, Step);
      fluxes<<<Grid, Block>>>(Density, MomentumX, MomentumY, Energy, Pressure,
                              Sound, F[6], F[7], F[8], F[9], W, H, 1, 0);
      update<<<Grid, Block>>>(Density, MomentumX, MomentumY, Energy, F[6], F[7],
                              F[8], F[9], Step, W, H, 1, 0);
      equationOfState<<<Grid, Block>>>(Density, MomentumX, MomentumY, Energy,
                                       Pressure, Sound, W, H);
      fluxes<<<Grid, Block>>>(Density, MomentumY, MomentumX, Energy, Pressure,
                              Sound, F[6], F[7], F[8], F[9], W, H, 0, 1);
      update<<<Grid, Block>>>(Density, MomentumY, MomentumX, Energy, F[6], F[7],
                              F[8], F[9], Step, W, H, 0, 1);
      gravity<<<Grid, Block>>>(Density, MomentumY, Energy, Step, W, H);
      temperatures<<<Grid, Block>>>(Density, Pressure, Temperature, W, H);
      conduct<<<Grid, Block>>>(Temperature, Energy, Step, W, H);
      advect<<<Grid, Block>>>(Density, MomentumX, MomentumY, Tracer, Next, Step,
                              W, H);
      CHECK(cudaMemcpyAsync(Tracer, Next, N * sizeof(double),
                            cudaMemcpyDeviceToDevice));
      keepPositive<<<Grid, Block>>>(Density, Energy, W, H);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  });
  HostMemory Result(N * sizeof(double), HostKind::Pinned);
  unsigned long long Sum = 0;
  for (double *Field : {Density, Energy, Tracer}) {
    CHECK(cudaMemcpy(Result.as<double>(), Field, N * sizeof(double),
                     cudaMemcpyDeviceToHost));
    Sum = 31 * Sum + checksumHost(Result.as<double>(), N);
  }
  report("hydro", Seconds, 2.0 * NumFields * N * sizeof(double), Sum);
}
