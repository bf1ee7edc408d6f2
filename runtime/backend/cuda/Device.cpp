//===- Device.cpp - A GPU and its primary context -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a GPU and asks the driver for its facts. A GPU without virtual memory
// management cannot give pages a home, so it is refused.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Device.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace gridspan::cuda {

std::unique_ptr<Device> Device::open(const Driver &D, int Ordinal,
                                     std::string &Message) {
  auto Refuse = [&](CUresult R) {
    const char *Text = nullptr;
    D.cuGetErrorString(R, &Text);
    Message = fmt::format("GPU {}: {}", Ordinal, Text ? Text : "unknown error");
    return nullptr;
  };
  CUdevice Handle;
  if (CUresult R = D.cuDeviceGet(&Handle, Ordinal); R != CUDA_SUCCESS)
    return Refuse(R);
  std::unique_ptr<Device> Dev(new Device(D, Ordinal, Handle));
  if (!Dev->attribute(
          CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)) {
    Message = fmt::format("GPU {}: no virtual memory management", Ordinal);
    return nullptr;
  }
  CUcontext Context = nullptr;
  if (CUresult R = D.cuDevicePrimaryCtxRetain(&Context, Handle);
      R != CUDA_SUCCESS)
    return Refuse(R);
  Dev->Context = Context;
  return Dev;
}

Device::~Device() {
  if (Context)
    D.cuDevicePrimaryCtxRelease(Handle);
}

int Device::attribute(CUdevice_attribute Attribute) const {
  int Value = 0;
  if (D.cuDeviceGetAttribute(&Value, Attribute, Handle) != CUDA_SUCCESS)
    return 0;
  return Value;
}

std::string Device::name() const {
  char Text[256] = "";
  D.cuDeviceGetName(Text, sizeof(Text), Handle);
  return Text;
}

std::array<std::byte, 16> Device::uuidBytes() const {
  CUuuid Id = {};
  D.cuDeviceGetUuid(&Id, Handle);
  return std::bit_cast<std::array<std::byte, 16>>(Id);
}

std::string Device::uuid() const {
  std::string Text;
  for (std::byte Byte : uuidBytes())
    Text += fmt::format("{:02x}", static_cast<unsigned char>(Byte));
  return Text;
}

int Device::hostNode() const {
  // Virtual machines without NUMA information say -1; they have one node.
  return std::max(0, attribute(CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID));
}

} // namespace gridspan::cuda
