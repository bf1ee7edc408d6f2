//===- Textures.cpp - Texture objects of other GPUs -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver tells what an object was made from, also of one that the CUDA
// runtime made: the two have the same handles (CUDA Driver API, "Interactions
// with the CUDA Runtime"). So the copy is made from the same descriptors, with
// another array. Levels of a mipmapped array are copied one by one.
//
// Formats whose elements are not a number of channels of the same width have no
// copies: compressed blocks and planes of video. Neither have arrays whose
// memory the program maps itself.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Textures.h"
#include "runtime/backend/cuda/DuringCaptures.h"
#include <algorithm>
#include <vector>

namespace gridspan::cuda {

/// Returns the bytes of an element, 0 for formats that are not copied.
static size_t elementBytes(const CUDA_ARRAY3D_DESCRIPTOR &Desc) {
  switch (Desc.Format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return Desc.NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 2UL * Desc.NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 4UL * Desc.NumChannels;
  case CU_AD_FORMAT_UNORM_INT8X1:
  case CU_AD_FORMAT_SNORM_INT8X1:
    return 1;
  case CU_AD_FORMAT_UNORM_INT8X2:
  case CU_AD_FORMAT_SNORM_INT8X2:
  case CU_AD_FORMAT_UNORM_INT16X1:
  case CU_AD_FORMAT_SNORM_INT16X1:
    return 2;
  case CU_AD_FORMAT_UNORM_INT8X4:
  case CU_AD_FORMAT_SNORM_INT8X4:
  case CU_AD_FORMAT_UNORM_INT16X2:
  case CU_AD_FORMAT_SNORM_INT16X2:
    return 4;
  case CU_AD_FORMAT_UNORM_INT16X4:
  case CU_AD_FORMAT_SNORM_INT16X4:
    return 8;
  default:
    return 0;
  }
}

namespace {

/// The flags that an array may have to be copied, and those that its copies
/// have as well: a copy is only read.
constexpr unsigned KnownFlags =
    CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER |
    CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_COLOR_ATTACHMENT;
constexpr unsigned KeptFlags =
    CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;

/// One level of an array that a texture reads.
struct ArrayLevel {
  CUarray Array = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR Desc = {};

  size_t bytes() const {
    return Desc.Width * std::max<size_t>(Desc.Height, 1) *
           std::max<size_t>(Desc.Depth, 1) * elementBytes(Desc);
  }
};

class CudaArrayCopy final : public ArrayCopy {
public:
  CudaArrayCopy(const DeviceList &Devices, int Device)
      : Devices(Devices), Device(Device) {}
  ~CudaArrayCopy() override {
    const CurrentDevice Scope(Devices, Device);
    const Driver &D = Devices[Device]->driver();
    const DuringCaptures Own(D);
    if (Mipmap)
      D.cuMipmappedArrayDestroy(Mipmap);
    else if (!Levels.empty())
      D.cuArrayDestroy(Levels.front());
  }
  size_t bytes() const override { return Bytes; }

  const DeviceList &Devices;
  const int Device;
  CUmipmappedArray Mipmap = nullptr; ///< null: one array
  std::vector<CUarray> Levels;       ///< of the mipmapped array, or the array
  size_t Bytes = 0;
};

class CudaTextureCopy final : public TextureCopy {
public:
  CudaTextureCopy(const DeviceList &Devices, int Device, CUtexObject Object)
      : Devices(Devices), Device(Device), Object(Object) {}
  ~CudaTextureCopy() override {
    const CurrentDevice Scope(Devices, Device);
    const Driver &D = Devices[Device]->driver();
    const DuringCaptures Own(D);
    D.cuTexObjectDestroy(Object);
  }
  cudaTextureObject_t handle() const override { return Object; }

private:
  const DeviceList &Devices;
  const int Device;
  const CUtexObject Object;
};

} // namespace

/// Lists the levels of the array that an object of device 0 reads, one for an
/// array that is not mipmapped. Precondition: device 0 is current.
static CUresult levelsOf(const Driver &D, const CUDA_RESOURCE_DESC &Resource,
                         std::vector<ArrayLevel> &Out) {
  const bool IsMipmap = Resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  if (!IsMipmap && Resource.resType != CU_RESOURCE_TYPE_ARRAY)
    return CUDA_ERROR_INVALID_VALUE;
  // The driver does not tell how many levels there are, but refuses more.
  for (size_t Most = 1; Out.size() < Most;) {
    ArrayLevel L;
    L.Array = Resource.res.array.hArray;
    if (IsMipmap) {
      const auto Level = static_cast<unsigned>(Out.size());
      if (CUresult R = D.cuMipmappedArrayGetLevel(
              &L.Array, Resource.res.mipmap.hMipmappedArray, Level))
        return Out.empty() ? R : CUDA_SUCCESS;
    }
    if (CUresult R = D.cuArray3DGetDescriptor(&L.Desc, L.Array))
      return R;
    if ((L.Desc.Flags & ~KnownFlags) || elementBytes(L.Desc) == 0)
      return CUDA_ERROR_NOT_SUPPORTED;
    if (IsMipmap && Out.empty())
      for (size_t Side :
           {L.Desc.Width, L.Desc.Height,
            L.Desc.Flags & CUDA_ARRAY3D_LAYERED ? 0 : L.Desc.Depth}) {
        size_t Levels = 1;
        for (; Side > 1; Side /= 2)
          ++Levels;
        Most = std::max(Most, Levels);
      }
    Out.push_back(L);
  }
  return CUDA_SUCCESS;
}

cudaError_t Textures::createArray(int Device, cudaTextureObject_t Texture,
                                  std::unique_ptr<ArrayCopy> &Out) {
  const Driver &D = Devices[Device]->driver();
  const DuringCaptures Own(D);
  CUDA_RESOURCE_DESC Resource = {};
  std::vector<ArrayLevel> Levels;
  {
    const CurrentDevice Scope(Devices, 0);
    CUresult R = D.cuTexObjectGetResourceDesc(&Resource, Texture);
    if (R == CUDA_SUCCESS)
      R = levelsOf(D, Resource, Levels);
    if (R != CUDA_SUCCESS)
      return toError(R);
  }
  const CurrentDevice Scope(Devices, Device);
  auto Copy = std::make_unique<CudaArrayCopy>(Devices, Device);
  CUDA_ARRAY3D_DESCRIPTOR Desc = Levels.front().Desc;
  Desc.Flags &= KeptFlags;
  for (const ArrayLevel &L : Levels)
    Copy->Bytes += L.bytes();
  if (Resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
    if (CUresult R = D.cuMipmappedArrayCreate(
            &Copy->Mipmap, &Desc, static_cast<unsigned>(Levels.size())))
      return toError(R);
    for (unsigned I = 0; I != Levels.size(); ++I) {
      CUarray Level = nullptr;
      if (CUresult R = D.cuMipmappedArrayGetLevel(&Level, Copy->Mipmap, I))
        return toError(R);
      Copy->Levels.push_back(Level);
    }
  } else {
    CUarray Array = nullptr;
    if (CUresult R = D.cuArray3DCreate(&Array, &Desc))
      return toError(R);
    Copy->Levels.push_back(Array);
  }
  Out = std::move(Copy);
  return cudaSuccess;
}

cudaError_t Textures::copyArray(Stream &S, ArrayCopy &To,
                                cudaTextureObject_t From) {
  auto &Copy = static_cast<CudaArrayCopy &>(To);
  const Driver &D = Devices[S.device()]->driver();
  std::vector<ArrayLevel> Levels;
  {
    const CurrentDevice Scope(Devices, 0);
    CUDA_RESOURCE_DESC Resource = {};
    CUresult R = D.cuTexObjectGetResourceDesc(&Resource, From);
    if (R == CUDA_SUCCESS)
      R = levelsOf(D, Resource, Levels);
    if (R != CUDA_SUCCESS)
      return toError(R);
  }
  if (Levels.size() != Copy.Levels.size())
    return cudaErrorInvalidValue;
  const CurrentDevice Scope(Devices, S.device());
  for (size_t I = 0; I != Levels.size(); ++I) {
    const CUDA_ARRAY3D_DESCRIPTOR &Desc = Levels[I].Desc;
    CUDA_MEMCPY3D_PEER Part = {};
    Part.srcMemoryType = Part.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    Part.srcArray = Levels[I].Array;
    Part.srcContext = Devices[0]->context();
    Part.dstArray = Copy.Levels[I];
    Part.dstContext = Devices[Copy.Device]->context();
    Part.WidthInBytes = Desc.Width * elementBytes(Desc);
    Part.Height = std::max<size_t>(Desc.Height, 1);
    Part.Depth = std::max<size_t>(Desc.Depth, 1);
    if (CUresult R = D.cuMemcpy3DPeerAsync(&Part, S.native()))
      return toError(R);
  }
  return cudaSuccess;
}

cudaError_t Textures::createTexture(int Device, cudaTextureObject_t Texture,
                                    ArrayCopy *Array,
                                    std::unique_ptr<TextureCopy> &Out) {
  const Driver &D = Devices[Device]->driver();
  const DuringCaptures Own(D);
  CUDA_RESOURCE_DESC Resource = {};
  CUDA_TEXTURE_DESC Desc = {};
  CUDA_RESOURCE_VIEW_DESC View = {};
  bool HasView = false;
  {
    const CurrentDevice Scope(Devices, 0);
    CUresult R = D.cuTexObjectGetResourceDesc(&Resource, Texture);
    if (R == CUDA_SUCCESS)
      R = D.cuTexObjectGetTextureDesc(&Desc, Texture);
    if (R != CUDA_SUCCESS)
      return toError(R);
    // Refused, or nothing, for objects that have none.
    HasView =
        D.cuTexObjectGetResourceViewDesc(&View, Texture) == CUDA_SUCCESS &&
        View.width != 0;
  }
  const bool IsMipmap = Resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  const bool IsArray = IsMipmap || Resource.resType == CU_RESOURCE_TYPE_ARRAY;
  if (IsArray != (Array != nullptr))
    return cudaErrorInvalidValue;
  if (Array) {
    auto &Copy = static_cast<CudaArrayCopy &>(*Array);
    if (IsMipmap)
      Resource.res.mipmap.hMipmappedArray = Copy.Mipmap;
    else
      Resource.res.array.hArray = Copy.Levels.front();
  }
  const CurrentDevice Scope(Devices, Device);
  CUtexObject Object = 0;
  if (CUresult R = D.cuTexObjectCreate(&Object, &Resource, &Desc,
                                       HasView ? &View : nullptr))
    return toError(R);
  Out = std::make_unique<CudaTextureCopy>(Devices, Device, Object);
  return cudaSuccess;
}

} // namespace gridspan::cuda
