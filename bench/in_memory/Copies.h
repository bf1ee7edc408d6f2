//===- Copies.h - Large copies between host and device ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pageable and pinned buffers of the host.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_IN_MEMORY_COPIES_H
#define GRIDSPAN_BENCH_IN_MEMORY_COPIES_H

#include "bench/common/Bench.h"

class HostBuffer {
public:
  HostBuffer(size_t Bytes, bool Pinned) : Pinned(Pinned) {
    if (Pinned)
      CHECK(cudaMallocHost(&Memory, Bytes));
    else
      Memory = malloc(Bytes);
    if (!Memory)
      abort();
  }
  ~HostBuffer() {
    if (Pinned)
      CHECK(cudaFreeHost(Memory));
    else
      free(Memory);
  }
  HostBuffer(const HostBuffer &) = delete;
  HostBuffer &operator=(const HostBuffer &) = delete;
  char *get() const { return static_cast<char *>(Memory); }

private:
  void *Memory = nullptr;
  bool Pinned;
};

#endif // GRIDSPAN_BENCH_IN_MEMORY_COPIES_H
