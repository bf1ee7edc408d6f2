//===- CpuTextureCopies.cpp - Texture objects of other CPU devices --------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array is memory of one piece, also with several levels, so its copy is
// pages of the device, and the levels of a copied object are as far from the
// beginning of the copy as those of the original are from its.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/CpuBackend.h"
#include "runtime/backend/cpu/CpuTexture.h"

namespace gridspan {

namespace {

/// Pages of a device at an address of their own.
class CpuArrayCopy final : public ArrayCopy {
public:
  CpuArrayCopy(CpuBackend &B, size_t Bytes) : B(B), Bytes(Bytes) {
    const uint64_t Page = B.system().PageSize;
    MappedBytes = (Bytes + Page - 1) / Page * Page;
  }
  ~CpuArrayCopy() override {
    if (Memory)
      (void)B.unmap(Address, MappedBytes);
    if (Address)
      B.release(Address, MappedBytes);
  }
  cudaError_t allocate(int Device) {
    if (cudaError_t Error = B.reserve(MappedBytes, Address))
      return Error;
    std::unique_ptr<Pages> New;
    if (cudaError_t Error = B.createPages(Device, MappedBytes, New))
      return Error;
    if (cudaError_t Error = B.map(Address, *New, 0, MappedBytes))
      return Error;
    Memory = std::move(New);
    return cudaSuccess;
  }
  size_t bytes() const override { return Bytes; }
  std::byte *data() const { return static_cast<std::byte *>(Address); }

private:
  CpuBackend &B;
  const size_t Bytes;
  size_t MappedBytes = 0;
  void *Address = nullptr;
  std::unique_ptr<Pages> Memory;
};

class CpuTextureCopy final : public TextureCopy {
public:
  explicit CpuTextureCopy(const CpuTexture &Like) : Object(Like) {}
  cudaTextureObject_t handle() const override {
    return reinterpret_cast<cudaTextureObject_t>(&Object);
  }

  CpuTexture Object;
};

} // namespace

static const CpuTexture &objectOf(cudaTextureObject_t Texture) {
  return *reinterpret_cast<const CpuTexture *>(Texture);
}

cudaError_t CpuBackend::createArray(int Device, cudaTextureObject_t Texture,
                                    std::unique_ptr<ArrayCopy> &Out) {
  const CpuTexture &Like = objectOf(Texture);
  if (!Like.Array)
    return cudaErrorInvalidValue;
  auto Copy = std::make_unique<CpuArrayCopy>(*this, Like.ArrayBytes);
  if (cudaError_t Error = Copy->allocate(Device))
    return Error;
  Out = std::move(Copy);
  return cudaSuccess;
}

cudaError_t CpuBackend::copyArray(Stream &S, ArrayCopy &To,
                                  cudaTextureObject_t From) {
  const CpuTexture &Texture = objectOf(From);
  if (Texture.ArrayBytes != To.bytes())
    return cudaErrorInvalidValue;
  return copy(S, static_cast<CpuArrayCopy &>(To).data(), Texture.Array,
              Texture.ArrayBytes);
}

cudaError_t CpuBackend::createTexture(int Device, cudaTextureObject_t Texture,
                                      ArrayCopy *Array,
                                      std::unique_ptr<TextureCopy> &Out) {
  const CpuTexture &Like = objectOf(Texture);
  if ((Like.Array != nullptr) != (Array != nullptr))
    return cudaErrorInvalidValue;
  auto Copy = std::make_unique<CpuTextureCopy>(Like);
  if (Array) {
    std::byte *To = static_cast<CpuArrayCopy *>(Array)->data();
    for (TexelGrid &Level : Copy->Object.Levels)
      Level.Data = To + (Level.Data - Like.Array);
    Copy->Object.Array = To;
  }
  Out = std::move(Copy);
  return cudaSuccess;
}

} // namespace gridspan
