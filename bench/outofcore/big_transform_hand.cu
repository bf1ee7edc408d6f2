//===- big_transform_hand.cu - y = f(x) through rings by hand -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pinned data goes through a ring of 128 MiB chunks on each GPU. Pageable data
// goes through small pinned buffers too, of several threads for each GPU.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Ring.h"
#include "bench/outofcore/BigTransform.h"
#include <cstring>

constexpr size_t ChunkBytes = size_t(128) << 20;
constexpr size_t Chunk = ChunkBytes / sizeof(double);

static void streamPinned(Rings &R, Transform T, size_t N, const double *X,
                         double *Y) {
  R.stream(N, Chunk, [&](Ring &On, size_t Begin, size_t End) {
    size_t Bytes = (End - Begin) * sizeof(double);
    On.chunk(
        [&](void *In, cudaStream_t S) {
          CHECK(
              cudaMemcpyAsync(In, X + Begin, Bytes, cudaMemcpyHostToDevice, S));
        },
        [&](void *In, void *Out, cudaStream_t S) {
          transform(T, End - Begin, static_cast<double *>(In),
                    static_cast<double *>(Out), S);
        },
        [&](void *Out, cudaStream_t S) {
          CHECK(cudaMemcpyAsync(Y + Begin, Out, Bytes, cudaMemcpyDeviceToHost,
                                S));
        });
  });
}

/// Two buffers, each with a stream, by which a thread takes pageable data
/// through a GPU.
class BufferPair {
public:
  static constexpr size_t Elements = (size_t(4) << 20) / sizeof(double);

  explicit BufferPair(int Device) : Device(Device) {
    CHECK(cudaSetDevice(Device));
    for (RingBuffer &B : Buffers) {
      CHECK(cudaMallocHost(&B.HostIn, Elements * sizeof(double)));
      CHECK(cudaMallocHost(&B.HostOut, Elements * sizeof(double)));
      CHECK(cudaMalloc(&B.In, Elements * sizeof(double)));
      CHECK(cudaMalloc(&B.Out, Elements * sizeof(double)));
      CHECK(cudaStreamCreateWithFlags(&B.Stream, cudaStreamNonBlocking));
    }
  }
  ~BufferPair() {
    CHECK(cudaSetDevice(Device));
    for (RingBuffer &B : Buffers) {
      CHECK(cudaFreeHost(B.HostIn));
      CHECK(cudaFreeHost(B.HostOut));
      CHECK(cudaFree(B.In));
      CHECK(cudaFree(B.Out));
      CHECK(cudaStreamDestroy(B.Stream));
    }
  }
  BufferPair(const BufferPair &) = delete;
  BufferPair &operator=(const BufferPair &) = delete;

  /// Works on pieces of [.., End) from Next on, which other threads share.
  void run(std::atomic<size_t> &Next, size_t End, const double *X, double *Y) {
    CHECK(cudaSetDevice(Device));
    for (size_t Begin; (Begin = Next.fetch_add(Elements)) < End;) {
      RingBuffer &B = Buffers[Turn++ % 2];
      finish(B, Y);
      B.Begin = Begin;
      B.Count = std::min(Elements, End - Begin);
      size_t Bytes = B.Count * sizeof(double);
      memcpy(B.HostIn, X + Begin, Bytes);
      CHECK(cudaMemcpyAsync(B.In, B.HostIn, Bytes, cudaMemcpyHostToDevice,
                            B.Stream));
      transform(Transform::Scale, B.Count, B.In, B.Out, B.Stream);
      CHECK(cudaMemcpyAsync(B.HostOut, B.Out, Bytes, cudaMemcpyDeviceToHost,
                            B.Stream));
    }
    for (RingBuffer &B : Buffers)
      finish(B, Y);
  }

private:
  struct RingBuffer {
    double *HostIn, *HostOut, *In, *Out;
    cudaStream_t Stream;
    size_t Begin = 0, Count = 0;
  };
  void finish(RingBuffer &B, double *Y) {
    if (!B.Count)
      return;
    CHECK(cudaStreamSynchronize(B.Stream));
    memcpy(Y + B.Begin, B.HostOut, B.Count * sizeof(double));
    B.Count = 0;
  }
  int Device;
  unsigned Turn = 0;
  RingBuffer Buffers[2];
};

static void pageable(const Gpus &G, const BigArguments &A) {
  size_t Bytes = A.N * sizeof(double);
  HostMemory X(Bytes, HostKind::Pageable), Y(Bytes, HostKind::Pageable);
  fillHost(X.as<double>(), A.N);
  fillHost(Y.as<double>(), A.N);
  unsigned PerGpu = std::min(16u, std::max(2u, hostThreads() / G.count()));
  std::vector<std::vector<std::unique_ptr<BufferPair>>> Pairs(G.count());
  for (int I = 0; I < G.count(); ++I)
    for (unsigned T = 0; T < PerGpu; ++T)
      Pairs[I].push_back(std::make_unique<BufferPair>(I));
  double Seconds = medianSeconds(A.Repetitions, [&] {
    std::vector<std::atomic<size_t>> Next(G.count());
    std::vector<std::thread> Threads;
    for (int I = 0; I < G.count(); ++I) {
      Next[I] = G.begin(I, A.N, BufferPair::Elements);
      for (auto &S : Pairs[I])
        Threads.emplace_back([&, I, Mine = S.get()] {
          Mine->run(Next[I], G.begin(I + 1, A.N, BufferPair::Elements),
                    X.as<double>(), Y.as<double>());
        });
    }
    for (std::thread &T : Threads)
      T.join();
  });
  report("program_pageable", Seconds, 2.0 * Bytes,
         checksumHost(Y.as<double>(), A.N));
}

int main(int Argc, char **Argv) {
  BigArguments A(Argc, Argv);
  Gpus G;
  if (A.Sections & (LaunchSections | PinnedSection)) {
    size_t Bytes = A.N * sizeof(double);
    HostMemory X(Bytes, HostKind::Pinned), Y(Bytes, HostKind::Pinned);
    fillHost(X.as<double>(), A.N);
    fillHost(Y.as<double>(), A.N);
    if (A.Sections & LaunchSections) {
      Rings R(G, ChunkBytes, ChunkBytes);
      for (Transform T : {Transform::Scale, Transform::SinCos}) {
        double Seconds = medianSeconds(A.Repetitions, [&] {
          streamPinned(R, T, A.N, X.as<double>(), Y.as<double>());
        });
        std::string Name = std::string(nameOf(T)) + "_launch";
        report(Name.c_str(), Seconds, 2.0 * Bytes,
               checksumHost(Y.as<double>(), A.N));
      }
    }
    if (A.Sections & PinnedSection) {
      double Seconds = medianSeconds(A.Repetitions, [&] {
        Rings R(G, ChunkBytes, ChunkBytes);
        streamPinned(R, Transform::Scale, A.N, X.as<double>(), Y.as<double>());
      });
      report("program_pinned", Seconds, 2.0 * Bytes,
             checksumHost(Y.as<double>(), A.N));
    }
  }
  if (A.Sections & PageableSection)
    pageable(G, A);
}
