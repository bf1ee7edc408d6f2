//===- ResidentFrames.cpp - Managed memory left on devices ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks bytes as accessed, and takes the marks back. From the marks, the
// planner decides which frames stay (PagedView::Frame::MustWriteBack).
//
// Launches, which bring frames, hold the placement lock alone; who writes back
// holds it shared, and the Visitors of what is written back alone, as whoever
// else takes frames away. The pages that frames leave stay mapped in their
// rings for the next launch.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ResidentFrames.h"
#include "runtime/backend/DeviceStreams.h"
#include "runtime/backend/EventList.h"
#include "runtime/backend/KernelTraits.h"
#include "runtime/outofcore/OutOfCoreLegality.h"
#include "runtime/outofcore/RunningChunks.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/plan/MustAccess.h"
#include "runtime/report/Tracing.h"
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace gridspan {

/// True if the host reaches it by calls only.
static bool isDevicesOnly(const Allocation &A) {
  return A.kind() != AllocationKind::Managed;
}

bool mayNotifyHost(const GridspanKernel &Kernel, void *const *Args,
                   const MemoryManager &Memory, uint64_t PageBytes) {
  if (!(Kernel.Flags & GridspanHostInvisible) || mayTouchAnything(Kernel))
    return true;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const uint32_t Modes = Kernel.Pointers[I].Modes;
    const void *Pointer = pointerArgument(Kernel, Kernel.Pointers[I], Args);
    if (!Pointer || !(Modes & (GridspanWrite | GridspanAtomic)))
      continue;
    // Memory that is not ours may be the host's. Flags are in small memory.
    const Allocation *A = Memory.peek(Pointer);
    if (!A || (!isDevicesOnly(*A) &&
               ((Modes & GridspanAtomic) || A->bytes() < PageBytes)))
      return true;
  }
  return false;
}

bool mayPublish(const GridspanKernel &Kernel, void *const *Args,
                const MemoryManager &Memory) {
  if (Kernel.Flags & GridspanHostInvisible)
    return false;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    const void *Pointer = pointerArgument(Kernel, Kernel.Pointers[I], Args);
    const Allocation *A = Pointer ? Memory.peek(Pointer) : nullptr;
    if (Pointer && (!A || !isDevicesOnly(*A)) &&
        (Kernel.Pointers[I].Modes & (GridspanWrite | GridspanAtomic)))
      return true;
  }
  return false;
}

bool launchesBlock() {
  static const bool Block = [] {
    const char *Value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return Value && *Value && std::string_view(Value) != "0";
  }();
  return Block;
}

void ResidentFrames::add(const PlanInput &In, const Allocations &Of) {
  const GridspanKernel &Kernel = *In.Kernel;
  if (Kernel.NumAccesses == 0)
    return;
  MutexLock Guard(Lock);
  Any.store(true, std::memory_order_relaxed);
  Last = &Kernel;
  Expected = ++Launches == Runs.try_emplace(Last, 1).first->second;
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  Kernel.Ranges(&In.Box, Ranges.data());
  for (unsigned A = 0; A < Of.size(); ++A) {
    if (!Of[A] || !Of[A]->Paged || isDevicesOnly(*Of[A]))
      continue;
    MustAccess Surely;
    for (uint32_t I = 0; I < Kernel.NumAccesses; ++I)
      if (const int P = Kernel.Accesses[I].Pointer;
          P >= 0 && In.Pointers[P].Allocation == static_cast<int>(A))
        Surely.add(Ranges[I], In.Pointers[P].Offset);
    Memory.pager().markAccessed(*Of[A], Surely.runs());
  }
}

std::vector<ResidentFrames::DirtyFrame>
ResidentFrames::dirtyFrames(const Allocations &All, const Allocation *Freed) {
  std::vector<DirtyFrame> Out;
  for (const std::shared_ptr<Allocation> &A : All)
    for (uint32_t F = 0; A.get() != Freed && F < A->Paged->Frames.size(); ++F)
      if (const PagedMemory::Frame &Frame = A->Paged->Frames[F];
          Frame.Device && Frame.Dirty)
        Out.push_back({*A, F});
  return Out;
}

/// Writes frames back, those of each device by its own link.
cudaError_t ResidentFrames::save(const std::vector<DirtyFrame> &Dirty,
                                 uint64_t Bytes) {
  TraceScope Scope(Activity::WriteBack);
  ProgressScope Shown(Line, Bytes);
  EventList Events(B);
  RunningChunks Running(B, Line, B.system().numDevices());
  cudaError_t Error = createDeviceStreams(B, Streams);
  std::vector<Pager::FrameOf> Frames;
  for (const DirtyFrame &P : Dirty)
    Frames.push_back({&P.Of, P.Frame});
  Error = Error ? Error : Memory.pager().ensureReady(Frames);
  for (const DirtyFrame &P : Dirty) {
    if (Error)
      break;
    const PagedMemory::Frame &F = P.frame();
    const int Device = std::max(0, F.Device->location());
    Error = B.copy(*Streams[Device], P.Of.base() + F.Lo,
                   Pager::address(P.Of, P.Frame), F.Bytes);
    int Done = -1;
    if (!Error && !Line.silent()) {
      Error = Events.record(*Streams[Device], Done);
      if (!Error)
        Running.add(Device, Events.at(Done), F.Bytes);
    }
  }
  if (!Error)
    Error = Running.waitForAll();
  for (const std::unique_ptr<Stream> &S : Streams) {
    const cudaError_t This = B.synchronize(*S);
    Error = Error ? Error : This;
  }
  return Error;
}

/// Takes all frames off the devices, of which those that need be were saved.
cudaError_t ResidentFrames::writeBackFrames(const Allocations &All,
                                            const Allocation *Freed) {
  std::vector<std::unique_lock<SharedMutex>> Others;
  for (const std::shared_ptr<Allocation> &A : All)
    Others.emplace_back(A->Paged->Visitors);
  const std::vector<DirtyFrame> Dirty = dirtyFrames(All, Freed);
  uint64_t Bytes = 0;
  for (const DirtyFrame &P : Dirty)
    Bytes += P.frame().Bytes;
  if (!Dirty.empty()) {
    if (cudaError_t Error = save(Dirty, Bytes))
      return Error;
    Out.ManagedWriteBacks.count(Bytes);
  }
  cudaError_t First = cudaSuccess;
  for (const std::shared_ptr<Allocation> &A : All)
    for (uint32_t F = 0; F < A->Paged->Frames.size(); ++F)
      if (A->Paged->Frames[F].Device) {
        const cudaError_t Error = Memory.pager().toHost(*A, F);
        First = First ? First : Error;
      }
  return First;
}

cudaError_t ResidentFrames::writeBackLocked(const Allocation *Freed) {
  if (!any())
    return cudaSuccess;
  MutexLock Guard(Lock);
  if (Launches)
    Runs[Last] = std::exchange(Launches, 0);
  Allocations All = Memory.all();
  std::erase_if(All,
                [](const auto &A) { return !A->Paged || isDevicesOnly(*A); });
  if (writeBackFrames(All, Freed)) {
    // A program may go on after an error of a call that is not about memory.
    // Frame by frame takes longer, and less that may be refused.
    // What is freed comes last: if the others cannot be saved it is not.
    std::partition(All.begin(), All.end(),
                   [=](const auto &A) { return A.get() != Freed; });
    for (const std::shared_ptr<Allocation> &A : All) {
      Pager &P = Memory.pager();
      if (cudaError_t Error = A.get() == Freed
                                  ? P.overwrite(*A, 0, A->bytes())
                                  : P.hostAccess(*A, 0, A->bytes(), true))
        return Error;
    }
  }
  for (const std::shared_ptr<Allocation> &A : All)
    Memory.pager().forgetAccessed(*A);
  // Whoever sees this sees what was written back.
  Any.store(false, std::memory_order_release);
  return cudaSuccess;
}

cudaError_t ResidentFrames::writeBackNow(const Allocation *Freed) {
  PlacementReader Placement(Memory.placementLock());
  return writeBackLocked(Freed);
}

} // namespace gridspan
