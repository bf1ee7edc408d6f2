//===- Ring.h - Streaming through a GPU by hand -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one writes to run a kernel on data larger than the GPU's memory: chunks
// are copied into a ring of buffers, worked on, and copied back, by three
// streams, so that both directions of the bus and the GPU are busy at once.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_RING_H
#define GRIDSPAN_BENCH_COMMON_RING_H

#include "bench/common/Gpus.h"
#include <memory>

constexpr int RingSlots = 4;

/// The ring of one GPU.
class Ring {
public:
  Ring(int Device, size_t InBytes, size_t OutBytes) : Device(Device) {
    CHECK(cudaSetDevice(Device));
    for (cudaStream_t *S : {&Load, &Work, &Store})
      CHECK(cudaStreamCreateWithFlags(S, cudaStreamNonBlocking));
    for (Slot &S : Slots) {
      if (InBytes)
        CHECK(cudaMalloc(&S.In, InBytes));
      if (OutBytes)
        CHECK(cudaMalloc(&S.Out, OutBytes));
      for (cudaEvent_t *E : {&S.Loaded, &S.Worked, &S.Stored})
        CHECK(cudaEventCreateWithFlags(E, cudaEventDisableTiming));
    }
  }
  ~Ring() {
    CHECK(cudaSetDevice(Device));
    for (Slot &S : Slots) {
      CHECK(cudaFree(S.In));
      CHECK(cudaFree(S.Out));
      for (cudaEvent_t E : {S.Loaded, S.Worked, S.Stored})
        CHECK(cudaEventDestroy(E));
    }
    for (cudaStream_t S : {Load, Work, Store})
      CHECK(cudaStreamDestroy(S));
  }
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;

  /// Enqueues the next chunk: LoadFn(In, stream), WorkFn(In, Out, stream),
  /// StoreFn(Out, stream). Returns before it is done.
  template <class LoadFn, class WorkFn, class StoreFn>
  void chunk(LoadFn DoLoad, WorkFn DoWork, StoreFn DoStore) {
    CHECK(cudaSetDevice(Device));
    Slot &S = Slots[Next++ % RingSlots];
    // An event that was never recorded is no wait.
    CHECK(cudaStreamWaitEvent(Load, S.Worked, 0));
    DoLoad(S.In, Load);
    CHECK(cudaEventRecord(S.Loaded, Load));
    CHECK(cudaStreamWaitEvent(Work, S.Loaded, 0));
    CHECK(cudaStreamWaitEvent(Work, S.Stored, 0));
    DoWork(S.In, S.Out, Work);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(S.Worked, Work));
    CHECK(cudaStreamWaitEvent(Store, S.Worked, 0));
    DoStore(S.Out, Store);
    CHECK(cudaEventRecord(S.Stored, Store));
  }

  void synchronize() const {
    CHECK(cudaSetDevice(Device));
    CHECK(cudaDeviceSynchronize());
  }

private:
  struct Slot {
    char *In = nullptr;
    char *Out = nullptr;
    cudaEvent_t Loaded, Worked, Stored;
  };
  int Device;
  cudaStream_t Load, Work, Store;
  Slot Slots[RingSlots];
  size_t Next = 0;
};

/// A ring on each GPU; chunks of [0, N) are dealt out in contiguous parts.
class Rings {
public:
  Rings(const Gpus &G, size_t InBytes, size_t OutBytes) : G(G) {
    for (int I = 0; I < G.count(); ++I)
      PerGpu.push_back(std::make_unique<Ring>(I, InBytes, OutBytes));
  }

  /// Calls Chunk(Ring &, Begin, End) for all chunks of at most Size things,
  /// in turn for all GPUs, and waits.
  template <class Fn> void stream(size_t N, size_t Size, Fn Chunk) {
    for (size_t Done = 0, More = 1; More; Done += Size) {
      More = 0;
      for (int I = 0; I < G.count(); ++I) {
        size_t Begin = G.begin(I, N, Size) + Done,
               End = G.begin(I + 1, N, Size);
        if (Begin >= End)
          continue;
        Chunk(*PerGpu[I], Begin, std::min(End, Begin + Size));
        More = 1;
      }
    }
    for (const auto &R : PerGpu)
      R->synchronize();
  }

private:
  const Gpus &G;
  std::vector<std::unique_ptr<Ring>> PerGpu;
};

#endif // GRIDSPAN_BENCH_COMMON_RING_H
