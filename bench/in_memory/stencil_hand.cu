//===- stencil_hand.cu - Five-point smoothing over several GPUs by hand ---===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GPU holds a slab of rows and one row of each neighbour. A step computes
// the outer rows of the slab first, sends them to the neighbours on a stream of
// its own, and computes the rest meanwhile.
//
//===----------------------------------------------------------------------===//

#include "bench/common/Gpus.h"
#include "bench/common/Stencil.h"
#include <utility>

namespace {

class Slab {
public:
  Slab(const Gpus &G, int I, int Width, int Height)
      : Gpu(I), Width(Width), Height(Height), First(G.begin(I, Height)),
        End(G.begin(I + 1, Height)), Held(std::max(0, First - 1)),
        HeldEnd(std::min(Height, End + 1)), Compute(G.stream(I)) {
    size_t Bytes = size_t(HeldEnd - Held) * Width * sizeof(float);
    CHECK(cudaMalloc(&In, Bytes));
    CHECK(cudaMalloc(&Out, Bytes));
    CHECK(cudaStreamCreateWithFlags(&Copy, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&EdgesDone, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&Sent, cudaEventDisableTiming));
    fill(In, size_t(HeldEnd - Held) * Width, 1, size_t(Held) * Width);
    CHECK(cudaDeviceSynchronize());
  }

  void waitFor(const Slab &Other) {
    CHECK(cudaStreamWaitEvent(Compute, Other.Sent, 0));
  }
  /// The rows that neighbours need, then the others.
  void compute(bool Above, bool Below) {
    int From = First, To = End;
    if (Above)
      launch(From, From + 1), ++From;
    if (Below && To > From)
      launch(To - 1, To), --To;
    CHECK(cudaEventRecord(EdgesDone, Compute));
    if (To > From)
      launch(From, To);
  }
  void send(Slab *Above, Slab *Below) {
    CHECK(cudaStreamWaitEvent(Copy, EdgesDone, 0));
    if (Above)
      sendRow(First, *Above);
    if (Below)
      sendRow(End - 1, *Below);
    CHECK(cudaEventRecord(Sent, Copy));
  }
  void swapFields() { std::swap(In, Out); }
  unsigned long long sum() const {
    return checksum(row(In, First), size_t(End - First) * Width,
                    size_t(First) * Width);
  }

private:
  float *row(float *Field, int Y) const {
    return Field + size_t(Y - Held) * Width;
  }
  void launch(int From, int To) {
    smoothPart<<<stencilGrid(Width, To - From), stencilBlock(), 0, Compute>>>(
        In, Out, Width, Height, From, To, Held);
  }
  void sendRow(int Y, Slab &To) {
    CHECK(cudaMemcpyPeerAsync(To.row(To.Out, Y), To.Gpu, row(Out, Y), Gpu,
                              Width * sizeof(float), Copy));
  }

  int Gpu, Width, Height, First, End, Held, HeldEnd;
  cudaStream_t Compute, Copy;
  cudaEvent_t EdgesDone, Sent;
  float *In, *Out;
};

} // namespace

int main(int Argc, char **Argv) {
  int Width = argument(Argc, Argv, 1, 16384);
  int Height = argument(Argc, Argv, 2, Width);
  int Steps = argument(Argc, Argv, 3, 100);
  int Repetitions = argument(Argc, Argv, 4, 3);
  Gpus G;
  std::vector<Slab> Slabs;
  G.each([&](int I) { Slabs.emplace_back(G, I, Width, Height); });
  auto Neighbour = [&](int I) {
    return I >= 0 && I < G.count() ? &Slabs[I] : nullptr;
  };
  double Seconds = medianSeconds(Repetitions, [&] {
    for (int Step = 0; Step < Steps; ++Step) {
      G.each([&](int I) {
        // Also its own rows of the step before must have been sent.
        for (int J = I - 1; J <= I + 1; ++J)
          if (Slab *Other = Neighbour(J); Other && G.count() > 1)
            Slabs[I].waitFor(*Other);
        Slabs[I].compute(Neighbour(I - 1), Neighbour(I + 1));
      });
      if (G.count() > 1)
        G.each(
            [&](int I) { Slabs[I].send(Neighbour(I - 1), Neighbour(I + 1)); });
      for (Slab &S : Slabs)
        S.swapFields();
    }
    G.synchronize();
  });
  unsigned long long Sum = 0;
  G.each([&](int I) { Sum += Slabs[I].sum(); });
  report("stencil", Seconds / Steps, 8.0 * Width * Height, Sum);
}
