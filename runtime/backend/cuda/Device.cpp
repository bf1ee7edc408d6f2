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
#include "runtime/backend/cuda/LateDevices.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <fmt/format.h>

namespace gridspan::cuda {

static std::string explain(const Driver &D, int Ordinal, CUresult R) {
  const char *Text = nullptr;
  D.cuGetErrorString(R, &Text);
  return fmt::format("GPU {}: {}", Ordinal, Text ? Text : "unknown error");
}

std::unique_ptr<Device> Device::find(const Driver &D, int Ordinal,
                                     std::string &Message) {
  CUdevice Handle;
  if (CUresult R = D.cuDeviceGet(&Handle, Ordinal); R != CUDA_SUCCESS) {
    Message = explain(D, Ordinal, R);
    return nullptr;
  }
  std::unique_ptr<Device> Dev(new Device(D, Ordinal, Handle));
  if (!Dev->attribute(
          CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)) {
    Message = fmt::format("GPU {}: no virtual memory management", Ordinal);
    return nullptr;
  }
  return Dev;
}

CUresult Device::retain() {
  CUcontext New = nullptr;
  const CUresult R = D.cuDevicePrimaryCtxRetain(&New, Handle);
  if (R == CUDA_SUCCESS)
    Retained = New;
  return R;
}

bool Device::open(std::string &Message) {
  if (CUresult R = retain(); R != CUDA_SUCCESS) {
    Message = explain(D, Ordinal, R);
    return false;
  }
  Context.store(Retained, std::memory_order_release);
  return true;
}

CUcontext Device::contextWhenOpened() const {
  assert(OpenedBy && "nobody opens the device");
  OpenedBy->wait();
  return Context.load(std::memory_order_acquire);
}

Device::~Device() {
  if (Retained)
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
