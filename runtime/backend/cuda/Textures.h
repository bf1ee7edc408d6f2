//===- Textures.h - Texture objects of other GPUs ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object and an array belong to the context that they were made in. Here
// other devices get objects like those of device 0, and arrays with the same
// contents.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_TEXTURES_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_TEXTURES_H

#include "runtime/backend/Backend.h"
#include "runtime/backend/cuda/Device.h"

namespace gridspan::cuda {

/// Thread-safe.
class Textures {
public:
  explicit Textures(const DeviceList &Devices) : Devices(Devices) {}

  /// These do what Backend's functions of the same names do.
  cudaError_t createArray(int Device, cudaTextureObject_t Texture,
                          std::unique_ptr<ArrayCopy> &Out);
  cudaError_t copyArray(Stream &S, ArrayCopy &To, cudaTextureObject_t From);
  cudaError_t createTexture(int Device, cudaTextureObject_t Texture,
                            ArrayCopy *Array,
                            std::unique_ptr<TextureCopy> &Out);

private:
  const DeviceList &Devices;
};

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_TEXTURES_H
