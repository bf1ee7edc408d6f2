//===- CpuImages.cpp - Device variables on CPU devices --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image is a copy of the module's initial one, with its addresses relocated.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuImages.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gridspan {

void CpuImages::Free::operator()(std::byte *P) const { std::free(P); }

std::byte *CpuImages::image(int Device, const GridspanCpuModule *Module) {
  if (!Module)
    return nullptr;
  MutexLock Guard(Lock);
  auto &Image = Images[{Module, Device}];
  if (Image)
    return Image.get();
  const size_t Align = std::max<size_t>(Module->ImageAlign, 64);
  const size_t Bytes =
      (std::max<size_t>(Module->ImageSize, 1) + Align - 1) / Align * Align;
  Image.reset(static_cast<std::byte *>(std::aligned_alloc(Align, Bytes)));
  if (!Image)
    throw std::bad_alloc();
  if (Module->ImageSize)
    std::memcpy(Image.get(), Module->Image, Module->ImageSize);
  if (Module->Relocate)
    reinterpret_cast<void (*)(void *)>(Module->Relocate)(Image.get());
  return Image.get();
}

void CpuImages::forget(const GridspanCpuModule *Module) {
  MutexLock Guard(Lock);
  std::erase_if(Images,
                [&](const auto &Entry) { return Entry.first.first == Module; });
}

bool CpuImages::contains(const void *Address, size_t Bytes) {
  auto At = reinterpret_cast<uintptr_t>(Address);
  MutexLock Guard(Lock);
  for (const auto &[Key, Image] : Images) {
    const uintptr_t Offset = At - reinterpret_cast<uintptr_t>(Image.get());
    if (Offset < Key.first->ImageSize && Bytes <= Key.first->ImageSize - Offset)
      return true;
  }
  return false;
}

} // namespace gridspan
