//===- CreateCudaBackend.cpp - Find the GPUs ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the devices asked for. One that is missing or busy is left out and
// named in the message; without any there is no backend.
//
//===----------------------------------------------------------------------===//

#include "CudaBackend.h"

namespace gridspan {

static void addLine(std::string &Message, const std::string &Line) {
  if (!Message.empty())
    Message += "; ";
  Message += Line;
}

std::unique_ptr<Backend> createCudaBackend(const CudaBackendOptions &Options,
                                           std::string &Message) {
  using namespace cuda;
  Message.clear();
  const Driver *D = Driver::get(Message);
  if (!D)
    return nullptr;

  std::vector<int> Ordinals = Options.Devices;
  if (Ordinals.empty()) {
    int Count = 0;
    D->cuDeviceGetCount(&Count);
    for (int I = 0; I < Count; ++I)
      Ordinals.push_back(I);
  }
  DeviceList Devices;
  for (int Ordinal : Ordinals) {
    std::string Why;
    if (auto Dev = Device::open(*D, Ordinal, Why))
      Devices.push_back(std::move(Dev));
    else
      addLine(Message, Why);
  }
  if (Devices.empty()) {
    if (Message.empty())
      Message = "no GPU";
    return nullptr;
  }
  return std::make_unique<CudaBackend>(std::move(Devices), Options);
}

} // namespace gridspan
