//===- HeldOut3.h - Programs written after the model's third ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The third group: channels that a loop selects, contacts whose coordinates are
// in separate arrays (the present form is the struct of arrays), sound in
// frames, votes in few counters, tables that are searched by steps, seismic
// traces. The choices are in held_out_3.txt.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_HELDOUT3_H
#define GRIDSPAN_BENCH_LAYOUT_HELDOUT3_H

#include "Harness.h"
#include <type_traits>

/// Weighted sum of the middle channels of each of a sensor's readings (12).
template <class V>
__global__ void weighChannels(V Readings, unsigned N, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Sum = 0, Weight = 1;
#pragma unroll 1
  for (int Channel = 3; Channel < 9; ++Channel) {
    Sum += Weight * Readings.get(I, Channel);
    Weight *= 0.75f;
  }
  Out[I] = Sum;
}
template <template <class, int> class Layout> struct Channels {
  static constexpr const char *Name = "channels";
  using View = Layout<float, 12>;
  static constexpr size_t Count = 9000000, OutWords = Count;
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field);
  }
  static void run(View R, unsigned *Out) {
    weighChannels<<<blocksOf(Count, 192), 192>>>(R, Count, (float *)Out);
  }
};

/// Coulomb energy of pairs of atoms (x, y, z, charge) that a list names; the
/// atoms' data are in four arrays.
__global__ void contactsApart(const float *__restrict__ X,
                              const float *__restrict__ Y,
                              const float *__restrict__ Z,
                              const float *__restrict__ Q, unsigned N,
                              unsigned Pairs, const float *__restrict__ List,
                              float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Pairs)
    return;
  unsigned A = unsigned(List[I] * float(N));
  unsigned B = unsigned(List[Pairs + I] * float(N));
  float DX = X[A] - X[B], DY = Y[A] - Y[B], DZ = Z[A] - Z[B];
  Out[I] = Q[A] * Q[B] * rsqrtf(DX * DX + DY * DY + DZ * DZ + 1e-4f);
}
template <class V>
__global__ void contacts(V P, unsigned N, unsigned Pairs,
                         const float *__restrict__ List, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Pairs)
    return;
  unsigned A = unsigned(List[I] * float(N));
  unsigned B = unsigned(List[Pairs + I] * float(N));
  float DX = P.get(A, 0) - P.get(B, 0), DY = P.get(A, 1) - P.get(B, 1),
        DZ = P.get(A, 2) - P.get(B, 2);
  Out[I] =
      P.get(A, 3) * P.get(B, 3) * rsqrtf(DX * DX + DY * DY + DZ * DZ + 1e-4f);
}
template <template <class, int> class Layout> struct Contacts {
  static constexpr const char *Name = "contacts";
  using View = Layout<float, 4>;
  static constexpr unsigned Pairs = 6000000;
  static constexpr size_t Count = 3000000, OutWords = size_t(3) * Pairs;
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field);
  }
  static void run(View P, unsigned *Out) {
    const float *List = (float *)Out;
    float *Energy = (float *)Out + 2 * Pairs;
    if constexpr (std::is_same_v<View, Soa<float, 4>>)
      contactsApart<<<blocksOf(Pairs, 128), 128>>>(
          P.Data, P.Data + Count, P.Data + 2 * Count, P.Data + 3 * Count, Count,
          Pairs, List, Energy);
    else
      contacts<<<blocksOf(Pairs, 128), 128>>>(P, Count, Pairs, List, Energy);
  }
};

/// Six channels of sound to two.
template <class V>
__global__ void mixDown(V Frames, unsigned N, short *Left, short *Right) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  int Middle = Frames.get(I, 2) + Frames.get(I, 3) / 2;
  Left[I] = short((Frames.get(I, 0) + Middle + Frames.get(I, 4) / 2) / 4);
  Right[I] = short((Frames.get(I, 1) + Middle + Frames.get(I, 5) / 2) / 4);
}
template <template <class, int> class Layout> struct Sound {
  static constexpr const char *Name = "sound";
  using View = Layout<short, 6>;
  static constexpr size_t Count = 40000000, OutWords = Count;
  __device__ static short initial(size_t I, int Field) {
    return short(mixed(unsigned(I) * 8u + unsigned(Field)));
  }
  static void run(View Frames, unsigned *Out) {
    mixDown<<<blocksOf(Count, 512), 512>>>(Frames, Count, (short *)Out,
                                           (short *)Out + Count);
  }
};

/// Votes of a field of three of eight for one of 96 parties.
template <class V>
__global__ void countVotes(V Ballots, unsigned N, unsigned *Parties) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N && Ballots.get(I, 1) > Ballots.get(I, 6))
    atomicAdd(&Parties[Ballots.get(I, 4) % 96u], 1u);
}
template <template <class, int> class Layout> struct Votes {
  static constexpr const char *Name = "votes";
  using View = Layout<unsigned, 8>;
  static constexpr size_t Count = 12000000, OutWords = 96;
  __device__ static unsigned initial(size_t I, int Field) {
    return mixed(unsigned(I) * 8u + unsigned(Field));
  }
  static void run(View Ballots, unsigned *Out) {
    countVotes<<<blocksOf(Count, 256), 256>>>(Ballots, Count, Out);
  }
};

/// Each thread looks a key up in a sorted table (key, from, to, rate of
/// doubles) by halving, and interpolates in the record that it finds.
template <class V>
__global__ void lookUp(V Table, unsigned Log, unsigned Queries, double *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Queries)
    return;
  double Key = double(mixed(I)) * (1.0 / 4294967296.0);
  unsigned At = 0;
  for (unsigned Step = 1u << (Log - 1); Step; Step /= 2)
    if (Table.get(At + Step, 0) <= Key)
      At += Step;
  Out[I] = Table.get(At, 1) +
           (Table.get(At, 2) - Table.get(At, 1)) * Table.get(At, 3);
}
template <template <class, int> class Layout> struct LookUps {
  static constexpr const char *Name = "lookups";
  using View = Layout<double, 4>;
  static constexpr unsigned Log = 21, Queries = 3000000;
  static constexpr size_t Count = size_t(1) << Log,
                          OutWords = size_t(2) * Queries;
  __device__ static double initial(size_t I, int Field) {
    return Field ? uniform(I, Field) : double(I) / double(Count);
  }
  static void run(View Table, unsigned *Out) {
    lookUp<<<blocksOf(Queries, 256), 256>>>(Table, Log, Queries, (double *)Out);
  }
};

/// Stress of a two-dimensional seismic wave from velocities and moduli (vx, vy,
/// sxx, syy, sxy, lambda, mu), in place.
template <class V>
__global__ void updateStress(V C, unsigned Width, unsigned Height, float Step) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  unsigned At = Y * Width + X;
  float VXX = C.get(At, 0) - C.get(At - 1, 0);
  float VYY = C.get(At, 1) - C.get(At - Width, 1);
  float VXY =
      C.get(At + Width, 0) - C.get(At, 0) + C.get(At + 1, 1) - C.get(At, 1);
  float Lambda = C.get(At, 5), Mu = C.get(At, 6);
  C.set(At, 2, C.get(At, 2) + Step * (Lambda * (VXX + VYY) + 2 * Mu * VXX));
  C.set(At, 3, C.get(At, 3) + Step * (Lambda * (VXX + VYY) + 2 * Mu * VYY));
  C.set(At, 4, C.get(At, 4) + Step * Mu * VXY);
}
template <template <class, int> class Layout> struct Seismic {
  static constexpr const char *Name = "seismic";
  using View = Layout<float, 7>;
  static constexpr unsigned Width = 3072, Height = 2000;
  static constexpr size_t Count = size_t(Width) * Height, OutWords = 0;
  __device__ static float initial(size_t I, int Field) {
    return uniform(I, Field);
  }
  static void run(View C, unsigned *) {
    updateStress<<<dim3(Width / 64, Height / 4), dim3(64, 4)>>>(C, Width,
                                                                Height, 1e-3f);
  }
};

#endif // GRIDSPAN_BENCH_LAYOUT_HELDOUT3_H
