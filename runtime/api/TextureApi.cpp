//===- TextureApi.cpp - Texture and surface objects -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects are CUDA's, of device 0; launches that are split find textures in
// TextureTable. Those of the CPU device are CpuTexture and CpuSurface, and
// their handles are addresses.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/CpuArrays.h"

using namespace gridspan;

static HandleTable<cudaTextureObject_t, CpuTexture> &textures() {
  static auto *Table = new HandleTable<cudaTextureObject_t, CpuTexture>;
  return *Table;
}

static HandleTable<cudaSurfaceObject_t, CpuSurface> &surfaces() {
  static auto *Table = new HandleTable<cudaSurfaceObject_t, CpuSurface>;
  return *Table;
}

/// Destroys the object of a handle behind the work that may use it.
template <typename Table, typename Handle>
static cudaError_t destroy(Runtime &R, Table &Objects, Handle Which) {
  if (!Which)
    return cudaSuccess;
  const auto Object = Objects.remove(Which);
  return Object ? R.backend().synchronizeAll() : cudaErrorInvalidValue;
}

/// Describes memory as one level of a texture.
static Expected<TexelGrid> gridOfMemory(const cudaResourceDesc &Resource,
                                        TexelFormat &Format) {
  const bool IsLinear = Resource.resType == cudaResourceTypeLinear;
  const cudaChannelFormatDesc &Desc =
      IsLinear ? Resource.res.linear.desc : Resource.res.pitch2D.desc;
  const std::optional<TexelFormat> Known = texelFormat(Desc);
  void *Memory =
      IsLinear ? Resource.res.linear.devPtr : Resource.res.pitch2D.devPtr;
  if (!Known || !Memory)
    return cudaErrorInvalidValue;
  Format = *Known;
  TexelGrid G;
  G.Data = static_cast<std::byte *>(Memory);
  if (IsLinear) {
    const size_t Count = Resource.res.linear.sizeInBytes / Format.bytes();
    if (Count == 0 || Count > size_t(1) << 28)
      return cudaErrorInvalidValue;
    G.Width = static_cast<uint32_t>(Count);
    G.Pitch = G.SlicePitch = Resource.res.linear.sizeInBytes;
    return G;
  }
  const auto &Pitched = Resource.res.pitch2D;
  if (Pitched.width == 0 || Pitched.height == 0 ||
      Pitched.pitchInBytes < Pitched.width * Format.bytes())
    return cudaErrorInvalidValue;
  G.Width = static_cast<uint32_t>(Pitched.width);
  G.Height = static_cast<uint32_t>(Pitched.height);
  G.Pitch = Pitched.pitchInBytes;
  G.SlicePitch = G.Pitch * G.Height;
  return G;
}

/// Applies the levels and the layers of a view. Views of another format are
/// not supported on the CPU device.
static cudaError_t applyView(const cudaResourceViewDesc &View, CpuTexture &T) {
  if (View.format != cudaResViewFormatNone)
    return cudaErrorNotSupported;
  if (View.lastMipmapLevel < View.firstMipmapLevel ||
      View.lastMipmapLevel >= T.Levels.size() ||
      View.lastLayer < View.firstLayer)
    return cudaErrorInvalidValue;
  T.Levels.erase(T.Levels.begin() + View.lastMipmapLevel + 1, T.Levels.end());
  T.Levels.erase(T.Levels.begin(), T.Levels.begin() + View.firstMipmapLevel);
  for (TexelGrid &G : T.Levels) {
    if (View.lastLayer == 0)
      break; // no layers
    if (View.lastLayer >= G.Depth)
      return cudaErrorInvalidValue;
    G.Data += View.firstLayer * G.SlicePitch;
    G.Depth = View.lastLayer - View.firstLayer + 1;
  }
  return cudaSuccess;
}

static cudaError_t findLevels(CpuTexture &T) {
  const cudaResourceDesc &Resource = T.Resource;
  switch (Resource.resType) {
  case cudaResourceTypeArray: {
    const std::shared_ptr<CpuArray> A =
        CpuArrays::get().find(Resource.res.array.array);
    if (!A)
      return cudaErrorInvalidResourceHandle;
    T.Format = A->Format;
    T.Levels.push_back(A->Grid);
    T.Array = A->Grid.Data;
    T.ArrayBytes = bytesOf(*A);
    return cudaSuccess;
  }
  case cudaResourceTypeMipmappedArray: {
    const std::shared_ptr<CpuMipmap> M =
        CpuArrays::get().find(Resource.res.mipmap.mipmap);
    if (!M)
      return cudaErrorInvalidResourceHandle;
    T.Format = M->Levels.front()->Format;
    for (const std::shared_ptr<CpuArray> &Level : M->Levels)
      T.Levels.push_back(Level->Grid);
    T.Array = T.Levels.front().Data;
    T.ArrayBytes = T.Levels.back().Data + bytesOf(*M->Levels.back()) - T.Array;
    return cudaSuccess;
  }
  case cudaResourceTypeLinear:
  case cudaResourceTypePitch2D: {
    const Expected<TexelGrid> Grid = gridOfMemory(Resource, T.Format);
    if (!Grid)
      return Grid.error();
    T.Levels.push_back(*Grid);
    return cudaSuccess;
  }
  default:
    return cudaErrorInvalidValue;
  }
}

static cudaError_t createTexture(cudaTextureObject_t *Out,
                                 const cudaResourceDesc *Resource,
                                 const cudaTextureDesc *Desc,
                                 const cudaResourceViewDesc *View) {
  using Number = TexelFormat::Number;
  if (!Out || !Resource || !Desc)
    return cudaErrorInvalidValue;
  auto T = std::make_shared<CpuTexture>();
  T->Resource = *Resource;
  T->Desc = *Desc;
  if (cudaError_t Error = findLevels(*T))
    return Error;
  if (View) {
    T->View = *View;
    if (cudaError_t Error = applyView(*View, *T))
      return Error;
  }
  const bool IsInteger =
      T->Format.Kind == Number::Signed || T->Format.Kind == Number::Unsigned;
  const bool Normalizes = Desc->readMode == cudaReadModeNormalizedFloat;
  // Integers are not filtered, and those of 32 bits are no fractions.
  if (IsInteger && (Normalizes ? T->Format.Bits == 32
                               : Desc->filterMode == cudaFilterModeLinear))
    return cudaErrorInvalidValue;
  if (T->Levels.size() > 1 && !Desc->normalizedCoords)
    return cudaErrorInvalidValue;
  *Out = reinterpret_cast<cudaTextureObject_t>(T.get());
  textures().insert(*Out, std::move(T));
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaCreateTextureObject(
    cudaTextureObject_t *Out, const cudaResourceDesc *Resource,
    const cudaTextureDesc *Desc, const cudaResourceViewDesc *View) {
  return apiCall([=](Runtime &R) {
    const cudaError_t Error =
        hasVendorMemory(R) ? cudaCreateTextureObject(Out, Resource, Desc, View)
                           : createTexture(Out, Resource, Desc, View);
    if (!Error)
      R.launches().textures().add(*Out, *Resource);
    return Error;
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDestroyTextureObject(cudaTextureObject_t Texture) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    R.launches().textures().remove(Texture);
    if (hasVendorMemory(R))
      return cudaDestroyTextureObject(Texture);
    return destroy(R, textures(), Texture);
  });
}

/// Writes what Get(CpuTexture &) returns to Out.
template <typename T, typename VendorFunction, typename Function>
static cudaError_t describeTexture(T *Out, cudaTextureObject_t Texture,
                                   VendorFunction &&Vendor, Function &&Get) {
  return apiCall<Tells::Nothing>([&](Runtime &R) {
    if (hasVendorMemory(R))
      return Vendor(Out, Texture);
    const std::shared_ptr<CpuTexture> Found = textures().find(Texture);
    if (!Out || !Found)
      return cudaErrorInvalidValue;
    return Get(*Found);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetTextureObjectResourceDesc(
    cudaResourceDesc *Out, cudaTextureObject_t Texture) {
  return describeTexture(Out, Texture, cudaGetTextureObjectResourceDesc,
                         [=](const CpuTexture &T) {
                           *Out = T.Resource;
                           return cudaSuccess;
                         });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetTextureObjectTextureDesc(
    cudaTextureDesc *Out, cudaTextureObject_t Texture) {
  return describeTexture(Out, Texture, cudaGetTextureObjectTextureDesc,
                         [=](const CpuTexture &T) {
                           *Out = T.Desc;
                           return cudaSuccess;
                         });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetTextureObjectResourceViewDesc(
    cudaResourceViewDesc *Out, cudaTextureObject_t Texture) {
  return describeTexture(Out, Texture, cudaGetTextureObjectResourceViewDesc,
                         [=](const CpuTexture &T) {
                           if (!T.View)
                             return cudaErrorInvalidValue;
                           *Out = *T.View;
                           return cudaSuccess;
                         });
}

static cudaError_t createSurface(cudaSurfaceObject_t *Out,
                                 const cudaResourceDesc *Resource) {
  if (!Out || !Resource || Resource->resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  const std::shared_ptr<CpuArray> A =
      CpuArrays::get().find(Resource->res.array.array);
  if (!A)
    return cudaErrorInvalidResourceHandle;
  // As on a GPU, arrays without cudaArraySurfaceLoadStore are taken as well.
  auto S = std::make_shared<CpuSurface>();
  S->Resource = *Resource;
  S->Format = A->Format;
  S->Grid = A->Grid;
  *Out = reinterpret_cast<cudaSurfaceObject_t>(S.get());
  surfaces().insert(*Out, std::move(S));
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaCreateSurfaceObject(
    cudaSurfaceObject_t *Out, const cudaResourceDesc *Resource) {
  return apiCall([=](Runtime &R) {
    return hasVendorMemory(R) ? cudaCreateSurfaceObject(Out, Resource)
                              : createSurface(Out, Resource);
  });
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaDestroySurfaceObject(cudaSurfaceObject_t Surface) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (hasVendorMemory(R))
      return cudaDestroySurfaceObject(Surface);
    return destroy(R, surfaces(), Surface);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetSurfaceObjectResourceDesc(
    cudaResourceDesc *Out, cudaSurfaceObject_t Surface) {
  return apiCall<Tells::Nothing>([=](Runtime &R) {
    if (hasVendorMemory(R))
      return cudaGetSurfaceObjectResourceDesc(Out, Surface);
    const std::shared_ptr<CpuSurface> Found = surfaces().find(Surface);
    if (!Out || !Found)
      return cudaErrorInvalidValue;
    *Out = Found->Resource;
    return cudaSuccess;
  });
}
