//===- LateDevices.cpp - Devices that are opened when wanted --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context is published when all is done that its device needs. Until then
// other threads wait for it, so whoever holds a lock that Preparation takes may
// not ask for it.
//
// When a context cannot be made, device 0's stands for it: what is done on the
// device is then done by device 0, which reaches the same memory. So nothing
// that relies on the number of devices is wrong; but launches are not split, as
// the devices do not become ready.
//
// The driver ends with the process, by what it has registered for that when it
// was loaded. What is registered later comes first (ISO C, exit()), so a thread
// that is inside of the driver is waited for.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/LateDevices.h"
#include "runtime/backend/cuda/DuringCaptures.h"
#include "runtime/support/SignalsBlocked.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <system_error>

namespace gridspan::cuda {
namespace {

/// Threads that are inside of the driver. Never destroyed, as they may end
/// after static destructors have begun.
class Openings {
public:
  static Openings &get() {
    static auto *const The = new Openings;
    return *The;
  }
  void add() {
    MutexLock Guard(Lock);
    if (!IsRegistered)
      IsRegistered = std::atexit([] { get().waitForAll(); }) == 0;
    ++Running;
  }
  void remove() {
    MutexLock Guard(Lock);
    if (--Running == 0)
      None.notify_all();
  }

  /// Returns true once the process ends.
  bool areEnding() const { return Ending.load(std::memory_order_relaxed); }

private:
  void waitForAll() {
    Ending = true;
    MutexLock Guard(Lock);
    while (Running != 0)
      Guard.wait(None);
  }

  Mutex Lock;
  std::condition_variable None;
  unsigned Running GUARDED_BY(Lock) = 0;
  bool IsRegistered GUARDED_BY(Lock) = false;
  std::atomic<bool> Ending{false};
};

} // namespace

static bool areOpen(const DeviceList &Devices) {
  return std::all_of(Devices.begin(), Devices.end(),
                     [](const auto &Dev) { return Dev->isOpen(); });
}

LateDevices::LateDevices(const DeviceList &Devices, Preparation Prepare)
    : Devices(Devices), Prepare(std::move(Prepare)), Ready(areOpen(Devices)),
      IsDone(areOpen(Devices)) {
  for (const auto &Dev : Devices)
    if (!Dev->isOpen())
      Dev->OpenedBy = this;
}

LateDevices::~LateDevices() {
  std::thread Last;
  {
    MutexLock Guard(Lock);
    IsEnding = true;
    Last = std::move(Opener);
  }
  if (Last.joinable())
    Last.join();
}

/// Opens a device. Returns why it cannot be used, or an empty text.
std::string LateDevices::open(int Number) {
  Device &Dev = *Devices[Number];
  const Driver &D = Dev.driver();
  // A capture of another thread does not forbid what this one does.
  const DuringCaptures Opening(D);
  CUresult R = Dev.retain();
  if (R == CUDA_SUCCESS)
    R = D.cuCtxSetCurrent(Dev.Retained);
  if (R == CUDA_SUCCESS)
    R = Prepare(Number);
  D.cuCtxSetCurrent(nullptr);
  if (R == CUDA_SUCCESS) {
    Dev.Context.store(Dev.Retained, std::memory_order_release);
    return "";
  }
  Dev.Replaced.store(true, std::memory_order_relaxed);
  Dev.Context.store(Devices[0]->context(), std::memory_order_release);
  const char *Text = nullptr;
  D.cuGetErrorString(R, &Text);
  return fmt::format("GPU {}: {}", Dev.ordinal(),
                     Text ? Text : "unknown error");
}

/// Does what is left when all devices are open, as soon as it can be done.
cudaError_t LateDevices::takeLastStep() {
  constexpr std::chrono::microseconds BetweenTries(100);
  const DuringCaptures Opening(Devices[0]->driver());
  MutexLock Guard(Lock);
  if (!LastStep)
    return cudaSuccess;
  while (LastStep && !IsEnding && !Openings::get().areEnding()) {
    const std::function<cudaError_t()> Work = LastStep;
    Guard.unlock();
    const cudaError_t Error = Work();
    Guard.lock();
    // Without a thread the program's work would wait for itself.
    if (Error != cudaErrorNotReady || !Opener.joinable())
      return Error;
    IsHeldUp = true;
    Changed.notify_all();
    Guard.unlock();
    std::this_thread::sleep_for(BetweenTries);
    Guard.lock();
  }
  return cudaErrorNotReady;
}

void LateDevices::openAll() {
  bool All = true;
  for (int I = 0, E = static_cast<int>(Devices.size()); I != E; ++I) {
    if (Devices[I]->isOpen())
      continue;
    const std::string Why = open(I);
    if (Why.empty())
      continue;
    All = false;
    fmt::print(stderr, "gridspan: {}; launches run on GPU {} alone\n", Why,
               Devices[0]->ordinal());
  }
  if (const cudaError_t Error = All ? takeLastStep() : cudaSuccess) {
    All = false;
    if (Error != cudaErrorNotReady)
      fmt::print(
          stderr,
          "gridspan: variables on other GPUs: {}; launches run on GPU {} "
          "alone\n",
          cudaGetErrorString(Error), Devices[0]->ordinal());
  }
  Ready.store(All, std::memory_order_release);
  {
    MutexLock Guard(Lock);
    IsDone = true;
  }
  Changed.notify_all();
}

void LateDevices::begin() {
  MutexLock Guard(Lock);
  if (HasBegun || IsDone)
    return;
  HasBegun = true;
  Openings::get().add();
  auto Run = [this] {
    openAll();
    Openings::get().remove();
  };
  try {
    const SignalsBlocked Scope;
    Opener = std::thread(Run);
  } catch (const std::system_error &) {
    Guard.unlock();
    Run();
  }
}

bool LateDevices::wait() {
  begin();
  MutexLock Guard(Lock);
  while (!IsDone && !IsHeldUp)
    Guard.wait(Changed);
  return isReady();
}

void LateDevices::setLastStep(std::function<cudaError_t()> Work) {
  MutexLock Guard(Lock);
  LastStep = Work;
  if (!HasBegun)
    return;
  // The thread may be past the step, or at it.
  while (!IsDone && !(Work && IsHeldUp))
    Guard.wait(Changed);
  Guard.unlock();
  if (Work)
    (void)Work();
}

} // namespace gridspan::cuda
