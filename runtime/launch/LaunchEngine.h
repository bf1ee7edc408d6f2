//===- LaunchEngine.h - From a launch to work on devices --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch as CUDA does, finds or makes the decision how to run it, and
// has it carried out.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_LAUNCHENGINE_H
#define GRIDSPAN_RUNTIME_LAUNCH_LAUNCHENGINE_H

#include "runtime/launch/Executor.h"
#include "runtime/launch/Inspector.h"
#include "runtime/launch/NoAliasDispatch.h"
#include "runtime/launch/OutOfCoreLauncher.h"
#include "runtime/memory/SymbolTable.h"

namespace gridspan {

class LaunchEngine {
public:
  LaunchEngine(Backend &B, MemoryManager &Memory, StreamTable &Streams,
               SymbolTable &Symbols, Report &Out, Progress &Line,
               Schedule Sched, std::chrono::milliseconds Patience,
               bool CountBytes)
      : B(B), Memory(Memory), Streams(Streams), Symbols(Symbols), Out(Out),
        Sched(Sched), CountsBytes(CountBytes),
        Several(B.system().numDevices() > 1), Exec(B, Memory, Streams, Out),
        Indices(B, Memory, Streams, Exec), Kept(B, Memory, Out, Line),
        Larger(B, Memory, Exec, Indices, Kept, Out, Line, Sched, Patience),
        Clones(B) {}

  cudaError_t launch(const void *Function, const LaunchShape &Shape,
                     void *const *Args, ProgramStream &S);

  /// See LibraryCalls.h.
  void beforeLibraryCall(void *const *Pointers, unsigned Count);

  /// As Backend's; limits that a launch is checked against follow it.
  cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute, int Value);

  Executor &executor() { return Exec; }
  ResidentFrames &kept() { return Kept; }

private:
  std::shared_ptr<Decision> decide(const LaunchTarget &Target,
                                   const LaunchShape &Shape, void *const *Args,
                                   std::string_view RunWhole,
                                   const Decision *Old = nullptr,
                                   PlanInput *Described = nullptr);
  void findContents(const Decision *Old, Decision &D, PlanInput &In) const;
  bool isChanged(const Decision &D, unsigned Allocation) const;
  bool haveContentsChanged(const Decision &D) const;
  bool haveIndicesChanged(const Decision &D) const;
  void noteIndices(const PlanInput &In, Decision &D);
  bool needsReplan(const Decision &D) const;
  bool looksAtArguments(const GridspanKernel &Kernel) const;
  const Decision *find(const GridspanKernel &Kernel, const LaunchShape &Shape,
                       void *const *Args) const
      REQUIRES_SHARED(PlacementLock::Held);
  void remember(std::shared_ptr<const Decision> D, const GridspanKernel &Kernel,
                const LaunchShape &Shape, void *const *Args)
      REQUIRES_SHARED(PlacementLock::Held);
  void prefetch(const GridspanKernel &Kernel, const LaunchShape &Shape,
                void *const *Args, ProgramStream &S);
  cudaError_t planAndLaunch(const LaunchTarget &Target,
                            const LaunchShape &Shape, void *const *Args,
                            ProgramStream &S);
  cudaError_t launchUncached(const LaunchTarget &Target,
                             const LaunchShape &Shape, void *const *Args,
                             ProgramStream &S, bool Capturing);
  bool launchPaged(const LaunchTarget &Target, const LaunchShape &Shape,
                   void *const *Args, ProgramStream &S,
                   std::string_view RunWhole, const char *WhyInPlace,
                   cudaError_t &Error);
  cudaError_t writeBackBefore(const GridspanKernel &Kernel, void *const *Args)
      REQUIRES_SHARED(PlacementLock::Held);
  bool isMisplaced(const void *Pointer) const
      REQUIRES_SHARED(PlacementLock::Held);
  PlanInput describe(const GridspanKernel &Kernel, const LaunchShape &Shape,
                     void *const *Args, Decision &D);
  cudaError_t check(const LaunchTarget &Target, const LaunchShape &Shape);
  cudaError_t checkCooperative(const LaunchTarget &Target,
                               const LaunchShape &Shape);

  Backend &B;
  MemoryManager &Memory;
  StreamTable &Streams;
  SymbolTable &Symbols;
  Report &Out;
  const Schedule Sched;
  /// For the report: then ranges are evaluated for launches that run whole too.
  const bool CountsBytes;
  /// On one device there is nothing to plan.
  const bool Several;
  Executor Exec;
  Inspector Indices;
  ResidentFrames Kept;
  OutOfCoreLauncher Larger;
  LaunchCache Cache;
  NoAliasDispatch Clones;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_LAUNCHENGINE_H
