//===- Runtime.h - The parts of a running program ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the backend and everything built on it. Made by the first call that
// needs it and never destroyed: static destructors of the program may still
// call. The report is written when the process ends.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_RUNTIME_H
#define GRIDSPAN_RUNTIME_RUNTIME_H

#include "runtime/Config.h"
#include "runtime/copy/CopyEngine.h"
#include "runtime/launch/LaunchEngine.h"
#include "runtime/memory/AllocationLookup.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/memory/SymbolTable.h"
#include "runtime/report/LaunchProfile.h"
#include "runtime/report/Progress.h"
#include "runtime/report/Report.h"
#include "runtime/report/SamplingBackend.h"
#include "runtime/report/TracingBackend.h"
#include "runtime/stream/StreamTable.h"
#include "runtime/support/Expected.h"
#include "runtime/support/HandleTable.h"
#include <atomic>

namespace gridspan {

class Runtime {
public:
  Runtime(const Config &Settings, std::unique_ptr<Backend> TheBackend);

  /// Returns the process's runtime. It is configured by the environment; a bad
  /// configuration is a message and the end of the process, with status 2.
  static Runtime &get();
  /// Returns the process's; null if nothing has needed it yet.
  static Runtime *existing();
  /// Replaces the process's runtime, for tests; returns the one before.
  static std::unique_ptr<Runtime> replace(std::unique_ptr<Runtime> New);

  const Config &settings() const { return Settings; }
  Backend &backend() { return *B; }
  MemoryManager &memory() { return Memory; }
  AllocationLookup &lookup() { return Lookup; }
  StreamTable &streams() { return Streams; }
  SymbolTable &symbols() { return Symbols; }
  CopyEngine &copies() { return Copies; }
  LaunchEngine &launches() { return Launches; }
  Report &report() { return Counters; }
  Progress &progress() { return Line; }

  using EventTable = HandleTable<cudaEvent_t, Event>;
  EventTable &events() { return Events; }
  /// Returns the event of a handle, or an error if there is none.
  Expected<std::shared_ptr<Event>> findEvent(cudaEvent_t Handle);

  /// Notes that somebody may wait for events of the program without a call
  /// here: another process, or code that made the event itself.
  void noteSharedEvent() { SharedEvents = true; }
  bool hasSharedEvents() const { return SharedEvents; }

  /// Returns the error after which no call works any more, as after a fault in
  /// a kernel on a GPU; cudaSuccess while there is none.
  cudaError_t broken() const { return Broken; }
  /// Notes Error if it is one of those. Returns it.
  cudaError_t note(cudaError_t Error) {
    return Error ? noteFailure(Error) : Error;
  }

  /// Notes that this is a child of the process whose devices these are.
  void noteFork() {
    IsForked = true;
    Broken = cudaErrorInitializationError;
  }
  /// Returns true in such a child: the runtime is not to be used.
  bool isForked() const { return IsForked; }

  /// Waits until no device has work left, before code or data of a module is
  /// unloaded.
  void finishWork();
  /// Forgets the kernels and variables of a module that is unloaded; of null,
  /// functions without descriptors.
  void forget(const GridspanModule *Module);
  /// Waits for all work, and frees the memory of a variable that is unloaded.
  void forget(GridspanManaged &Variable);

  ReportRecord record() const;
  /// Writes what the configuration asks for.
  void writeReport() const;
  void writeTrace();
  /// Takes what the profile still wants of the devices, which are about to go.
  void finishProfile();
  void writeProfile() const;
  /// Keeps what was learned for later processes.
  void saveTimes() { Launches.decider().saveTimes(); }
  /// Returns false if accesses were checked and some were wrong; says so.
  bool summarizeChecks() const;

private:
  cudaError_t noteFailure(cudaError_t Error);

  const Config Settings;
  std::unique_ptr<LaunchProfile> Profile; ///< null: none is asked for
  TracingBackend *Tracer = nullptr;       ///< B, when it traces
  SamplingBackend *Recorder = nullptr;    ///< B or what it is around
  std::unique_ptr<Backend> B;
  Report Counters;
  Progress Line;
  MemoryManager Memory;
  AllocationLookup Lookup;
  StreamTable Streams;
  EventTable Events;
  SymbolTable Symbols;
  CopyEngine Copies;
  LaunchEngine Launches;
  std::atomic<cudaError_t> Broken{cudaSuccess};
  std::atomic<bool> IsForked{false};
  std::atomic<bool> SharedEvents{false};
};

/// Returns the devices that Settings asks for; null with a Message if there are
/// none. Notes: see createCudaBackend.
std::unique_ptr<Backend>
createBackend(const Config &Settings, std::string &Message,
              std::vector<std::string> *Notes = nullptr);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_RUNTIME_H
