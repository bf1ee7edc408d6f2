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

/// What one thread needs to take pageable data through a GPU: two slots, each
/// with a stream of its own.
class Stage {
public:
  static constexpr size_t Elements = (size_t(4) << 20) / sizeof(double);

  explicit Stage(int Device) : Device(Device) {
    CHECK(cudaSetDevice(Device));
    for (Slot &S : Slots) {
      CHECK(cudaMallocHost(&S.HostIn, Elements * sizeof(double)));
      CHECK(cudaMallocHost(&S.HostOut, Elements * sizeof(double)));
      CHECK(cudaMalloc(&S.In, Elements * sizeof(double)));
      CHECK(cudaMalloc(&S.Out, Elements * sizeof(double)));
      CHECK(cudaStreamCreateWithFlags(&S.Stream, cudaStreamNonBlocking));
    }
  }
  ~Stage() {
    CHECK(cudaSetDevice(Device));
    for (Slot &S : Slots) {
      CHECK(cudaFreeHost(S.HostIn));
      CHECK(cudaFreeHost(S.HostOut));
      CHECK(cudaFree(S.In));
      CHECK(cudaFree(S.Out));
      CHECK(cudaStreamDestroy(S.Stream));
    }
  }
  Stage(const Stage &) = delete;
  Stage &operator=(const Stage &) = delete;

  /// Works on parts of [.., End) from Next on, which other threads share.
  void run(std::atomic<size_t> &Next, size_t End, const double *X, double *Y) {
    CHECK(cudaSetDevice(Device));
    for (size_t Begin; (Begin = Next.fetch_add(Elements)) < End;) {
      Slot &S = Slots[Turn++ % 2];
      finish(S, Y);
      S.Begin = Begin;
      S.Count = std::min(Elements, End - Begin);
      size_t Bytes = S.Count * sizeof(double);
      memcpy(S.HostIn, X + Begin, Bytes);
      CHECK(cudaMemcpyAsync(S.In, S.HostIn, Bytes, cudaMemcpyHostToDevice,
                            S.Stream));
      transform(Transform::Scale, S.Count, S.In, S.Out, S.Stream);
      CHECK(cudaMemcpyAsync(S.HostOut, S.Out, Bytes, cudaMemcpyDeviceToHost,
                            S.Stream));
    }
    for (Slot &S : Slots)
      finish(S, Y);
  }

private:
  struct Slot {
    double *HostIn, *HostOut, *In, *Out;
    cudaStream_t Stream;
    size_t Begin = 0, Count = 0;
  };
  void finish(Slot &S, double *Y) {
    if (!S.Count)
      return;
    CHECK(cudaStreamSynchronize(S.Stream));
    memcpy(Y + S.Begin, S.HostOut, S.Count * sizeof(double));
    S.Count = 0;
  }
  int Device;
  unsigned Turn = 0;
  Slot Slots[2];
};

static void pageable(const Gpus &G, const BigArguments &A) {
  size_t Bytes = A.N * sizeof(double);
  HostMemory X(Bytes, HostKind::Pageable), Y(Bytes, HostKind::Pageable);
  fillHost(X.as<double>(), A.N);
  fillHost(Y.as<double>(), A.N);
  unsigned PerGpu = std::min(16u, std::max(2u, hostThreads() / G.count()));
  std::vector<std::vector<std::unique_ptr<Stage>>> Stages(G.count());
  for (int I = 0; I < G.count(); ++I)
    for (unsigned T = 0; T < PerGpu; ++T)
      Stages[I].push_back(std::make_unique<Stage>(I));
  double Seconds = medianSeconds(A.Repetitions, [&] {
    std::vector<std::atomic<size_t>> Next(G.count());
    std::vector<std::thread> Threads;
    for (int I = 0; I < G.count(); ++I) {
      Next[I] = G.begin(I, A.N, Stage::Elements);
      for (auto &S : Stages[I])
        Threads.emplace_back([&, I, Mine = S.get()] {
          Mine->run(Next[I], G.begin(I + 1, A.N, Stage::Elements),
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
