//===- MemPools.h - Memory pools of the CPU device --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool of the CPU device counts the bytes that were taken from it, and keeps
// the settings that the program asks for. The memory is cudaMallocAsync's.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_MEMPOOLS_H
#define GRIDSPAN_RUNTIME_API_MEMPOOLS_H

#include "runtime/Runtime.h"
#include <unordered_map>

namespace gridspan {

class MemPool {
public:
  cudaError_t set(cudaMemPoolAttr Attribute, const void *Value);
  cudaError_t get(cudaMemPoolAttr Attribute, void *Out) const;
  void take(uint64_t Bytes);
  void giveBack(uint64_t Bytes);

private:
  mutable Mutex Lock;
  int Reuse[3] GUARDED_BY(Lock) = {1, 1, 1};
  uint64_t ReleaseThreshold GUARDED_BY(Lock) = 0;
  uint64_t Used GUARDED_BY(Lock) = 0;
  uint64_t Most GUARDED_BY(Lock) = 0;
};

class MemPools {
public:
  static MemPools &get();

  cudaMemPool_t defaultPool() const;
  cudaMemPool_t current() const;
  cudaError_t setCurrent(cudaMemPool_t Pool);
  cudaMemPool_t create();
  cudaError_t destroy(cudaMemPool_t Pool);
  /// Returns null if there is no such pool.
  std::shared_ptr<MemPool> find(cudaMemPool_t Pool) const;

  void taken(const void *Address, std::shared_ptr<MemPool> From,
             uint64_t Bytes);
  /// Notes that an allocation was freed, of a pool or not.
  void freed(const void *Address);
  /// Notes that all memory was freed.
  void freedAll();

private:
  struct Taken {
    std::shared_ptr<MemPool> From;
    uint64_t Bytes;
  };
  const std::shared_ptr<MemPool> Default = std::make_shared<MemPool>();
  mutable Mutex Lock;
  std::shared_ptr<MemPool> Current GUARDED_BY(Lock) = Default;
  std::vector<std::shared_ptr<MemPool>> Pools GUARDED_BY(Lock) = {Default};
  std::unordered_map<const void *, Taken> Allocations GUARDED_BY(Lock);
};

/// Allocates in the order of the stream, or as a node of its capture.
cudaError_t allocateFrom(Runtime &R, ProgramStream &S,
                         std::shared_ptr<MemPool> Pool, size_t Bytes,
                         void **Out);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_MEMPOOLS_H
