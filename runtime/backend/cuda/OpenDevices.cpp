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
// each by a thread, and looked at in the order of the GPUs.
//
// Contexts can be made later where nothing is lost by that: the GPUs are
// several ones, each reaches the memory of the others, so that what one cannot
// do another does, and none refuses to be shared.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/OpenDevices.h"
#include "runtime/support/ParallelFor.h"
#include <algorithm>
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

static bool reaches(const Device &A, const Device &B) {
  int Can = 0;
  return A.driver().cuDeviceCanAccessPeer(&Can, A.handle(), B.handle()) ==
             CUDA_SUCCESS &&
         Can;
}

/// Returns true if all but the first may be opened later.
static bool mayOpenLater(const std::vector<const Device *> &Found) {
  for (const Device *I : Found) {
    if (I->attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) !=
        CU_COMPUTEMODE_DEFAULT)
      return false;
    for (const Device *J : Found)
      if (I != J && (isSameGpu(*I, *J) || !reaches(*I, *J)))
        return false;
  }
  return !Found.empty();
}

namespace {

struct Attempt {
  std::unique_ptr<Device> Dev;
  std::string Why;

  void open() {
    if (Dev && !Dev->isOpen() && !Dev->open(Why))
      Dev.reset();
  }
};

} // namespace

/// Opens the first GPU, if the others can be opened later. Returns true if that
/// is all that need be opened now.
static bool openFirst(std::vector<Attempt> &Attempts) {
  std::vector<const Device *> Found;
  for (const Attempt &A : Attempts)
    if (A.Dev)
      Found.push_back(A.Dev.get());
  if (!mayOpenLater(Found))
    return false;
  const auto First = std::find_if(Attempts.begin(), Attempts.end(),
                                  [](const Attempt &A) { return !!A.Dev; });
  First->open();
  return First->Dev != nullptr;
}

DeviceList openDevices(const Driver &D, const std::vector<int> &Ordinals,
                       bool Later, std::string &Message,
                       std::vector<std::string> &Notes) {
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

  std::vector<Attempt> Attempts;
  for (int Ordinal : Ordinals.empty() ? allOrdinals(Count) : Ordinals) {
    Attempt &A = Attempts.emplace_back();
    A.Dev = Device::find(D, Ordinal, A.Why);
  }
  if (!Later || !openFirst(Attempts))
    parallelFor(Attempts.size(), [&](size_t I) { Attempts[I].open(); });

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
