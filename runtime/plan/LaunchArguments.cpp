//===- LaunchArguments.cpp - The arguments of one tile --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters are copied as bytes, all of them at the first replacement. A
// pointer within a struct is replaced in the copy of the struct.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/LaunchArguments.h"
#include <algorithm>
#include <cstring>

namespace gridspan {

void *pointerArgument(const GridspanKernel &Kernel,
                      const GridspanPointer &Pointer, void *const *Args) {
  void *Out = nullptr;
  std::memcpy(&Out,
              static_cast<const std::byte *>(Args[Pointer.Param]) +
                  Pointer.Offset,
              sizeof(Out));
  return Out;
}

uint64_t handleArgument(const GridspanTexture &Texture, void *const *Args) {
  uint64_t Out = 0;
  std::memcpy(&Out,
              static_cast<const std::byte *>(Args[Texture.Param]) +
                  Texture.Offset,
              sizeof(Out));
  return Out;
}

void LaunchArguments::replace(const GridspanTexture &Texture, uint64_t Handle) {
  if (Copies.empty())
    copy();
  std::memcpy(static_cast<std::byte *>(Copies[Texture.Param]) + Texture.Offset,
              &Handle, sizeof(Handle));
}

void LaunchArguments::copy() {
  size_t Bytes = 1;
  for (uint32_t I = 0; I < Kernel.NumParams; ++I)
    Bytes = std::max<size_t>(Bytes,
                             Kernel.Params[I].Offset + Kernel.Params[I].Size);
  Buffer.resize(Bytes);
  for (uint32_t I = 0; I < Kernel.NumParams; ++I) {
    std::byte *At = Buffer.data() + Kernel.Params[I].Offset;
    std::memcpy(At, Args[I], Kernel.Params[I].Size);
    Copies.push_back(At);
  }
}

void LaunchArguments::redirect(const std::vector<PlacedPointer> &Pointers,
                               unsigned Allocation, ptrdiff_t Distance) {
  if (Copies.empty())
    copy();
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    if (Pointers[I].Allocation != static_cast<int>(Allocation))
      continue;
    const GridspanPointer &P = Kernel.Pointers[I];
    std::byte *At = static_cast<std::byte *>(Copies[P.Param]) + P.Offset;
    std::byte *Pointer;
    std::memcpy(&Pointer, At, sizeof(Pointer));
    Pointer += Distance;
    std::memcpy(At, &Pointer, sizeof(Pointer));
  }
}

} // namespace gridspan
