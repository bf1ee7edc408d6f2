//===- IndexScan.cpp - Bounds of integers, by a kernel --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block for each leaf of the table. It writes its 32 bytes of bounds to
// host memory itself, so that the table needs no copy.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/IndexScan.h"
#include "runtime/backend/Registry.h"
#include <bit>

namespace gridspan::cuda {

/// The PTX of IndexScanKernel.cu.
static const char Ptx[] =
#include "runtime/backend/cuda/IndexScanKernel.inc"
    ;
static constexpr unsigned BlockThreads = 256;

IndexScan::IndexScan(const DeviceList &Devices)
    : Devices(Devices),
      Kernels(Devices, Ptx,
              {"gridspan_index_bounds_1", "gridspan_index_bounds_2",
               "gridspan_index_bounds_4", "gridspan_index_bounds_8"}) {
  if (Devices.size() > 1 && Registry::get().anyInspectable())
    Kernels.loadAll();
}

void IndexScan::opened(int Device) {
  if (Registry::get().anyInspectable())
    Kernels.loadAll(Device);
}

cudaError_t IndexScan::enqueue(Stream &S, const void *From, uint64_t Count,
                               unsigned ElementBytes, uint64_t PerLeaf,
                               IndexBounds *Out) {
  if (ElementBytes > 8 || !std::has_single_bit(ElementBytes))
    return cudaErrorInvalidValue;
  if (Count == 0)
    return cudaSuccess;
  CurrentDevice Scope(Devices, S.device());
  CUfunction F;
  if (cudaError_t E = Kernels.function(
          static_cast<unsigned>(std::countr_zero(ElementBytes)), S.device(), F))
    return E;
  const auto Blocks = static_cast<unsigned>((Count + PerLeaf - 1) / PerLeaf);
  void *Args[] = {&From, &Count, &PerLeaf, &Out};
  return toError(Devices[S.device()]->driver().cuLaunchKernel(
      F, Blocks, 1, 1, BlockThreads, 1, 1, 0, S.native(), Args, nullptr));
}

} // namespace gridspan::cuda
