//===- FormedLaunches.h - Launches on records in other orders ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some kernels have a clone that finds arrays of records as an array for each
// field (GridspanKernel::Formed). Decides which launches run it, and gives them
// memory of that order. What they leave there comes home when others ask for it
// (OwnedBytes.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_FORMS_FORMEDLAUNCHES_H
#define GRIDSPAN_RUNTIME_FORMS_FORMEDLAUNCHES_H

#include "runtime/forms/FormTimer.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanInput.h"
#include "runtime/stream/LaunchRequest.h"
#include <boost/container/small_vector.hpp>
#include <functional>
#include <memory>
#include <span>

namespace gridspan {

/// A launch of the clone.
struct FormedLaunch {
  /// Allocations that it finds in another order, each once.
  struct Part {
    Allocation *Of;
    RecordForm Form;
    uint32_t SavedBytes = 0; ///< of each record
    bool Written = false;
  };
  boost::container::small_vector<Part, 4> Parts;
  boost::container::small_vector<GridspanFormed, 4> Forms;
  /// The part that each of Forms is of; -1: none.
  boost::container::small_vector<int, 4> PartOf;
  LaunchTarget Target;
  bool OnlyIfItPays = false;

  bool has(const Allocation &A) const;
};

/// The place that a launch's pointers lead to, as its plan knows it.
struct LaunchedOn {
  const Plan &How;
  /// Of Plan::Effects; null for one that is not ours.
  std::span<const std::shared_ptr<Allocation>> Allocations;
  /// One for each of the kernel's. Only the allocations count.
  std::span<const PlacedPointer> Pointers;
};

/// Used with OwnedBytes::lock() held, but for enable() and isFormable().
class FormedLaunches {
public:
  FormedLaunches(Backend &B, MemoryManager &Memory)
      : B(B), Memory(Memory), Timer(B) {}

  /// Sets whether any launch may run a clone.
  void enable(bool On) { Enabled = On; }
  /// Returns true if the launch might run a clone.
  bool isFormable(const LaunchRequest &R) const;

  /// Finds out if the launch runs the clone; changes nothing. Present: of each
  /// allocation. Returns why it does not, or None.
  using VersionOf = std::function<ContentsVersion(const Allocation &)>;
  LaunchReason plan(const LaunchedOn &On, const LaunchRequest &R,
                    const VersionOf &Present, FormedLaunch &Out) const;
  /// Counts a launch that kept to what the program made.
  void noteKept(const FormedLaunch &L) const;

  /// Returns whom the time of the launch is for, which keeps to what the
  /// program made, or does not.
  FormTiming timing(const FormedLaunch &L, const LaunchRequest &R,
                    RecordOrder In) const;
  FormTimer &timer() { return Timer; }

  /// Enqueues in S what the clone needs. AwaitOthers lets S wait for all that
  /// other streams hold. On failure nothing is formed that was not, and the
  /// launch is to run as others do.
  cudaError_t begin(FormedLaunch &L, const LaunchRequest &R,
                    const VersionOf &Present,
                    const std::function<cudaError_t()> &AwaitOthers);
  /// The clone has been enqueued in S.
  cudaError_t end(const FormedLaunch &L, Stream &S);
  /// Versions count the launch.
  void noteWritten(const FormedLaunch &L, const VersionOf &Present);

private:
  bool mayBeAnothersEnd(uint32_t Pointer, const void *Address,
                        const LaunchRequest &R) const;
  LaunchReason addForm(const GridspanRecordForm &Form, const LaunchedOn &On,
                       const LaunchRequest &R, FormedLaunch &Out) const;
  bool createMemory(FormedLaunch::Part &P);
  bool pays(const FormedLaunch::Part &P, const LaunchRequest &R) const;

  Backend &B;
  MemoryManager &Memory;
  FormTimer Timer;
  bool Enabled = true;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_FORMS_FORMEDLAUNCHES_H
