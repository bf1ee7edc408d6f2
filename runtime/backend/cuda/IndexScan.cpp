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
    : Devices(Devices), Functions(Devices.size()) {
  if (Devices.size() < 2 || !Registry::get().anyInspectable())
    return;
  CUfunction Unused;
  for (int D = 0, E = static_cast<int>(Devices.size()); D != E; ++D) {
    CurrentDevice Scope(Devices, D);
    for (unsigned Bytes : {1, 2, 4, 8})
      function(Bytes, D, Unused); // a failure is returned again at the use
  }
}

IndexScan::~IndexScan() {
  if (Library)
    Devices[0]->driver().cuLibraryUnload(Library);
}

cudaError_t IndexScan::function(unsigned ElementBytes, int Device,
                                CUfunction &Out) {
  static constexpr const char *Names[] = {
      "gridspan_index_bounds_1", "gridspan_index_bounds_2",
      "gridspan_index_bounds_4", "gridspan_index_bounds_8"};
  const Driver &D = Devices[Device]->driver();
  const int Which = std::countr_zero(ElementBytes);
  if (ElementBytes > 8 || !std::has_single_bit(ElementBytes))
    return cudaErrorInvalidValue;
  MutexLock Guard(Lock);
  CUfunction &F = Functions[Device][Which];
  if (!F) {
    if (LoadError)
      return LoadError;
    if (!Library)
      LoadError = toError(D.cuLibraryLoadData(&Library, Ptx, nullptr, nullptr,
                                              0, nullptr, nullptr, 0));
    if (LoadError)
      return LoadError;
    CUkernel Kernel;
    if (CUresult R = D.cuLibraryGetKernel(&Kernel, Library, Names[Which]))
      return toError(R);
    if (CUresult R = D.cuKernelGetFunction(&F, Kernel)) {
      F = nullptr;
      return toError(R);
    }
  }
  Out = F;
  return cudaSuccess;
}

cudaError_t IndexScan::enqueue(Stream &S, const void *From, uint64_t Count,
                               unsigned ElementBytes, uint64_t PerLeaf,
                               IndexBounds *Out) {
  if (Count == 0)
    return cudaSuccess;
  CurrentDevice Scope(Devices, S.device());
  CUfunction F;
  if (cudaError_t E = function(ElementBytes, S.device(), F))
    return E;
  const auto Blocks = static_cast<unsigned>((Count + PerLeaf - 1) / PerLeaf);
  void *Args[] = {&From, &Count, &PerLeaf, &Out};
  return toError(Devices[S.device()]->driver().cuLaunchKernel(
      F, Blocks, 1, 1, BlockThreads, 1, 1, 0, S.native(), Args, nullptr));
}

} // namespace gridspan::cuda
