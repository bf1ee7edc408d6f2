//===- big_cold_hand.cu - A launch and its copies by hand, once -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline that somebody writes by hand: each thread takes pieces of the
// data through two small pinned buffers, or straight from pinned memory, and
// through buffers on a GPU. Making the buffers counts.
//
// Usage: big_cold_hand [elements] [processes] [kinds]
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/outofcore/Cold.h"
#include <memory>

/// Elements of a piece; a stencil reads one more on each side.
constexpr size_t Piece = (size_t(4) << 20) / sizeof(double);
constexpr size_t Room = (Piece + 2) * sizeof(double);

namespace {

class Lane {
public:
  Lane(int Device, bool Staged) : Staged(Staged) {
    CHECK(cudaSetDevice(Device));
    for (Buffer &B : Buffers) {
      if (Staged) {
        CHECK(cudaMallocHost(&B.HostIn, Room));
        CHECK(cudaMallocHost(&B.HostOut, Room));
      }
      CHECK(cudaMalloc(&B.In, Room));
      CHECK(cudaMalloc(&B.Out, Room));
      CHECK(cudaStreamCreateWithFlags(&B.Stream, cudaStreamNonBlocking));
    }
  }
  ~Lane() {
    for (Buffer &B : Buffers) {
      if (Staged) {
        CHECK(cudaFreeHost(B.HostIn));
        CHECK(cudaFreeHost(B.HostOut));
      }
      CHECK(cudaFree(B.In));
      CHECK(cudaFree(B.Out));
      CHECK(cudaStreamDestroy(B.Stream));
    }
  }
  Lane(const Lane &) = delete;
  Lane &operator=(const Lane &) = delete;

  void piece(Job J, size_t N, size_t Lo, const double *From, double *To) {
    Buffer &B = Buffers[Turn++ % 2];
    finish(B);
    const size_t Hi = std::min(Lo + Piece, N);
    // The edges of a piece are not edges of the data: they are computed from
    // copies of their neighbours, and not kept.
    const bool IsStencil = J == Job::Stencil;
    const size_t First = IsStencil && Lo ? Lo - 1 : Lo;
    const size_t Last = IsStencil && Hi < N ? Hi + 1 : Hi;
    const size_t Bytes = (Last - First) * sizeof(double);
    if (Staged)
      memcpy(B.HostIn, From + First, Bytes);
    CHECK(cudaMemcpyAsync(B.In, Staged ? B.HostIn : From + First, Bytes,
                          cudaMemcpyHostToDevice, B.Stream));
    launch(J, Last - First, B.In, B.Out, B.Stream);
    B.To = To + (J == Job::Sums ? Lo / BlockSize : Lo);
    B.Bytes = results(J, Hi - Lo) * sizeof(double);
    CHECK(cudaMemcpyAsync(Staged ? B.HostOut : B.To, B.Out + (Lo - First),
                          B.Bytes, cudaMemcpyDeviceToHost, B.Stream));
  }
  void finish() {
    for (Buffer &B : Buffers)
      finish(B);
  }

private:
  struct Buffer {
    double *HostIn = nullptr, *HostOut = nullptr, *In, *Out, *To = nullptr;
    size_t Bytes = 0;
    cudaStream_t Stream;
  };
  void finish(Buffer &B) {
    if (!B.Bytes)
      return;
    CHECK(cudaStreamSynchronize(B.Stream));
    if (Staged)
      memcpy(B.To, B.HostOut, B.Bytes);
    B.Bytes = 0;
  }
  bool Staged;
  unsigned Turn = 0;
  Buffer Buffers[2];
};

} // namespace

int main(int Argc, char **Argv) {
  return coldMain(
      Argc, Argv, [](Job J, size_t N, const double *From, double *To) {
        Gpus G;
        cudaPointerAttributes Kind;
        CHECK(cudaPointerGetAttributes(&Kind, From));
        const bool Staged = Kind.type != cudaMemoryTypeHost;
        const unsigned PerGpu =
            std::min(16u, std::max(2u, hostThreads() / G.count()));
        std::vector<std::atomic<size_t>> Next(G.count());
        std::vector<std::thread> Threads;
        for (int I = 0; I < G.count(); ++I) {
          Next[I] = G.begin(I, N, Piece);
          for (unsigned T = 0; T < PerGpu; ++T)
            Threads.emplace_back([&, I] {
              Lane Mine(I, Staged);
              const size_t End = G.begin(I + 1, N, Piece);
              for (size_t Lo; (Lo = Next[I].fetch_add(Piece)) < End;)
                Mine.piece(J, N, Lo, From, To);
              Mine.finish();
            });
        }
        for (std::thread &T : Threads)
          T.join();
      });
}
