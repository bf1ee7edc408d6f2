//===- ResidentFrames.h - Managed memory left on devices --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps frames of managed memory on devices behind a launch, so that the next
// one finds them there. The host may touch that memory without notice. But
// until it knows that a kernel is over, it may neither write a byte that the
// kernel accesses, nor read one that it writes (CUDA C++ Programming Guide,
// "Unified Memory Programming").
//
// So a frame stays if kernels have surely accessed (not: may have accessed)
// every byte of it since the host could last know that one was over. Then
//   * the host writes none of its bytes: it does not get old where it is, and
//     what it is saved over was not written meanwhile;
//   * what the host may read, bytes that kernels only read, is at home too.
// A frame of which a single byte is left out is written back behind each
// launch.
//
// The host may know as soon as any function of CUDA has been called that could
// tell, by any thread, and as soon as a kernel runs that could tell it through
// memory. Before each of these all frames are written back and nothing counts
// as accessed any more: writeBack(). What is safe is listed, in the entry
// points (api/ApiCall.h) and in mayNotifyHost(); the rest writes back.
// Out-of-core launches are over when they return, so that none runs meanwhile.
//
// Frames that nobody will have asked for before the next launch are not saved
// behind the chunks that write them, which would cost nothing at that time.
// They are saved all at once when the host synchronizes. So it is guessed if a
// launch will be followed by another: a kernel was, or was not, after as many
// launches the last time.
//
// It relies on the runtime seeing all calls (UntrackedCode.h); where it does
// not, nothing stays. And on loads of the kernel's code being the program's:
// where the compiler loads what a reference leads to although a condition keeps
// the program from it, that counts as accessed.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_RESIDENTFRAMES_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_RESIDENTFRAMES_H

#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/Planner.h"
#include "runtime/report/Progress.h"
#include "runtime/report/Report.h"
#include "runtime/support/ThreadSafety.h"

namespace gridspan {

/// True if the launch might let the host know how far it is before the program
/// waits for it: it may not be known what it does, or it has atomics on memory
/// that the host can look at. What ordinary stores write there tells nothing by
/// CUDA's rules; but programs have been seen to wait for a flag that is written
/// so, which is taken for possible in pinned memory and in managed memory of
/// less than a page.
bool mayNotifyHost(const GridspanKernel &Kernel, void *const *Args,
                   const MemoryManager &Memory, uint64_t PageBytes)
    REQUIRES_SHARED(PlacementLock::Held);

/// True if the kernel may let the host know while it runs that it has written
/// something: it has fences, strong accesses or what is not seen, and writes
/// memory that the host can look at.
bool mayPublish(const GridspanKernel &Kernel, void *const *Args,
                const MemoryManager &Memory)
    REQUIRES_SHARED(PlacementLock::Held);

/// True if launches are to be over when they return, so that the program may
/// know it: CUDA_LAUNCH_BLOCKING.
bool launchesBlock();

/// Thread-safe, except where a function asks for the placement lock.
class ResidentFrames {
public:
  using Allocations = std::vector<std::shared_ptr<Allocation>>;

  ResidentFrames(Backend &B, MemoryManager &Memory, Report &Out, Progress &Line)
      : B(B), Memory(Memory), Out(Out), Line(Line) {}

  /// True if there may be something to write back.
  bool any() const { return Any.load(std::memory_order_acquire); }

  /// The host synchronizes and may know that kernels are over: all of its
  /// memory is written back. On an error nothing has changed and the host does
  /// not know yet. Freed, or null, is about to be freed: what it holds goes
  /// nowhere.
  cudaError_t writeBack(const Allocation *Freed = nullptr)
      EXCLUDES(PlacementLock::Held) {
    return any() ? writeBackNow(Freed) : cudaSuccess;
  }
  /// The same for a caller that holds the placement lock.
  cudaError_t writeBackLocked(const Allocation *Freed = nullptr)
      REQUIRES_SHARED(PlacementLock::Held);

  /// The launch that In describes, which was made of Of, will run out of core
  /// and tells the host nothing: what it surely accesses counts from here on.
  /// If it fails all is to be written back.
  void add(const PlanInput &In, const Allocations &Of)
      REQUIRES(PlacementLock::Held);

  /// True if the launch that was added last is likely to be the last one before
  /// the host synchronizes, so that what it writes may as well be saved while
  /// it runs.
  bool expectsHost() const {
    MutexLock Guard(Lock);
    return Expected;
  }

private:
  struct DirtyFrame {
    Allocation &Of;
    uint32_t Frame;
    const PagedMemory::Frame &frame() const { return Of.Paged->Frames[Frame]; }
  };
  cudaError_t writeBackNow(const Allocation *Freed)
      EXCLUDES(PlacementLock::Held);
  static std::vector<DirtyFrame> dirtyFrames(const Allocations &All,
                                             const Allocation *Freed)
      REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t save(const std::vector<DirtyFrame> &Dirty, uint64_t Bytes)
      REQUIRES(Lock) REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t writeBackFrames(const Allocations &All, const Allocation *Freed)
      REQUIRES(Lock) REQUIRES_SHARED(PlacementLock::Held);

  Backend &B;
  MemoryManager &Memory;
  Report &Out;
  Progress &Line;
  std::atomic<bool> Any{false};
  /// Taken after the placement lock.
  mutable Mutex Lock;
  bool Expected GUARDED_BY(Lock) = false;
  unsigned Launches GUARDED_BY(Lock) = 0; ///< since the host synchronized
  const GridspanKernel *Last GUARDED_BY(Lock) = nullptr;
  /// Launches that there had been when the host last synchronized behind one of
  /// a kernel, by kernel.
  std::map<const GridspanKernel *, unsigned> Runs GUARDED_BY(Lock);
  std::vector<std::unique_ptr<Stream>> Streams GUARDED_BY(Lock); ///< by device
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_RESIDENTFRAMES_H
