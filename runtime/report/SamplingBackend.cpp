//===- SamplingBackend.cpp - Runs clones that record ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device has a few buffers, which are made when they are wanted. One is in
// use from a launch until its sample has come to the host. The launch's stream
// has nothing but the clone, so that its time is the clone's. Behind it a
// stream of the buffer's own copies the records to pinned memory and clears
// them. An event behind that says when the host may look. A launch that finds
// all buffers in use is not recorded: a later one will be.
//
// The clone does what the kernel does, so that the launch is the same to the
// program, and so is one of which some blocks run the kernel, as CPU devices
// do. If the clone cannot be launched, the kernel is.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/SamplingBackend.h"
#include "gridspan/WarpSize.h"
#include "runtime/backend/KernelTraits.h"
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cassert>
#include <cstring>
#include <string_view>

namespace gridspan {

/// Bytes of a buffer, and how many a device has at most.
static constexpr uint64_t BufferBytes = uint64_t(4) << 20;
static constexpr size_t MostBuffers = 16;

struct SamplingBackend::Buffer {
  void *Address = nullptr;
  uint64_t Bytes = 0;
  std::unique_ptr<Pages> Memory;
  void *Host = nullptr; ///< pinned
  std::unique_ptr<Stream> Own;
  std::unique_ptr<Event> Ran;  ///< the clone has
  std::unique_ptr<Event> Done; ///< the sample is there, and the buffer clear
  bool HasFailed = false;      ///< there is no room

  // The sample that is on its way, if Kernel is set.
  const GridspanKernel *Kernel = nullptr;
  ProfileEntry *Entry = nullptr;
  uint64_t Number = 0;
  RecordedWarps Warps;
  std::vector<ArrayBytes> Reached; ///< by the launch's pointers
};

/// Returns the blocks of the sample that the tile has.
static uint64_t sampledBlocks(const RecordedWarps &W, const LaunchShape &Shape,
                              const GridspanTile &Tile) {
  uint64_t Count = 0;
  for (uint64_t I = 0; I != W.Recorder.NumBlocks; ++I) {
    const uint64_t Number = I * W.Recorder.BlockStep;
    const uint64_t At[] = {Number % Tile.Grid[0],
                           Number / Tile.Grid[0] % Tile.Grid[1],
                           Number / (uint64_t(Tile.Grid[0]) * Tile.Grid[1])};
    const uint32_t Blocks[] = {Shape.Grid.x, Shape.Grid.y, Shape.Grid.z};
    bool IsIn = true;
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      IsIn &= At[Axis] >= Tile.Origin[Axis] &&
              At[Axis] - Tile.Origin[Axis] < Blocks[Axis];
    Count += IsIn;
  }
  return Count;
}

RecordedWarps chooseWarps(const LaunchShape &Shape, const GridspanTile &Tile,
                          uint32_t NumProbes, uint64_t MostRecords,
                          const RecordingLimits &Limits) {
  RecordedWarps Out;
  const uint64_t Room = MostRecords / std::max(1u, NumProbes);
  const uint64_t Threads =
      uint64_t(Shape.Block.x) * Shape.Block.y * Shape.Block.z;
  const uint64_t Warps = (Threads + WarpSize - 1) / WarpSize;
  const uint64_t Blocks = uint64_t(Tile.Grid[0]) * Tile.Grid[1] * Tile.Grid[2];
  if (Room == 0 || Warps == 0 || Blocks == 0)
    return Out;
  const uint64_t OfBlock = std::min({Warps, Limits.Warps, Room});
  const uint64_t NumBlocks = std::min({Blocks, Limits.Blocks, Room / OfBlock});
  Out.Recorder.NumBlocks = static_cast<uint32_t>(NumBlocks);
  Out.Recorder.NumWarps = static_cast<uint32_t>(OfBlock);
  // Steps of grids with more blocks than the field can say end early.
  Out.Recorder.BlockStep =
      static_cast<uint32_t>(std::min<uint64_t>(Blocks / NumBlocks, UINT32_MAX));
  Out.Recorder.WarpStep = static_cast<uint32_t>(Warps / OfBlock);
  Out.Records = NumBlocks * OfBlock * NumProbes;
  Out.Sampled = static_cast<double>(sampledBlocks(Out, Shape, Tile) * OfBlock);
  Out.Warps = static_cast<double>(Warps * Shape.Grid.x) *
              static_cast<double>(uint64_t(Shape.Grid.y) * Shape.Grid.z);
  return Out;
}

SamplingBackend::SamplingBackend(std::unique_ptr<Backend> Inner,
                                 LaunchProfile &Profile)
    : ForwardingBackend(std::move(Inner)), Profile(Profile),
      Limits(inner().name() == std::string_view("cpu") ? CpuRecordingLimits
                                                       : RecordingLimits()),
      Buffers(inner().system().numDevices()) {
  Profile.limit(Limits);
}

SamplingBackend::~SamplingBackend() { finish(); }

/// Makes the buffer of a device. Returns false without room.
bool SamplingBackend::makeBuffer(Buffer &Of, int Device) {
  if (Of.Host || Of.HasFailed)
    return !Of.HasFailed;
  const uint64_t Page = std::max<uint64_t>(1, system().PageSize);
  Of.Bytes = (BufferBytes + Page - 1) / Page * Page;
  Of.HasFailed = true;
  if (inner().createPages(Device, Of.Bytes, Of.Memory) ||
      inner().createStream(Device, StreamKind::NonBlocking, 0, Of.Own) ||
      inner().createEvent(Device, cudaEventDisableTiming, Of.Ran) ||
      inner().createEvent(Device, cudaEventDisableTiming, Of.Done) ||
      inner().reserve(Of.Bytes, Of.Address))
    return false;
  if (inner().map(Of.Address, *Of.Memory, 0, Of.Bytes)) {
    inner().release(Of.Address, Of.Bytes);
    Of.Address = nullptr;
    return false;
  }
  Of.HasFailed = inner().hostAlloc(Of.Bytes, 0, Of.Host) ||
                 inner().fill(*Of.Own, Of.Address, 0, Of.Bytes) ||
                 inner().synchronize(*Of.Own);
  return !Of.HasFailed;
}

/// Hands the sample, which has come, to the profile.
void SamplingBackend::take(Buffer &From) {
  const GridspanKernel &Recording = *From.Kernel->Recording;
  const auto SizeOf = [&](uint64_t Address) -> uint64_t {
    for (const ArrayBytes &A : From.Reached)
      if (Address - A.Base < A.Bytes)
        return A.Bytes;
    return 0;
  };
  Profile.addSample(
      *From.Entry, From.Number,
      sumRecords(Recording, static_cast<const GridspanRecord *>(From.Host),
                 From.Warps.Records / Recording.NumAccesses, SizeOf),
      From.Warps.Sampled, From.Warps.Warps);
  From.Kernel = nullptr;
}

/// Returns true if the buffer has no sample that is still on its way.
bool SamplingBackend::isFree(Buffer &Of) {
  if (!Of.Kernel)
    return true;
  const cudaError_t Error = inner().query(*Of.Done);
  if (Error == cudaErrorNotReady)
    return false;
  if (Error)
    Of.Kernel = nullptr;
  else
    take(Of);
  return true;
}

/// Launches the clone. Returns why it did not, or None.
ProfileReason SamplingBackend::recordLaunch(Stream &S,
                                            const LaunchTarget &Target,
                                            const LaunchShape &Shape,
                                            void *const *Args,
                                            const GridspanTile *Tile,
                                            std::vector<ArrayBytes> Reached) {
  std::vector<std::unique_ptr<Buffer>> &Own = Buffers[S.device()];
  size_t Free = 0;
  while (Free != Own.size() && !isFree(*Own[Free]))
    ++Free;
  if (Free == MostBuffers)
    return ProfileReason::Busy;
  if (Free == Own.size())
    Own.push_back(std::make_unique<Buffer>());
  Buffer &To = *Own[Free];
  if (IsFinished || !makeBuffer(To, S.device()))
    return ProfileReason::NoRoom;
  const GridspanKernel &Kernel = *Target.Kernel;
  const GridspanKernel &Recording = *Kernel.Recording;
  const GridspanTile Whole = {{0, 0, 0},
                              {Shape.Grid.x, Shape.Grid.y, Shape.Grid.z}};
  const GridspanTile &Part = Tile ? *Tile : Whole;
  RecordedWarps Warps = chooseWarps(Shape, Part, Recording.NumAccesses,
                                    To.Bytes / sizeof(GridspanRecord), Limits);
  if (Warps.Records == 0)
    return ProfileReason::TooManyAccesses;
  Warps.Recorder.Records = To.Address;
  boost::container::small_vector<void *, 32> All(Args, Args + Kernel.NumParams);
  All.push_back(&Warps.Recorder);
  LaunchTarget Clone;
  Clone.Kernel = &Recording;
  Clone.Function = Recording.HostStub;
  Clone.Unrecorded = &Target;
  // A kernel that may be split has a tiled clone that records, and no other.
  const GridspanTile *Which = Recording.TiledStub ? &Part : nullptr;
  if (inner().launch(S, Clone, Shape, All.data(), Which))
    return ProfileReason::CloneNotLaunched;
  const size_t Bytes = Warps.Records * sizeof(GridspanRecord);
  if (inner().record(*To.Ran, S) || inner().wait(*To.Own, *To.Ran) ||
      inner().copy(*To.Own, To.Host, To.Address, Bytes) ||
      inner().fill(*To.Own, To.Address, 0, Bytes) ||
      inner().record(*To.Done, *To.Own)) {
    // The launch is as it should be, and the buffer is not clear.
    To.HasFailed = true;
    return ProfileReason::None;
  }
  To.Kernel = &Kernel;
  To.Entry = Target.Profiled;
  To.Number = Target.RecordAs;
  To.Warps = Warps;
  To.Reached = std::move(Reached);
  return ProfileReason::None;
}

cudaError_t SamplingBackend::launch(Stream &S, const LaunchTarget &Target,
                                    const LaunchShape &Shape, void *const *Args,
                                    const GridspanTile *Tile) {
  if (!Target.RecordAs || !Target.Kernel || !Target.Kernel->Recording)
    return inner().launch(S, Target, Shape, Args, Tile);
  assert(Target.Profiled && "recorded for nobody");
  // Now, as they may be freed before the sample comes.
  const GridspanKernel &Kernel = *Target.Kernel;
  std::vector<ArrayBytes> Reached;
  for (uint32_t I = 0; I != Kernel.NumPointers; ++I) {
    const GridspanPointer &P = Kernel.Pointers[I];
    const void *Pointer = nullptr;
    std::memcpy(&Pointer,
                static_cast<const std::byte *>(Args[P.Param]) + P.Offset,
                sizeof(Pointer));
    if (const ArrayBytes A = Arrays(Pointer); A.Bytes)
      Reached.push_back(A);
  }
  ProfileReason Why;
  {
    MutexLock Guard(Lock);
    Why = recordLaunch(S, Target, Shape, Args, Tile, std::move(Reached));
  }
  if (Why == ProfileReason::None)
    return cudaSuccess;
  Profile.noteNotRecorded(*Target.Profiled, Why);
  return inner().launch(S, Target, Shape, Args, Tile);
}

void SamplingBackend::collect() {
  MutexLock Guard(Lock);
  for (const auto &Own : Buffers)
    for (const std::unique_ptr<Buffer> &B : Own)
      (void)isFree(*B);
}

void SamplingBackend::finish() {
  MutexLock Guard(Lock);
  if (IsFinished)
    return;
  IsFinished = true;
  for (const auto &Own : Buffers)
    for (const std::unique_ptr<Buffer> &B : Own)
      end(*B);
}

/// Takes what is in the buffer, and gives its memory back.
void SamplingBackend::end(Buffer &Of) {
  if (Of.Kernel && !inner().synchronize(*Of.Done))
    take(Of);
  Of.Kernel = nullptr;
  Of.Own = nullptr;
  if (Of.Host)
    (void)inner().hostFree(Of.Host);
  Of.Host = nullptr;
  if (Of.Address && !inner().unmap(Of.Address, Of.Bytes))
    inner().release(Of.Address, Of.Bytes);
  Of.Address = nullptr;
  Of.HasFailed = true;
}

} // namespace gridspan
