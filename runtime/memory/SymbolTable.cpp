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
// A write while device 0 alone is open is remembered with an event behind it.
// Whoever opens the others enqueues copies of what device 0 has then, behind
// these events. A write that finds nothing to remember any more goes to all
// devices, behind these copies, so whichever comes first, none is lost: both
// look under one lock. What kernels have written may come along, which nobody
// sees: kernels that read it are not split.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/SymbolTable.h"
#include "runtime/backend/Registry.h"
#include <algorithm>

namespace gridspan {

SymbolTable::SymbolTable(Backend &B) : B(B), Current(B.isReady()) {
  B.setBeforeReady([this] { return catchUp(); });
}

SymbolTable::~SymbolTable() { B.setBeforeReady(nullptr); }

/// Returns the number of devices that may run a kernel which sees a variable.
/// Kernels that come later, with a library, have variables of their own.
unsigned SymbolTable::numDevices() const {
  return Registry::get().anySplittable() ? B.system().numDevices() : 1;
}

Expected<SymbolTable::Copies> SymbolTable::copiesOn(unsigned Devices,
                                                    const void *Symbol) const {
  Copies Out;
  for (unsigned D = 0; D < Devices; ++D) {
    void *Address = nullptr;
    if (cudaError_t Error =
            B.symbol(static_cast<int>(D), Symbol, Address, Out.Bytes))
      return Error;
    Out.Addresses.push_back(static_cast<std::byte *>(Address));
  }
  return Out;
}

//===--- Devices that are not open yet ----------------------------------===//

/// Sets IsBehind if the others cannot be written yet, and then remembers what S
/// holds as a write to device 0's. Otherwise has S wait for what Bringer
/// brings, which is older than what comes next.
cudaError_t SymbolTable::orderBehind(const void *Symbol, Stream &S,
                                     bool &IsBehind) {
  MutexLock Guard(BehindLock);
  IsBehind = !isCurrent() && !Brought;
  if (!IsBehind)
    return Brought ? B.wait(S, *Brought) : cudaSuccess;
  Writes &Of = Behind[Symbol];
  auto It =
      std::ranges::find_if(Of, [&](const WriteEnd &E) { return E.In == &S; });
  if (It == Of.end()) {
    std::unique_ptr<Event> New;
    if (cudaError_t Error =
            B.createEvent(S.device(), cudaEventDisableTiming, New))
      return Error;
    Of.push_back({&S, std::move(New)});
    It = Of.end() - 1;
  }
  return B.record(*It->At, S);
}

/// Enqueues copies of all variables that were written, from device 0 to the
/// others, behind these writes.
cudaError_t SymbolTable::bringAll() {
  if (Behind.empty())
    return cudaSuccess;
  if (cudaError_t Error =
          B.createStream(0, StreamKind::NonBlocking, 0, Bringer))
    return Error;
  for (const auto &[Symbol, Ends] : Behind) {
    for (const WriteEnd &End : Ends)
      if (cudaError_t Error = B.wait(*Bringer, *End.At))
        return Error;
    const Expected<Copies> Variable = copiesOf(Symbol);
    if (!Variable)
      return Variable.error();
    for (size_t D = 1; D < Variable->Addresses.size(); ++D)
      if (cudaError_t Error = B.copy(*Bringer, Variable->Addresses[D],
                                     Variable->Addresses[0], Variable->Bytes))
        return Error;
  }
  std::unique_ptr<Event> End;
  if (cudaError_t Error = B.createEvent(0, cudaEventDisableTiming, End))
    return Error;
  if (cudaError_t Error = B.record(*End, *Bringer))
    return Error;
  Brought = std::move(End);
  Behind.clear();
  return cudaSuccess;
}

/// Brings all variables that were written to the devices that are open now.
/// Returns cudaErrorNotReady until that is over.
cudaError_t SymbolTable::catchUp() {
  MutexLock Guard(BehindLock);
  if (!isCurrent() && !Brought)
    if (cudaError_t Error = bringAll())
      return Error;
  if (Brought)
    if (cudaError_t Error = B.query(*Brought))
      return Error;
  Brought = nullptr;
  Current.store(true, std::memory_order_release);
  return cudaSuccess;
}

//===--- Writes ---------------------------------------------------------===//

cudaError_t SymbolTable::writeOthers(const void *Symbol, uint64_t Offset,
                                     Stream &S, const Writer &Write) {
  if (numDevices() == 1)
    return cudaSuccess;
  if (isCurrent()) {
    // All that was written is everywhere.
  } else if (B.isCapturing(S)) {
    // It runs whenever its graph does. What S waits for has to be captured,
    // too.
    B.waitUntilReady();
  } else {
    bool IsBehind = false;
    const cudaError_t Error = orderBehind(Symbol, S, IsBehind);
    if (Error || IsBehind)
      return Error;
  }
  const Expected<Copies> Variable = copiesOf(Symbol);
  if (!Variable)
    return Variable.error();
  for (size_t D = 1; D < Variable->Addresses.size(); ++D)
    if (cudaError_t Error = Write(Variable->Addresses[D] + Offset))
      return Error;
  return cudaSuccess;
}

cudaError_t SymbolTable::mirror(const void *Address, Stream &S,
                                const Writer &Write) {
  const auto At = reinterpret_cast<uintptr_t>(Address);
  const void *Symbol = nullptr;
  uint64_t Offset = 0;
  {
    ReaderLock Guard(Lock);
    auto It = ByAddress.upper_bound(At);
    if (It == ByAddress.begin())
      return cudaSuccess;
    --It;
    Symbol = It->second.Symbol;
    Offset = At - It->first;
    if (Offset >= It->second.Bytes)
      return cudaSuccess;
  }
  return writeOthers(Symbol, Offset, S, Write);
}

//===--- Addresses that the program has ---------------------------------===//

Expected<void *> SymbolTable::handOut(const void *Symbol) {
  const Expected<Copies> Variable = firstOf(Symbol);
  if (!Variable)
    return Variable.error();
  HandedOut New;
  New.Symbol = Symbol;
  New.Bytes = Variable->Bytes;
  if (std::optional<DeviceVariable> V = Registry::get().variable(Symbol)) {
    New.Constant = V->Constant;
    New.Module = V->Module;
  }
  std::byte *const Address = Variable->Addresses[0];
  if (numDevices() == 1)
    return Address;
  WriterLock Guard(Lock);
  if (!New.Constant)
    AnyMutable = true;
  ByAddress.insert_or_assign(reinterpret_cast<uintptr_t>(Address), New);
  return Address;
}

void SymbolTable::forget(const void *Symbol) {
  std::shared_ptr<Event> Last;
  {
    MutexLock Guard(BehindLock);
    Behind.erase(Symbol);
    Last = Brought;
  }
  // What is brought of it is behind writes that are over.
  if (Last)
    (void)B.synchronize(*Last);
  WriterLock Guard(Lock);
  std::erase_if(ByAddress, [&](const auto &Entry) {
    return Entry.second.Symbol == Symbol;
  });
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
