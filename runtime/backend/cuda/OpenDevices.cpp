//===- OpenDevices.cpp - The GPUs that a program uses ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU is busy when its context cannot be made: another process uses it alone
// (compute mode "exclusive process") or has all of its memory. Machine code
// runs on later minor versions of its compute capability only (CUDA Programming
// Guide, "Binary Compatibility"), so beside the first GPU only those are taken
// that run what it runs, unless the user names others.
//
// The driver takes long to make a context. So all are asked for at one time,
// each by a thread, and looked at in the order of the GPUs. They are made
// before the program goes on: one that cannot be made leaves its GPU out, and
// then no page may have been meant for it.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/OpenDevices.h"
#include "runtime/support/ParallelFor.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gridspan::cuda {

static std::vector<int> allOrdinals(int Count) {
  std::vector<int> Out;
  for (int I = 0; I != Count; ++I)
    Out.push_back(I);
  return Out;
}

/// Returns why Dev may be unable to run code of First, or an empty text.
static std::string whyIncompatible(const Device &Dev, const Device &First) {
  auto Version = [](const Device &D) {
    return std::pair(D.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                     D.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  };
  const auto [Major, Minor] = Version(Dev);
  const auto [FirstMajor, FirstMinor] = Version(First);
  if (Major == FirstMajor && Minor >= FirstMinor)
    return {};
  return fmt::format("GPU {}: compute capability {}.{}, which may not run "
                     "kernels for {}.{} of GPU {}",
                     Dev.ordinal(), Major, Minor, FirstMajor, FirstMinor,
                     First.ordinal());
}

DeviceList openDevices(const Driver &D, const std::vector<int> &Ordinals,
                       std::string &Message, std::vector<std::string> &Notes) {
  Message.clear();
  int Count = 0;
  if (D.cuDeviceGetCount(&Count) != CUDA_SUCCESS)
    Count = 0;
  for (int Ordinal : Ordinals)
    if (Ordinal >= Count) {
      Message = fmt::format("there is no GPU {}: {} visible", Ordinal,
                            Count == 1 ? "1 is" : fmt::format("{} are", Count));
      return {};
    }

  struct Attempt {
    std::unique_ptr<Device> Dev;
    std::string Why;
  };
  const std::vector<int> Tried =
      Ordinals.empty() ? allOrdinals(Count) : Ordinals;
  std::vector<Attempt> Attempts(Tried.size());
  parallelFor(Tried.size(), [&](size_t I) {
    Attempts[I].Dev = Device::open(D, Tried[I], Attempts[I].Why);
  });

  DeviceList Devices;
  std::vector<std::string> Refused;
  for (Attempt &A : Attempts) {
    if (A.Dev && Ordinals.empty() && !Devices.empty()) {
      A.Why = whyIncompatible(*A.Dev, *Devices[0]);
      if (!A.Why.empty())
        A.Dev.reset();
    }
    if (A.Dev)
      Devices.push_back(std::move(A.Dev));
    else
      Refused.push_back(A.Why);
  }
  if (Devices.empty())
    Message = Refused.empty() ? "no GPU"
                              : fmt::format("{}", fmt::join(Refused, "; "));
  for (const std::string &Why : Refused)
    Notes.push_back(Why + "; it is left out");
  return Devices;
}

} // namespace gridspan::cuda
