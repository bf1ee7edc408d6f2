//===- FunctionTable.cpp - From a host stub to driver functions -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table that only grows: an addition stores a new entry, or publishes
// a larger table and keeps the old one, so that readers need no lock. Clearing
// empties entries and leaves them where they are: they serve again when a
// module is loaded at the same addresses, as a library that comes and goes
// mostly is. A probe ends at an empty place, of which there is one, as the
// table is at most half full.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/FunctionTable.h"
#include "runtime/backend/cuda/DuringCaptures.h"
#include <cuda_runtime_api.h>

namespace gridspan::cuda {

FunctionTable::FunctionTable(const DeviceList &Devices) : Devices(Devices) {
  Tables.push_back(std::make_unique<Table>(256));
  Current = Tables.back().get();
}

void FunctionTable::insert(Table &S, Entry *E) {
  size_t I = hash(E->Stub);
  while (S.At[I & S.Mask].load(std::memory_order_relaxed))
    ++I;
  S.At[I & S.Mask].store(E, std::memory_order_release);
}

cudaError_t FunctionTable::addLocked(const void *Stub, Entry *&Out) {
  Out = lookup(Stub);
  if (Out && Out->Kernel)
    return cudaSuccess;
  cudaKernel_t Kernel = nullptr;
  if (cudaError_t E = cudaGetKernel(&Kernel, Stub)) {
    // The caller returns it; the CUDA runtime forgets it.
    cudaGetLastError();
    return E;
  }
  if (Out) {
    Out->Kernel = Kernel;
    return cudaSuccess;
  }
  auto New = std::make_unique<Entry>();
  New->Stub = Stub;
  New->Kernel = Kernel;
  New->Functions.reset(new std::atomic<CUfunction>[Devices.size()]());
  Out = New.get();
  Entries.push_back(std::move(New));

  Table *S = Current.load(std::memory_order_relaxed);
  if (2 * Entries.size() <= S->Mask) {
    insert(*S, Out);
    return cudaSuccess;
  }
  auto Larger = std::make_unique<Table>(2 * (S->Mask + 1));
  for (const auto &E : Entries)
    insert(*Larger, E.get());
  Current.store(Larger.get(), std::memory_order_release);
  Tables.push_back(std::move(Larger));
  return cudaSuccess;
}

void FunctionTable::clear() {
  MutexLock Guard(Lock);
  for (const std::unique_ptr<Entry> &E : Entries) {
    E->Kernel = nullptr;
    E->ParameterSizes.clear();
    for (size_t Device = 0; Device != Devices.size(); ++Device)
      E->Functions[Device].store(nullptr, std::memory_order_release);
  }
}

std::vector<size_t> FunctionTable::parameterSizes(const void *Stub) {
  MutexLock Guard(Lock);
  Entry *E = nullptr;
  if (addLocked(Stub, E))
    return {};
  const Driver &D = Devices[0]->driver();
  size_t Offset, Size;
  if (E->ParameterSizes.empty())
    for (size_t I = 0;
         D.cuKernelGetParamInfo(E->Kernel, I, &Offset, &Size) == CUDA_SUCCESS;
         ++I)
      E->ParameterSizes.push_back(Size);
  return E->ParameterSizes;
}

cudaError_t FunctionTable::resolve(const void *Stub, int Device,
                                   CUfunction &Out) {
  MutexLock Guard(Lock);
  // The driver may have to load the kernel's module.
  const DuringCaptures Loading(Devices[Device]->driver());
  Entry *E;
  if (cudaError_t Result = addLocked(Stub, E))
    return Result;
  CUresult R = Devices[Device]->driver().cuKernelGetFunction(&Out, E->Kernel);
  if (R == CUDA_SUCCESS)
    E->Functions[Device].store(Out, std::memory_order_release);
  return toError(R);
}

} // namespace gridspan::cuda
