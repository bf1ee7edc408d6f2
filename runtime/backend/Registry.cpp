//===- Registry.cpp - Modules that the program registered -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables under one lock. A thread remembers its last lookups of kernels in a
// small table of its own, which is void when the registry's generation changes,
// so that launches take no lock.
//
// A module whose kernels or variables are used is there when the process ends,
// unless it is unloaded before. The first use behind a registration notes that:
// by then the module's own destructor is among what runs at exit.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/Registry.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/backend/Reduction.h"
#include "runtime/support/ProcessEnd.h"
#include <algorithm>
#include <fmt/format.h>

namespace gridspan {

Registry &Registry::get() {
  static auto *Instance = new Registry;
  return *Instance;
}

void Registry::add(const GridspanModule *Module) {
  if (Module->Version != GRIDSPAN_ABI_VERSION) {
    fmt::print(stderr,
               "gridspan: {} was compiled for version {} of the runtime, this "
               "is version {}; its kernels are not split\n",
               Module->Name, Module->Version, GRIDSPAN_ABI_VERSION);
    return;
  }
  WriterLock Guard(Lock);
  Modules.push_back(Module);
  HasNewModules = true;
  for (uint32_t I = 0; I != Module->NumKernels; ++I) {
    const GridspanKernel &K = Module->Kernels[I];
    Kernels.emplace(K.HostStub, &K); // duplicates are the same kernel
    if (maySplit(K))
      Splittable = true;
    if (maySplit(K) &&
        !(K.Flags & (GridspanWorkIsGuess | GridspanWorkIsUnknown)))
      SplitsAtOnce = true;
    if (K.Flags & GridspanInspectable)
      Inspectable = true;
    for (uint32_t P = 0; P != K.NumPointers && maySplit(K); ++P)
      if (reductionOf(K.Pointers[P]) != GridspanReduction::None)
        Reducing = true;
    if (K.Formed)
      Formed = true;
  }
  Generation = NextGeneration++;
}

void Registry::remove(const GridspanModule *Module) {
  WriterLock Guard(Lock);
  std::erase(Modules, Module);
  for (uint32_t I = 0; I != Module->NumKernels; ++I) {
    auto It = Kernels.find(Module->Kernels[I].HostStub);
    if (It != Kernels.end() && It->second == &Module->Kernels[I])
      Kernels.erase(It);
  }
  Generation = NextGeneration++;
}

void Registry::addFunction(void **FatBinary, const void *HostStub,
                           const char *Name) {
  WriterLock Guard(Lock);
  Functions.insert_or_assign(HostStub, HostFunction{FatBinary, Name});
  HasNewModules = true;
}

void Registry::addVariable(void **FatBinary, const void *HostAddress,
                           const char *Name, size_t Bytes, bool Constant) {
  WriterLock Guard(Lock);
  const unsigned Ordinal = NameCounts[Name]++;
  Variables.insert_or_assign(
      HostAddress, HostVariable{FatBinary, Name, Bytes, Constant, Ordinal});
}

const void *Registry::anyOf(void **FatBinary) const {
  ReaderLock Guard(Lock);
  for (const auto &[Stub, Function] : Functions)
    if (Function.FatBinary == FatBinary)
      return Stub;
  for (const auto &[Address, Variable] : Variables)
    if (Variable.FatBinary == FatBinary)
      return Address;
  return nullptr;
}

std::vector<const void *> Registry::removeFatBinary(void **FatBinary) {
  std::vector<const void *> Removed;
  WriterLock Guard(Lock);
  std::erase_if(Functions, [&](const auto &Entry) {
    return Entry.second.FatBinary == FatBinary;
  });
  for (auto It = Variables.begin(); It != Variables.end();) {
    if (It->second.FatBinary != FatBinary) {
      ++It;
      continue;
    }
    // Those behind it follow the order of the modules that remain.
    const HostVariable Gone = It->second;
    Removed.push_back(It->first);
    It = Variables.erase(It);
    --NameCounts[Gone.Name];
    for (auto &[Address, V] : Variables)
      if (V.Name == Gone.Name && V.Ordinal > Gone.Ordinal)
        --V.Ordinal;
  }
  return Removed;
}

bool Registry::knows(const void *HostStub) const {
  ReaderLock Guard(Lock);
  return Kernels.contains(HostStub) || Functions.contains(HostStub);
}

std::string Registry::nameOfFunction(const void *HostStub) const {
  ReaderLock Guard(Lock);
  auto It = Functions.find(HostStub);
  return It == Functions.end() ? std::string() : It->second.Name;
}

void Registry::noteUse() const {
  if (HasNewModules && HasNewModules.exchange(false))
    noteProcessEnd();
}

const GridspanKernel *Registry::find(const void *HostStub) const {
  noteUse();
  ReaderLock Guard(Lock);
  auto It = Kernels.find(HostStub);
  return It == Kernels.end() ? nullptr : It->second;
}

namespace {

/// A thread's earlier lookup of a stub.
struct RememberedKernel {
  const void *Stub;
  const GridspanKernel *Kernel;
  uint64_t Generation; ///< 0 if the entry is empty
};

} // namespace

const GridspanKernel *Registry::kernel(const void *HostStub) const {
  constexpr unsigned Bits = 5;
  static constinit thread_local RememberedKernel Remembered[1 << Bits] = {};
  // Fibonacci hashing (Knuth, TAOCP 3, 6.4): stubs are aligned code.
  const uint64_t Hash =
      reinterpret_cast<uintptr_t>(HostStub) * 0x9e3779b97f4a7c15ULL;
  RememberedKernel &R = Remembered[Hash >> (64 - Bits)];
  const uint64_t Present = Generation.load(std::memory_order_acquire);
  if (R.Stub != HostStub || R.Generation != Present)
    R = {HostStub, find(HostStub), Present};
  return R.Kernel;
}

static const GridspanCpuVariable *findVariable(const GridspanCpuModule *Module,
                                               const std::string &Name) {
  if (!Module)
    return nullptr;
  const GridspanCpuVariable *End = Module->Variables + Module->NumVariables;
  auto *It =
      std::find_if(Module->Variables, End, [&](const GridspanCpuVariable &V) {
        return V.Name == Name;
      });
  return It == End ? nullptr : It;
}

std::optional<DeviceVariable>
Registry::variable(const void *HostAddress) const {
  noteUse();
  ReaderLock Guard(Lock);
  auto It = Variables.find(HostAddress);
  if (It == Variables.end())
    return std::nullopt;
  DeviceVariable Out = {It->second.Name, It->second.Bytes, It->second.Constant};
  unsigned Ordinal = 0;
  for (const GridspanModule *M : Modules) {
    const GridspanCpuVariable *V = findVariable(M->Cpu, Out.Name);
    if (!V)
      continue;
    Out.Module = M->Cpu;
    Out.InImage = V;
    if (Ordinal++ == It->second.Ordinal)
      break;
  }
  return Out;
}

const GridspanModule *Registry::moduleOf(const GridspanKernel *Kernel) const {
  ReaderLock Guard(Lock);
  for (const GridspanModule *M : Modules)
    if (M->Kernels <= Kernel && Kernel < M->Kernels + M->NumKernels)
      return M;
  // Clones with more parameters have descriptors of their own.
  for (const GridspanModule *M : Modules)
    if (std::any_of(M->Kernels, M->Kernels + M->NumKernels,
                    [&](const GridspanKernel &K) {
                      return Kernel &&
                             (K.Packed == Kernel || K.Recording == Kernel ||
                              K.Formed == Kernel);
                    }))
      return M;
  return nullptr;
}

std::optional<unsigned> Registry::numberOf(const GridspanModule *Module) const {
  ReaderLock Guard(Lock);
  const auto It = std::find(Modules.begin(), Modules.end(), Module);
  if (It == Modules.end())
    return std::nullopt;
  return static_cast<unsigned>(It - Modules.begin());
}

const GridspanModule *Registry::module(unsigned Number) const {
  ReaderLock Guard(Lock);
  return Number < Modules.size() ? Modules[Number] : nullptr;
}

bool Registry::anySplittable() const { return Splittable; }

bool Registry::anySplitsAtOnce() const { return SplitsAtOnce; }

bool Registry::anyInspectable() const { return Inspectable; }

bool Registry::anyReducing() const { return Reducing; }

bool Registry::anyFormed() const { return Formed; }

} // namespace gridspan
