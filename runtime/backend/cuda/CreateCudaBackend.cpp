//===- CreateCudaBackend.cpp - Find the GPUs ------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a backend of the GPUs that OpenDevices.h takes, if there is a driver.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/backend/cuda/OpenDevices.h"

namespace gridspan {

std::unique_ptr<Backend> createCudaBackend(const CudaBackendOptions &Options,
                                           std::string &Message,
                                           std::vector<std::string> *Notes) {
  using namespace cuda;
  std::vector<std::string> Ignored;
  std::vector<std::string> &Said = Notes ? *Notes : Ignored;
  bool Defective = false;
  const Driver *D = Driver::get(Message, Defective);
  if (!D) {
    if (Defective)
      Said.push_back(Message);
    return nullptr;
  }
  DeviceList Devices =
      openDevices(*D, Options.Devices, Options.OpensLater, Message, Said);
  if (Devices.empty())
    return nullptr;
  const bool HostPages = hostPagesWork(Devices);
  if (!HostPages)
    Said.emplace_back("the driver cannot map memory of the host at chosen "
                      "addresses; what GPUs have no room for is paged instead");
  return std::make_unique<CudaBackend>(std::move(Devices), Options, HostPages);
}

} // namespace gridspan
