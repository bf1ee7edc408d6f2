//===- KernelLibrary.cpp - Kernels of the runtime's own -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of the driver belongs to no device; the functions of its kernels
// do, and are made for each.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/KernelLibrary.h"
#include <utility>

namespace gridspan::cuda {

KernelLibrary::KernelLibrary(const DeviceList &Devices, const char *Ptx,
                             std::vector<const char *> Names)
    : Devices(Devices), Ptx(Ptx), Names(std::move(Names)),
      Functions(Devices.size(), std::vector<CUfunction>(this->Names.size())) {}

KernelLibrary::~KernelLibrary() {
  if (Library)
    Devices[0]->driver().cuLibraryUnload(Library);
}

void KernelLibrary::loadAll() {
  for (int D = 0, E = static_cast<int>(Devices.size()); D != E; ++D)
    if (Devices[D]->isOpen()) {
      CurrentDevice Scope(Devices, D);
      loadAll(D);
    }
}

void KernelLibrary::loadAll(int Device) {
  CUfunction Unused;
  for (unsigned Which = 0; Which != Names.size(); ++Which)
    function(Which, Device, Unused);
}

cudaError_t KernelLibrary::function(unsigned Which, int Device,
                                    CUfunction &Out) {
  const Driver &D = Devices[Device]->driver();
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

} // namespace gridspan::cuda
