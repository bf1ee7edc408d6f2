//===- Frontier.h - One level of a breadth-first search ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks the neighbours of a frontier that were not seen before. The degrees of
// vertices follow a power law, half of the vertices are in the frontier, in
// ascending order, and all write wherever their neighbours are. Nothing that a
// launch writes is read by it, so that it can be repeated.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_FRONTIER_H
#define GRIDSPAN_BENCH_SCHEDULE_FRONTIER_H

#include "bench/schedule/PowerLaw.h"

constexpr int FrontierThreads = 256;

static __global__ void markNeighbours(unsigned First, int Count,
                                      const int *Frontier, const int *Begins,
                                      const int *Edges,
                                      const unsigned char *Seen,
                                      unsigned char *Next) {
  int I = int(First + blockIdx.x) * FrontierThreads + threadIdx.x;
  if (I >= Count)
    return;
  int V = Frontier[I], End = Begins[V + 1];
  for (int K = Begins[V]; K < End; ++K)
    if (int To = Edges[K]; !Seen[To])
      Next[To] = 1;
}

/// Adds the marks that another device made.
static __global__ void mergeMarks(unsigned *Next, const unsigned *Other,
                                  int Words) {
  int I = int(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Words)
    Next[I] |= Other[I];
}

class Frontier {
public:
  explicit Frontier(size_t Size) : Vertices(int(Size) / 4 * 4) {
    std::vector<int> Starts = powerLawRows(Vertices, 16, 512);
    size_t NumEdges = Starts.back();
    std::vector<int> Members;
    std::vector<unsigned char> Before(Vertices);
    for (int V = 0; V < Vertices; ++V) {
      unsigned Mixed = unsigned(V) * 2246822519u;
      Before[V] = Mixed >> 30 == 0;
      if (Mixed & (1u << 20))
        Members.push_back(V);
    }
    Count = int(Members.size());
    Begins = onDevice(Starts);
    Queue = onDevice(Members);
    Seen = onDevice(Before);
    CHECK(cudaMalloc(&Edges, NumEdges * sizeof(int)));
    CHECK(cudaMalloc(&Next, Vertices));
    CHECK(cudaMemset(Next, 0, Vertices));
    fillTargets<<<unsigned((NumEdges + 255) / 256), 256>>>(Edges, NumEdges,
                                                           Vertices);
  }
  unsigned blocks() const {
    return (Count + FrontierThreads - 1) / FrontierThreads;
  }
  void launch(unsigned First, unsigned Blocks, cudaStream_t S) {
    markNeighbours<<<Blocks, FrontierThreads, 0, S>>>(
        First, Count, Queue, Begins, Edges, Seen, Next);
  }
  /// Enqueues that the marks of Other, on another device, become this one's.
  void merge(const Frontier &Other, cudaStream_t S) {
    int Words = Vertices / 4;
    mergeMarks<<<(Words + 255) / 256, 256, 0, S>>>(
        reinterpret_cast<unsigned *>(Next),
        reinterpret_cast<const unsigned *>(Other.Next), Words);
  }
  /// Returns the checksum of all marks.
  unsigned long long sum(unsigned, unsigned) const {
    return checksum(Next, Vertices / 4);
  }

private:
  int Vertices, Count;
  int *Begins, *Queue, *Edges;
  unsigned char *Seen, *Next;
};

#endif // GRIDSPAN_BENCH_SCHEDULE_FRONTIER_H
