// Arrays of structs that launches keep as an array for each field: fields that
// a loop chooses, pointers within structs, accesses to two fields, copies of
// whole structs, fields set together, and launches that have to do without, with
// the reason in the report.
//
// RUN: %gridspan++ -O2 -mllvm -gridspan-layout=apply -mllvm -gridspan-cpu-noalias %s -o %t
// RUN: %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 %t | FileCheck %s
// RUN: env GRIDSPAN_REPORT=1 %t 2>&1 | FileCheck --check-prefix=FORMED %s
// RUN: env GRIDSPAN_REPORT=1 GRIDSPAN_LAYOUT=0 %t 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %gridspan++ -O2 -mllvm -gridspan-layout=auto %s -o %t.auto
// RUN: env GRIDSPAN_REPORT=1 %t.auto 2>&1 | FileCheck --check-prefix=AUTO %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_SPEEDS=1 %t.auto | FileCheck %s
// RUN: %gridspan++ -O2 %s -o %t.plain
// RUN: %t.plain | FileCheck %s
// CHECK: PASS
//
// FORMED: PASS
// FORMED-DAG: loops(View, unsigned int): 3 of 3 launches found arrays of records
// FORMED-DAG: chosen{{.*}}: 2 of 2 launches found
// FORMED-DAG: pairs(Seven*, unsigned int): 1 of 1 launches found
// FORMED-DAG: turns(Seven*, unsigned int): 1 of 1 launches found
// FORMED-DAG: clears(Seven*, unsigned int): 1 of 1 launches found
// FORMED-DAG: copies(Seven const*, Seven*, unsigned int): 1 of 1 launches found
// FORMED-DAG: small(Seven*, unsigned int): arrays of records stayed as they are: array-too-small
// FORMED-DAG: moved(Seven*, unsigned int): arrays of records stayed as they are: within-a-record
// FORMED-DAG: both(Seven*, unsigned int*, unsigned int): arrays of records stayed as they are: form-not-for-all
// FORMED-DAG: blends{{.*}}: 1 of 2 launches found arrays of records
// FORMED-DAG: gathers{{.*}}: arrays of records stayed as they are: form-does-not-gain
// FORMED: records converted
// OFF: PASS
// OFF-NOT: array for each field
// OFF-NOT: records converted
// AUTO: PASS
// AUTO-DAG: few({{.*}}): 10 of 16 launches found arrays of records
// AUTO-DAG: few({{.*}}): arrays of records stayed as they are: form-does-not-pay

#include "../Inputs/check.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Seven {
  unsigned V[7];
};
struct Wide {
  unsigned First;
  unsigned Rest[15];
};
struct View {
  Seven *Data;
  unsigned Count;
};

__host__ __device__ inline void loop(Seven *P, unsigned I, unsigned Lo,
                                     unsigned Hi, unsigned K) {
#pragma unroll 1
  for (unsigned F = Lo; F < Hi; ++F)
    P[I].V[F] = P[I].V[F] * 3 + K + F;
}

__global__ void loops(View A, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < A.Count)
    loop(A.Data, I, 1, 6, K);
}
__global__ void chosen(View A, unsigned Lo, unsigned Hi, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < A.Count)
    loop(A.Data, I, Lo, Hi, K);
}
__global__ void pairs(Seven *P, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  unsigned Pair[2];
  memcpy(Pair, &P[I].V[2], 8);
  Pair[0] ^= Pair[1];
  memcpy(&P[I].V[2], Pair, 8);
}
/// Whole records through shared memory, in each block from behind.
__global__ void turns(Seven *P, unsigned N) {
  __shared__ Seven Own[128];
  unsigned First = blockIdx.x * blockDim.x;
  unsigned Count = min(blockDim.x, N - First);
  if (threadIdx.x < Count)
    Own[threadIdx.x] = P[First + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < Count)
    P[First + threadIdx.x] = Own[Count - 1 - threadIdx.x];
}
__global__ void clears(Seven *P, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    P[I].V[4] = P[I].V[5] = 0;
    P[I].V[6] += I;
  }
}
__global__ void copies(const Seven *From, Seven *To, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    To[I] = From[I];
}
__global__ void small(Seven *P, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    P[I].V[0] += P[I].V[6];
}
__global__ void moved(Seven *P, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    P[I].V[0] += P[I].V[1];
}
__global__ void both(Seven *P, unsigned *Words, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    P[I].V[0] += Words[7 * N + I];
}
__global__ void gathers(Seven *P, const unsigned *Index, unsigned N,
                        unsigned *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    const Seven &At = P[Index[I]];
    Out[I] = At.V[0] + At.V[1] * At.V[2];
  }
}
__global__ void few(Wide *P, unsigned N, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    P[I].First += K;
}

/// Loads Steps once for arguments that do not overlap.
__global__ void blends(Seven *P, const unsigned *Steps, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    for (unsigned F = 0; F != 6; ++F)
      P[I].V[F] += Steps[0] * P[I].V[F + 1] + Steps[1];
}

constexpr unsigned N = 5000, Block = 128, Grid = (N + Block - 1) / Block;

template <class T> T *toDevice(const std::vector<T> &From) {
  T *Out;
  CHECK(cudaMalloc(&Out, From.size() * sizeof(T)));
  CHECK(cudaMemcpy(Out, From.data(), From.size() * sizeof(T),
                   cudaMemcpyHostToDevice));
  return Out;
}

template <class T>
void expect(const T *Device, const std::vector<T> &Want, const char *What) {
  std::vector<T> Got(Want.size());
  CHECK(cudaMemcpy(Got.data(), Device, Got.size() * sizeof(T),
                   cudaMemcpyDeviceToHost));
  if (memcmp(Got.data(), Want.data(), Got.size() * sizeof(T))) {
    printf("FAIL: %s\n", What);
    exit(1);
  }
}

int main() {
  // One more record, and then words behind it.
  std::vector<Seven> H(N + N / 7 + 1);
  for (unsigned I = 0; I < H.size() * 7; ++I)
    ((unsigned *)H.data())[I] = I * 2654435761u;
  Seven *P = toDevice(H);
  for (unsigned K = 0; K < 3; ++K) {
    loops<<<Grid, Block>>>(View{P, N}, K);
    for (unsigned I = 0; I < N; ++I)
      loop(H.data(), I, 1, 6, K);
  }
  for (unsigned K = 0; K < 2; ++K) {
    chosen<<<Grid, Block>>>(View{P + K, N}, K, 5 + K, K);
    for (unsigned I = 0; I < N; ++I)
      loop(H.data() + K, I, K, 5 + K, K);
  }
  pairs<<<Grid, Block>>>(P, N);
  for (unsigned I = 0; I < N; ++I)
    H[I].V[2] ^= H[I].V[3];
  turns<<<Grid, Block>>>(P, N);
  for (unsigned First = 0; First < N; First += Block)
    std::reverse(H.begin() + First, H.begin() + std::min(First + Block, N));
  clears<<<Grid, Block>>>(P, N);
  for (unsigned I = 0; I < N; ++I) {
    H[I].V[4] = H[I].V[5] = 0;
    H[I].V[6] += I;
  }
  std::vector<Seven> Copied(N);
  Seven *Copy = toDevice(Copied);
  copies<<<Grid, Block>>>(P, Copy, N);
  Copied.assign(H.begin(), H.begin() + N);
  expect(Copy, Copied, "copies");
  CHECK(cudaFree(Copy));
  expect(P, H, "fields");

  moved<<<Grid, Block>>>((Seven *)((unsigned *)P + 3), N);
  for (unsigned I = 0; I < N; ++I) {
    unsigned *At = (unsigned *)H.data() + 3 + 7 * I;
    At[0] += At[1];
  }
  both<<<Grid, Block>>>(P, (unsigned *)P, N);
  for (unsigned I = 0; I < N; ++I)
    H[I].V[0] += ((unsigned *)H.data())[7 * N + I];
  expect(P, H, "parts");

  std::vector<unsigned> Index(N), Sums(N);
  for (unsigned I = 0; I < N; ++I) {
    Index[I] = I * 7919u % N;
    const Seven &At = H[Index[I]];
    Sums[I] = At.V[0] + At.V[1] * At.V[2];
  }
  unsigned *Indices = toDevice(Index), *Out = toDevice(Index);
  gathers<<<Grid, Block>>>(P, Indices, N, Out);
  expect(Out, Sums, "gathers");

  // Then with steps that are records themselves: form-not-for-all.
  for (unsigned *Steps : {Indices, (unsigned *)P + 7 * N}) {
    blends<<<Grid, Block>>>(P, Steps, N);
    const unsigned *Of = Steps == Indices ? Index.data() : H[N].V;
    for (unsigned I = 0; I < N; ++I)
      for (unsigned F = 0; F != 6; ++F)
        H[I].V[F] += Of[0] * H[I].V[F + 1] + Of[1];
    expect(P, H, "blends");
  }

  std::vector<Seven> Little(100);
  Seven *Q = toDevice(Little);
  small<<<1, 128>>>(Q, 100);
  expect(Q, Little, "small");

  // Each launch saves 28 of 64 bytes, and a conversion moves 4 * 64.
  std::vector<Wide> W(N);
  Wide *D = toDevice(W);
  for (unsigned K = 0; K < 16; ++K) {
    few<<<Grid, Block>>>(D, N, K);
    for (unsigned I = 0; I < N; ++I)
      W[I].First += K;
    if (K == 10)
      expect(D, W, "few");
  }
  expect(D, W, "few");
  for (void *Memory :
       {(void *)P, (void *)Indices, (void *)Out, (void *)Q, (void *)D})
    CHECK(cudaFree(Memory));
  printf("PASS\n");
}
