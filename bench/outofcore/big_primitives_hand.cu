//===- big_primitives_hand.cu - Rings by hand and CUB ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pinned data go through a ring of 128 MiB chunks on each GPU. Each GPU reduces
// its share by CUB, chunk by chunk. The scan is CUB's with what comes before
// carried from chunk to chunk, on one GPU, since the order forbids others.
//
// Usage: as of big_primitives; of pageable memory there is nothing here.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Ring.h"
#include "bench/outofcore/BigPrimitives.h"
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

constexpr size_t ChunkBytes = size_t(128) << 20;
constexpr size_t Chunk = ChunkBytes / sizeof(double);

template <class Function>
static __global__ void apply(size_t N, const double *X, double *Y, Function F) {
  const size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = F(X[I]);
}

static void load(void *To, const double *From, size_t Count, cudaStream_t S) {
  CHECK(cudaMemcpyAsync(To, From, Count * sizeof(double),
                        cudaMemcpyHostToDevice, S));
}
static void store(double *To, const void *From, size_t Count, cudaStream_t S) {
  CHECK(cudaMemcpyAsync(To, From, Count * sizeof(double),
                        cudaMemcpyDeviceToHost, S));
}

template <class Function>
static void transform(Rings &R, size_t N, const double *X, double *Y,
                      Function F) {
  R.stream(N, Chunk, [&](Ring &On, size_t Begin, size_t End) {
    const size_t Count = End - Begin;
    On.chunk(
        [&](void *In, cudaStream_t S) { load(In, X + Begin, Count, S); },
        [&](void *In, void *Out, cudaStream_t S) {
          apply<<<(Count + 255) / 256, 256, 0, S>>>(
              Count, static_cast<double *>(In), static_cast<double *>(Out), F);
        },
        [&](void *Out, cudaStream_t S) { store(Y + Begin, Out, Count, S); });
  });
}

/// CUB's memory for chunks, and their sums, on each GPU.
class ChunkSums {
public:
  ChunkSums(const Gpus &G, size_t N) : G(G), Count((N + Chunk - 1) / Chunk) {
    CHECK(cudaMallocHost(&Sums, Count * sizeof(double)));
    for (int I = 0; I < G.count(); ++I) {
      CHECK(cudaSetDevice(I));
      CHECK(cub::DeviceReduce::Sum(nullptr, Bytes,
                                   static_cast<double *>(nullptr),
                                   static_cast<double *>(nullptr), int(Chunk)));
      CHECK(cudaMalloc(&Work[I], Bytes));
    }
  }
  ~ChunkSums() {
    CHECK(cudaFreeHost(Sums));
    for (int I = 0; I < G.count(); ++I)
      CHECK(cudaFree(Work[I]));
  }
  ChunkSums(const ChunkSums &) = delete;
  ChunkSums &operator=(const ChunkSums &) = delete;

  double reduce(Rings &R, size_t N, const double *X) {
    size_t Next = 0;
    R.stream(N, Chunk, [&](Ring &On, size_t Begin, size_t End) {
      const size_t Here = Next++;
      int Device = 0;
      On.chunk(
          [&](void *In, cudaStream_t S) {
            load(In, X + Begin, End - Begin, S);
          },
          [&](void *In, void *Out, cudaStream_t S) {
            CHECK(cudaGetDevice(&Device));
            CHECK(cub::DeviceReduce::Sum(
                Work[Device], Bytes, static_cast<double *>(In),
                static_cast<double *>(Out), int(End - Begin), S));
          },
          [&](void *Out, cudaStream_t S) { store(Sums + Here, Out, 1, S); });
    });
    double Sum = 0;
    for (size_t I = 0; I < Next; ++I)
      Sum += Sums[I];
    return Sum;
  }

private:
  const Gpus &G;
  size_t Count, Bytes = 0;
  double *Sums = nullptr;
  void *Work[MaxGpus] = {};
};

static __global__ void carryLast(const double *Scanned, size_t Count,
                                 double *Carry) {
  *Carry = Scanned[Count - 1];
}
static __global__ void addCarry(double *First, const double *Carry) {
  *First += *Carry;
}

/// A scan on one GPU: what comes before is added to the first element.
static void scan(Ring &On, double *Carry, void *Work, size_t Bytes, size_t N,
                 const double *X, double *Y) {
  CHECK(cudaMemset(Carry, 0, sizeof(double)));
  for (size_t Begin = 0; Begin < N; Begin += Chunk) {
    const size_t Count = std::min(Chunk, N - Begin);
    On.chunk(
        [&](void *In, cudaStream_t S) { load(In, X + Begin, Count, S); },
        [&](void *In, void *Out, cudaStream_t S) {
          auto *const From = static_cast<double *>(In);
          auto *const To = static_cast<double *>(Out);
          addCarry<<<1, 1, 0, S>>>(From, Carry);
          CHECK(cub::DeviceScan::InclusiveSum(Work, Bytes, From, To, int(Count),
                                              S));
          carryLast<<<1, 1, 0, S>>>(To, Count, Carry);
        },
        [&](void *Out, cudaStream_t S) { store(Y + Begin, Out, Count, S); });
  }
  On.synchronize();
}

int main(int Argc, char **Argv) {
  const PrimitiveArguments A(Argc, Argv);
  if (!(A.Kinds & PinnedMemory))
    return 0;
  Gpus G;
  const size_t Bytes = A.N * sizeof(double);
  HostMemory InMemory(Bytes, HostKind::Pinned),
      OutMemory(Bytes, HostKind::Pinned);
  double *const In = InMemory.as<double>(), *const Out = OutMemory.as<double>();
  fillHost(In, A.N);
  fillHost(Out, A.N);
  {
    Rings R(G, ChunkBytes, ChunkBytes);
    double Seconds = medianSeconds(
        A.Repetitions, [&] { transform(R, A.N, In, Out, Scaling); });
    report("scale_pinned", Seconds, 2.0 * Bytes, checksumHost(Out, A.N));
    Seconds = medianSeconds(A.Repetitions,
                            [&] { transform(R, A.N, In, Out, SinCos()); });
    report("sincos_pinned", Seconds, 2.0 * Bytes, checksumHost(Out, A.N));
    ChunkSums Sums(G, A.N);
    double Sum = 0;
    Seconds =
        medianSeconds(A.Repetitions, [&] { Sum = Sums.reduce(R, A.N, In); });
    report("reduce_pinned", Seconds, Bytes, exactBits(Sum));
  }
  Ring One(0, ChunkBytes, ChunkBytes);
  double *Carry = nullptr;
  void *Work = nullptr;
  size_t WorkBytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(
      nullptr, WorkBytes, static_cast<double *>(nullptr),
      static_cast<double *>(nullptr), int(Chunk)));
  CHECK(cudaMalloc(&Carry, sizeof(double)));
  CHECK(cudaMalloc(&Work, WorkBytes));
  const double Seconds = medianSeconds(
      A.Repetitions, [&] { scan(One, Carry, Work, WorkBytes, A.N, In, Out); });
  report("scan_pinned", Seconds, 2.0 * Bytes, checksumHost(Out, A.N));
  CHECK(cudaFree(Carry));
  CHECK(cudaFree(Work));
}
