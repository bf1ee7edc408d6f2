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

Expected<SymbolTable::Copies> SymbolTable::copiesOf(const void *Symbol) {
  Copies Out;
  // Kernels that come later, with a library, have variables of their own.
  const unsigned Devices =
      Registry::get().anySplittable() ? B.system().numDevices() : 1;
  for (unsigned D = 0; D < Devices; ++D) {
    void *Address = nullptr;
    if (cudaError_t Error =
            B.symbol(static_cast<int>(D), Symbol, Address, Out.Bytes))
      return Error;
    Out.Addresses.push_back(static_cast<std::byte *>(Address));
  }
  return Out;
}

Expected<void *> SymbolTable::handOut(const void *Symbol) {
  Expected<Copies> Variable = copiesOf(Symbol);
  if (!Variable)
    return Variable.error();
  HandedOut New;
  New.Symbol = Symbol;
  New.Variable = std::move(*Variable);
  if (std::optional<DeviceVariable> V = Registry::get().variable(Symbol)) {
    New.Constant = V->Constant;
    New.Module = V->Module;
  }
  std::byte *const Address = New.Variable.Addresses[0];
  if (New.Variable.Addresses.size() == 1)
    return Address;
  WriterLock Guard(Lock);
  if (!New.Constant)
    AnyMutable = true;
  ByAddress.insert_or_assign(reinterpret_cast<uintptr_t>(Address),
                             std::move(New));
  return Address;
}

void SymbolTable::forget(const void *Symbol) {
  WriterLock Guard(Lock);
  std::erase_if(ByAddress, [&](const auto &Entry) {
    return Entry.second.Symbol == Symbol;
  });
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
  const Copies &Variable = It->second.Variable;
  if (Offset >= Variable.Bytes)
    return Out;
  for (size_t D = 1; D < Variable.Addresses.size(); ++D)
    Out.push_back(Variable.Addresses[D] + Offset);
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
