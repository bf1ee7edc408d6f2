//===- SymbolTable.cpp - Variables that exist per device ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ordered map from the addresses that the program has asked for, as
// AddressSpace does for allocations. A module counts as diverged from the
// moment on that the program has the address of one of its variables that
// kernels can write.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/SymbolTable.h"
#include "runtime/backend/Registry.h"
#include <algorithm>
#include <mutex>

namespace gridspan {

cudaError_t SymbolTable::addresses(const void *Symbol,
                                   std::vector<std::byte *> &Out,
                                   size_t &Bytes) {
  Out.clear();
  // Kernels that come later, with a library, have variables of their own.
  const unsigned Devices =
      Registry::get().anySplittable() ? B.system().numDevices() : 1;
  for (unsigned D = 0; D < Devices; ++D) {
    void *Address = nullptr;
    if (cudaError_t Error =
            B.symbol(static_cast<int>(D), Symbol, Address, Bytes))
      return Error;
    Out.push_back(static_cast<std::byte *>(Address));
  }
  return cudaSuccess;
}

cudaError_t SymbolTable::handOut(const void *Symbol, void *&Address) {
  HandedOut New = {};
  if (cudaError_t Error = addresses(Symbol, New.Addresses, New.Bytes))
    return Error;
  if (std::optional<DeviceVariable> V = Registry::get().variable(Symbol)) {
    New.Constant = V->Constant;
    New.Module = V->Module;
  }
  Address = New.Addresses[0];
  if (New.Addresses.size() == 1)
    return cudaSuccess;
  WriterLock Guard(Lock);
  if (!New.Constant)
    AnyMutable = true;
  ByAddress.insert_or_assign(reinterpret_cast<uintptr_t>(Address),
                             std::move(New));
  return cudaSuccess;
}

std::vector<void *> SymbolTable::mirrors(const void *Address) const {
  auto At = reinterpret_cast<uintptr_t>(Address);
  std::vector<void *> Out;
  ReaderLock Guard(Lock);
  auto It = ByAddress.upper_bound(At);
  if (It == ByAddress.begin())
    return Out;
  --It;
  const uintptr_t Offset = At - It->first;
  if (Offset >= It->second.Bytes)
    return Out;
  for (size_t D = 1; D < It->second.Addresses.size(); ++D)
    Out.push_back(It->second.Addresses[D] + Offset);
  return Out;
}

bool SymbolTable::mayHaveDiverged(const GridspanKernel *Kernel) const {
  if (!AnyMutable)
    return false;
  const GridspanModule *Module = Registry::get().moduleOf(Kernel);
  ReaderLock Guard(Lock);
  return std::any_of(
      ByAddress.begin(), ByAddress.end(), [&](const auto &Entry) {
        const HandedOut &H = Entry.second;
        // Without images nobody knows whose variable it is.
        return !H.Constant && (!H.Module || !Module || H.Module == Module->Cpu);
      });
}

} // namespace gridspan
