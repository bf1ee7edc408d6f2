//===- ManagedVariables.cpp - __managed__ variables -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lock is held over allocation and installation, which happen once for each
// variable. The addresses are copied to each device in a stream of its own, so
// that no stream of the program has to be idle.
//
// A module that is unloaded takes its descriptor along. Whoever unloads it has
// waited for all work, so that the variable's memory can go as well.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/ManagedVariables.h"
#include "runtime/backend/Backend.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/memory/SymbolTable.h"
#include <algorithm>
#include <cstring>

namespace gridspan {

ManagedVariables &ManagedVariables::get() {
  static auto *Instance = new ManagedVariables;
  return *Instance;
}

void ManagedVariables::add(GridspanManaged *Variable) {
  MutexLock Guard(Lock);
  Installed.emplace(Variable, false);
  Pending.store(true, std::memory_order_release);
}

void *ManagedVariables::remove(GridspanManaged *Variable) {
  MutexLock Guard(Lock);
  Installed.erase(Variable);
  ByAddress.erase(Variable->Address);
  return Variable->Address;
}

/// Host code reads Address without a lock.
static void setAddress(GridspanManaged &Variable, void *Address) {
  std::atomic_ref<void *>(Variable.Address)
      .store(Address, std::memory_order_release);
}

/// Precondition: the memory is new, or no device uses it.
static void setInitialValue(const GridspanManaged &Variable, bool IsNew) {
  if (Variable.Initial)
    std::memcpy(Variable.Address, Variable.Initial, Variable.Size);
  else if (!IsNew) // new managed memory is zero
    std::memset(Variable.Address, 0, Variable.Size);
}

cudaError_t ManagedVariables::allocateLocked(GridspanManaged &Variable,
                                             MemoryManager &Memory) {
  if (Variable.Address)
    return cudaSuccess;
  const uint64_t Bytes = std::max<uint64_t>(Variable.Size, 1);
  const Expected<void *> Address =
      Memory.allocate(Bytes, AllocationKind::Managed);
  if (!Address)
    return Address.error();
  GridspanManaged New = Variable;
  New.Address = *Address;
  setInitialValue(New, true);
  setAddress(Variable, *Address);
  ByAddress.emplace(*Address, &Variable);
  return cudaSuccess;
}

cudaError_t ManagedVariables::allocate(GridspanManaged &Variable,
                                       MemoryManager &Memory) {
  MutexLock Guard(Lock);
  return allocateLocked(Variable, Memory);
}

/// Stores the variable's address where devices' code looks for it.
static cudaError_t tellDevices(Backend &B, SymbolTable &Symbols,
                               const GridspanManaged &Variable) {
  const Expected<SymbolTable::Copies> First = Symbols.firstOf(Variable.Shadow);
  if (!First)
    return First.error();
  if (First->Bytes != sizeof(Variable.Address))
    return cudaErrorInvalidSymbol;
  std::unique_ptr<Stream> S;
  if (cudaError_t Error = B.createStream(0, StreamKind::NonBlocking, 0, S))
    return Error;
  const auto Write = [&](std::byte *Pointer) {
    return B.copy(*S, Pointer, &Variable.Address, sizeof(Variable.Address));
  };
  cudaError_t Error = Write(First->Addresses[0]);
  if (!Error)
    Error = Symbols.writeOthers(Variable.Shadow, 0, *S, Write);
  return Error ? Error : B.synchronize(*S);
}

cudaError_t ManagedVariables::installPending(Backend &B, MemoryManager &Memory,
                                             SymbolTable &Symbols) {
  MutexLock Guard(Lock);
  for (auto &[Variable, Done] : Installed) {
    if (Done)
      continue;
    if (cudaError_t Error = allocateLocked(*Variable, Memory))
      return Error;
    if (cudaError_t Error = tellDevices(B, Symbols, *Variable))
      return Error;
    Done = true;
  }
  Pending.store(false, std::memory_order_release);
  return cudaSuccess;
}

std::optional<ManagedVariables::Place>
ManagedVariables::find(const void *Symbol) const {
  MutexLock Guard(Lock);
  if (auto It = ByAddress.find(Symbol); It != ByAddress.end())
    return Place{It->second->Address, It->second->Size};
  return std::nullopt;
}

void ManagedVariables::reset() {
  MutexLock Guard(Lock);
  for (const auto &[Address, Variable] : ByAddress)
    setInitialValue(*Variable, false);
}

} // namespace gridspan
