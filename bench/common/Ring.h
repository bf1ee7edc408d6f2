//===- Ring.h - Data larger than memory, by hand ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The usual code for a kernel on data larger than the GPU's memory: three
// streams copy chunks into a ring of buffers, work on them, and copy them back,
// so that both directions of the bus and the GPU are busy at once.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_COMMON_RING_H
#define GRIDSPAN_BENCH_COMMON_RING_H

#include "bench/common/Gpus.h"
#include <memory>

constexpr int NumRingBuffers = 4;

/// The ring of one GPU.
class Ring {
public:
  Ring(int Device, size_t InBytes, size_t OutBytes) : Device(Device) {
    CHECK(cudaSetDevice(Device));
    for (cudaStream_t *S : {&Load, &Work, &Store})
      CHECK(cudaStreamCreateWithFlags(S, cudaStreamNonBlocking));
    for (RingBuffer &B : Buffers) {
      if (InBytes)
        CHECK(cudaMalloc(&B.In, InBytes));
      if (OutBytes)
        CHECK(cudaMalloc(&B.Out, OutBytes));
      for (cudaEvent_t *E : {&B.Loaded, &B.Worked, &B.Stored})
        CHECK(cudaEventCreateWithFlags(E, cudaEventDisableTiming));
    }
  }
  ~Ring() {
    CHECK(cudaSetDevice(Device));
    for (RingBuffer &B : Buffers) {
      CHECK(cudaFree(B.In));
      CHECK(cudaFree(B.Out));
      for (cudaEvent_t E : {B.Loaded, B.Worked, B.Stored})
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
    RingBuffer &B = Buffers[Next++ % NumRingBuffers];
    // An event that was never recorded is no wait.
    CHECK(cudaStreamWaitEvent(Load, B.Worked, 0));
    DoLoad(B.In, Load);
    CHECK(cudaEventRecord(B.Loaded, Load));
    CHECK(cudaStreamWaitEvent(Work, B.Loaded, 0));
    CHECK(cudaStreamWaitEvent(Work, B.Stored, 0));
    DoWork(B.In, B.Out, Work);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(B.Worked, Work));
    CHECK(cudaStreamWaitEvent(Store, B.Worked, 0));
    DoStore(B.Out, Store);
    CHECK(cudaEventRecord(B.Stored, Store));
  }

  void synchronize() const {
    CHECK(cudaSetDevice(Device));
    CHECK(cudaDeviceSynchronize());
  }

private:
  struct RingBuffer {
    char *In = nullptr;
    char *Out = nullptr;
    cudaEvent_t Loaded, Worked, Stored;
  };
  int Device;
  cudaStream_t Load, Work, Store;
  RingBuffer Buffers[NumRingBuffers];
  size_t Next = 0;
};

/// A ring on each GPU, which has a contiguous share of the chunks of [0, N).
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
