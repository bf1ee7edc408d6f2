//===- Combiner.cpp - Private copies, by kernels --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for each size of elements, as the operations differ in one
// instruction only and each kernel takes time to load.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Combiner.h"
#include "runtime/backend/Reduction.h"
#include "runtime/backend/Registry.h"
#include <algorithm>
#include <iterator>

namespace gridspan::cuda {

/// The PTX of CombineKernel.cu.
static const char Ptx[] =
#include "runtime/backend/cuda/CombineKernel.inc"
    ;
static constexpr unsigned BlockThreads = 256;
/// The elements that a thread has at a time (CombineKernel.cu).
static constexpr unsigned PerThread = 4;
/// Enough blocks to fill any GPU; threads go on with the rest.
static constexpr uint64_t MaxBlocks = 4096;
/// What a kernel combines, with a row of blocks for each (CombineKernel.cu).
struct Sources {
  const void *At[8];
};

/// Indices of the kernels' names, for elements of 4 bytes; the next one is for
/// those of 8.
enum : unsigned { Fill = 0, Combine = 2 };

Combiner::Combiner(const DeviceList &Devices)
    : Devices(Devices), Kernels(Devices, Ptx,
                                {"gridspan_fill_4", "gridspan_fill_8",
                                 "gridspan_combine_4", "gridspan_combine_8"}) {
  if (Devices.size() > 1 && Registry::get().anyReducing())
    Kernels.loadAll();
}

void Combiner::opened(int Device) {
  if (Registry::get().anyReducing())
    Kernels.loadAll(Device);
}

cudaError_t Combiner::launch(Stream &S, unsigned Which, uint64_t Count,
                             unsigned Rows, void **Args) {
  CurrentDevice Scope(Devices, S.device());
  CUfunction F;
  if (cudaError_t E = Kernels.function(Which, S.device(), F))
    return E;
  constexpr uint64_t PerBlock = BlockThreads * PerThread;
  const auto Blocks = static_cast<unsigned>(
      std::min((Count + PerBlock - 1) / PerBlock, MaxBlocks));
  return toError(Devices[S.device()]->driver().cuLaunchKernel(
      F, Blocks, Rows, 1, BlockThreads, 1, 1, 0, S.native(), Args, nullptr));
}

cudaError_t Combiner::fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                                   uint64_t Count) {
  const unsigned Bytes = elementBytes(Kind);
  if (Bytes == 0)
    return cudaErrorInvalidValue;
  if (Count == 0)
    return cudaSuccess;
  // The kernel for 4 bytes takes the lower ones.
  uint64_t Identity = identityOf(Kind);
  void *Args[] = {&Dst, &Count, &Identity};
  return launch(S, Fill + (Bytes == 8), Count, 1, Args);
}

cudaError_t Combiner::combine(Stream &S, GridspanReduction Kind, void *Into,
                              std::span<const void *const> From,
                              uint64_t Count) {
  const unsigned Bytes = elementBytes(Kind);
  if (Bytes == 0)
    return cudaErrorInvalidValue;
  if (Count == 0)
    return cudaSuccess;
  uint64_t Identity = identityOf(Kind);
  auto Operation = static_cast<unsigned>(Kind);
  while (!From.empty()) {
    Sources Next = {};
    const size_t Rows = std::min(From.size(), std::size(Next.At));
    std::ranges::copy(From.first(Rows), Next.At);
    From = From.subspan(Rows);
    void *Args[] = {&Into, &Next, &Count, &Identity, &Operation};
    if (cudaError_t Error = launch(S, Combine + (Bytes == 8), Count,
                                   static_cast<unsigned>(Rows), Args))
      return Error;
  }
  return cudaSuccess;
}

} // namespace gridspan::cuda
