//===- KernelNames.cpp - Kernels by their place in the program ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checksum is FNV-1a over the names of the module and its kernels, and over
// the hashes of its device code.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/KernelNames.h"
#include "runtime/backend/Registry.h"
#include "runtime/support/Fnv.h"
#include <algorithm>

namespace gridspan::ranks {

static uint64_t checksumOf(const GridspanModule &M) {
  Fnv Out;
  auto Add = [&](const char *Text) { Out.addWhole(Text ? Text : ""); };
  Add(M.Name);
  Add(M.Builds);
  for (uint32_t I = 0; I != M.NumKernels; ++I)
    Add(M.Kernels[I].Name);
  return Out.hash();
}

/// Returns a descriptor of a kernel; null if it has none of that kind.
static const GridspanKernel *variantOf(const GridspanKernel &K,
                                       KernelVariant Variant) {
  switch (Variant) {
  case KernelVariant::Own:
    return &K;
  case KernelVariant::Packed:
    return K.Packed;
  case KernelVariant::Recording:
    return K.Recording;
  }
  return nullptr;
}

std::optional<KernelName> nameOf(const GridspanKernel *Kernel) {
  const GridspanModule *Module = Registry::get().moduleOf(Kernel);
  if (!Module)
    return std::nullopt;
  const std::optional<unsigned> Number = Registry::get().numberOf(Module);
  for (uint32_t I = 0; Number && I != Module->NumKernels; ++I)
    for (const auto Variant :
         {KernelVariant::Own, KernelVariant::Packed, KernelVariant::Recording})
      if (variantOf(Module->Kernels[I], Variant) == Kernel)
        return KernelName{*Number, checksumOf(*Module), I, Variant,
                          placeOf(Module)};
  return std::nullopt;
}

/// Returns the module that is named; null if this process has not got it.
static const GridspanModule *findModule(const KernelName &Name,
                                        const LoadLibrary &Around,
                                        std::string &Message) {
  if (Name.Library.File.empty())
    return Registry::get().module(Name.Module);
  const auto *There = static_cast<const GridspanModule *>(
      addressOf(Name.Library, Around, Message));
  // The message may mean anything in the library. What is registered is one.
  return There && Registry::get().numberOf(There) ? There : nullptr;
}

const GridspanKernel *findKernel(const KernelName &Name,
                                 const LoadLibrary &Around,
                                 std::string &Message) {
  const GridspanModule *Module = findModule(Name, Around, Message);
  if (!Module || Name.Index >= Module->NumKernels ||
      checksumOf(*Module) != Name.Checksum)
    return nullptr;
  return variantOf(Module->Kernels[Name.Index], Name.Variant);
}

uint64_t argumentBytes(const GridspanKernel &Kernel) {
  uint64_t Out = 0;
  for (uint32_t I = 0; I != Kernel.NumParams; ++I)
    Out = std::max<uint64_t>(Out, uint64_t(Kernel.Params[I].Offset) +
                                      Kernel.Params[I].Size);
  return Out;
}

} // namespace gridspan::ranks
