// Devices reduce into private copies that are combined behind the launch: every
// operation, direct and by way of shared memory, several reductions in one
// kernel, pointers into one allocation, and arguments that forbid it. Results
// are those of plain launches.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_PRIVATE_COPIES=always %compare --split direct --split flushed --split extremes %t | FileCheck %s
// RUN: env GRIDSPAN_PRIVATE_COPIES=never %compare --devices 3 --split direct %t | FileCheck %s
// RUN: %compare --devices 2,3 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_CPU_SPEEDS=1,0.3,0.1,0.5 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_PRIVATE_COPIES=always GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2>&1 | FileCheck --check-prefix=ALWAYS %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_PRIVATE_COPIES=integer GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2>&1 | FileCheck --check-prefix=INTEGER %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_PRIVATE_COPIES=never GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2>&1 | FileCheck --check-prefix=NEVER %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_PRIVATE_COPIES=always GRIDSPAN_SCHEDULE=static GRIDSPAN_CHECK=1 %t | FileCheck %s
// CHECK: PASS
//
// ALWAYS: PASS
// ALWAYS-DAG: direct({{.*}} reduced into private copies
// ALWAYS-DAG: flushed({{.*}} reduced into private copies
// ALWAYS-DAG: sums<float>({{.*}} reduced into private copies
// ALWAYS-DAG: sums<double>({{.*}} reduced into private copies
// ALWAYS-DAG: extremes<int>{{.*}} reduced into private copies
// ALWAYS-DAG: extremes<unsigned long long>{{.*}} reduced into private copies
// ALWAYS-DAG: bits<unsigned{{.*}} reduced into private copies
// ALWAYS-DAG: sumAndLargest({{.*}}: 1 of 2 launches reduced into private copies
// ALWAYS-DAG: counted({{.*}} reduced into private copies
// ALWAYS-DAG: spread({{.*}} reduced into private copies
// ALWAYS-NOT: readAndAdd({{.*}} reduced into private copies
// ALWAYS: combined
//
// INTEGER-NOT: sums<{{.*}} reduced into private copies
// INTEGER: bits<unsigned int>{{.*}} reduced into private copies
// INTEGER-NOT: sums<{{.*}} reduced into private copies
//
// NEVER: PASS
// NEVER-NOT: private copies
// NEVER-NOT: combined

#include "../Inputs/check.h"
#include <climits>
#include <vector>

constexpr int N = 1 << 16, Bins = 1000;

__device__ __host__ inline unsigned hash(unsigned X) {
  X = (X ^ 61) ^ (X >> 16);
  X *= 9;
  X ^= X >> 4;
  X *= 0x27d4eb2d;
  return X ^ (X >> 15);
}

__global__ void direct(const int *In, int *Counts, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size)
    atomicAdd(&Counts[In[I]], 1);
}

__global__ void flushed(const int *In, unsigned *Counts, int Size) {
  __shared__ unsigned Own[Bins];
  for (int B = threadIdx.x; B < Bins; B += blockDim.x)
    Own[B] = 0;
  __syncthreads();
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Size;
       I += gridDim.x * blockDim.x)
    atomicAdd(&Own[In[I]], 1u);
  __syncthreads();
  for (int B = threadIdx.x; B < Bins; B += blockDim.x)
    if (Own[B])
      atomicAdd(&Counts[B], Own[B]);
}

template <class T> __global__ void sums(const int *In, T *Sum, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size)
    atomicAdd(&Sum[I % 3], T(In[I] % 16) / 4);
}

template <class T>
__global__ void extremes(const T *In, T *Least, T *Most, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size) {
    atomicMin(&Least[I % 5], In[I]);
    atomicMax(&Most[I % 7], In[I]);
  }
}

template <class T>
__global__ void bits(const T *In, T *And, T *Or, T *Xor, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size) {
    atomicAnd(And, In[I] | 3);
    atomicOr(Or, In[I] & ~T(5));
    atomicXor(Xor, In[I]);
  }
}

// Two operations: in one allocation they cannot both be private.
__global__ void sumAndLargest(const int *In, int *Sum, int *Largest, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size) {
    atomicAdd(Sum, In[I]);
    atomicMax(Largest, In[I]);
  }
}

// Counting without a bound, and down by subtraction.
__global__ void counted(unsigned *Up, unsigned *Down) {
  atomicInc(Up, 0xffffffffu);
  atomicDec(Down, 0xffffffffu);
  atomicSub(Down + 1, 3u);
}

// Reads what another argument may lead to.
__global__ void readAndAdd(const int *In, int *Out, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size)
    atomicAdd(&Out[I], In[I]);
}

// Scattered over memory that several devices are home to.
__global__ void spread(unsigned long long *Out, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&Out[hash(I) % Size], 1ull + I);
}

void testHistograms(const std::vector<int> &In, const int *DIn) {
  std::vector<int> Want(Bins, 5), Got(Bins, 5);
  for (int V : In)
    Want[V] += 3;
  int *Counts = toDevice(Got.data(), Bins);
  for (int Round = 0; Round < 3; ++Round)
    direct<<<N / 128, 128>>>(DIn, Counts, N);
  toHost(Got.data(), Counts, Bins);
  EXPECT(Got == Want);
  // Both halves at a time, in streams that do not wait for each other.
  cudaStream_t Streams[2];
  for (cudaStream_t &S : Streams)
    CHECK(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking));
  for (int Round = 0; Round < 4; ++Round)
    for (int H = 0; H < 2; ++H)
      direct<<<N / 256, 128, 0, Streams[H]>>>(DIn + H * N / 2, Counts, N / 2);
  CHECK(cudaDeviceSynchronize());
  for (int V : In)
    Want[V] += 4;
  toHost(Got.data(), Counts, Bins);
  EXPECT(Got == Want);
  CHECK(cudaMemset(Counts, 0, Bins * 4));
  flushed<<<40, 256>>>(DIn, reinterpret_cast<unsigned *>(Counts), N);
  toHost(Got.data(), Counts, Bins);
  for (int B = 0; B < Bins; ++B)
    EXPECT(Got[B] == (Want[B] - 5) / 7);
  for (cudaStream_t S : Streams)
    CHECK(cudaStreamDestroy(S));
  CHECK(cudaFree(Counts));
}

template <class T> void testSums(const std::vector<int> &In, const int *DIn) {
  T Want[3] = {1, -2, T(-0.0)}, Got[3] = {1, -2, T(-0.0)};
  T *Sum = toDevice(Got, 3);
  sums<<<N / 128, 128>>>(DIn, Sum, N);
  toHost(Got, Sum, 3);
  for (int I = 0; I < N; ++I)
    Want[I % 3] += T(In[I] % 16) / 4;
  for (int K = 0; K < 3; ++K)
    EXPECT(Got[K] == Want[K]);
  CHECK(cudaFree(Sum));
}

template <class T> void testExtremes() {
  std::vector<T> In(N);
  for (int I = 0; I < N; ++I)
    In[I] = T(hash(I)) * T(hash(I + N)) * T(I % 11 == 0 ? -1 : 1);
  std::vector<T> Least(5, In[3]), Most(7, In[3]), WantLeast = Least,
                                                  WantMost = Most;
  T *DIn = toDevice(In.data(), N), *DLeast = toDevice(Least.data(), 5),
    *DMost = toDevice(Most.data(), 7);
  extremes<<<N / 128, 128>>>(DIn, DLeast, DMost, N);
  for (int I = 0; I < N; ++I) {
    WantLeast[I % 5] = std::min(WantLeast[I % 5], In[I]);
    WantMost[I % 7] = std::max(WantMost[I % 7], In[I]);
  }
  toHost(Least.data(), DLeast, 5);
  toHost(Most.data(), DMost, 7);
  EXPECT(Least == WantLeast);
  EXPECT(Most == WantMost);
  CHECK(cudaFree(DIn));
  CHECK(cudaFree(DLeast));
  CHECK(cudaFree(DMost));
}

template <class T> void testBits() {
  std::vector<T> In(N);
  T Want[3] = {T(-1), 16, 9}, Got[3] = {T(-1), 16, 9};
  for (int I = 0; I < N; ++I) {
    In[I] = T(hash(I)) << (I % 3) | T(0xf00);
    Want[0] &= In[I] | 3;
    Want[1] |= In[I] & ~T(5);
    Want[2] ^= In[I];
  }
  T *DIn = toDevice(In.data(), N), *D[3];
  for (int K = 0; K < 3; ++K)
    D[K] = toDevice(Got + K, 1);
  bits<<<N / 128, 128>>>(DIn, D[0], D[1], D[2], N);
  for (int K = 0; K < 3; ++K) {
    toHost(Got + K, D[K], 1);
    EXPECT(Got[K] == Want[K]);
    CHECK(cudaFree(D[K]));
  }
  CHECK(cudaFree(DIn));
}

void testPlaces(const std::vector<int> &In, const int *DIn) {
  int Zero[64] = {}, Got[64], Sum = 0, Largest = 0;
  for (int V : In)
    Sum += V, Largest = std::max(Largest, V);
  int *A = toDevice(Zero, 64), *B = toDevice(Zero, 64);
  sumAndLargest<<<N / 128, 128>>>(DIn, A + 17, B + 40, N);
  toHost(Got, A, 64);
  EXPECT(Got[17] == Sum);
  toHost(Got, B, 64);
  EXPECT(Got[40] == Largest);
  sumAndLargest<<<N / 128, 128>>>(DIn, A + 18, A + 19, N);
  toHost(Got, A, 64);
  EXPECT(Got[17] == Sum && Got[18] == Sum && Got[19] == Largest);
  // One operation through two pointers into one allocation.
  CHECK(cudaMemset(A, 0, 64 * 4));
  unsigned *U = reinterpret_cast<unsigned *>(A);
  counted<<<100, 64>>>(U + 3, U + 20);
  counted<<<100, 64>>>(U + 3, U + 3);
  toHost(Got, A, 64);
  EXPECT(Got[3] == 6400 && Got[4] == -3 * 6400);
  EXPECT(Got[20] == -6400 && Got[21] == -3 * 6400);
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  // In and out are one allocation, apart and the same.
  std::vector<int> Both(2 * N);
  for (int I = 0; I < N; ++I)
    Both[I] = In[I];
  int *D = toDevice(Both.data(), 2 * N);
  readAndAdd<<<N / 128, 128>>>(D, D + N, N);
  readAndAdd<<<N / 128, 128>>>(D, D, N);
  toHost(Both.data(), D, 2 * N);
  for (int I = 0; I < N; ++I) {
    EXPECT(Both[I] == 2 * In[I]);
    EXPECT(Both[N + I] == In[I]);
  }
  CHECK(cudaFree(D));
}

void testSpread() {
  constexpr int Size = (1 << 20) + 7, Blocks = 300;
  std::vector<unsigned long long> Want(Size, 11), Got(Size, 11);
  unsigned long long *D = toDevice(Got.data(), Size);
  for (int I = 0; I < Blocks * 128; ++I)
    Want[hash(I) % Size] += 2 * (1ull + I);
  spread<<<Blocks, 128>>>(D, Size);
  spread<<<Blocks, 128>>>(D, Size);
  toHost(Got.data(), D, Size);
  EXPECT(Got == Want);
  CHECK(cudaFree(D));
}

int main() {
  std::vector<int> In(N);
  for (int I = 0; I < N; ++I)
    In[I] = hash(I) % Bins;
  int *DIn = toDevice(In.data(), N);
  testHistograms(In, DIn);
  testSums<float>(In, DIn);
  testSums<double>(In, DIn);
  testExtremes<int>();
  testExtremes<unsigned>();
  testExtremes<long long>();
  testExtremes<unsigned long long>();
  testBits<unsigned>();
  testBits<unsigned long long>();
  testPlaces(In, DIn);
  testSpread();
  CHECK(cudaFree(DIn));
  return finish();
}
