//===- OutOfCoreExecutor.cpp - Carry out an out-of-core plan --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames that come and go wait on the devices for the chunks that are in their
// way (OutOfCoreFrames.h). So the host only stays a few chunks ahead, and one
// thread serves all devices.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/OutOfCoreExecutor.h"
#include "runtime/outofcore/MemoryOperation.h"
#include "runtime/outofcore/RunningChunks.h"
#include "runtime/report/Tracing.h"
#include "runtime/stream/OpaqueOperation.h"

namespace gridspan {

/// The lanes that chunks with packed rows take turns on.
static constexpr unsigned PackedLanes = 2;
static_assert(PackedLanes <= DeviceLanes::Count);

/// Chunks of each launch of a chain that a device is given ahead, so that the
/// frames of later ones come meanwhile.
static constexpr size_t Ahead = 8;

/// One execution of a plan.
class OutOfCoreRun {
public:
  OutOfCoreRun(OutOfCoreExecutor &E, const OutOfCorePlan &Plan,
               const RingSizes &Rings,
               const std::vector<std::shared_ptr<Allocation>> &All,
               const std::vector<std::shared_ptr<Allocation>> &Paged,
               const std::vector<OutOfCoreExecutor::Launch> &Launches,
               const std::vector<OutOfCoreExecutor::Record> &Records)
      : E(E), B(E.B), Plan(Plan), All(All), Paged(Paged), Launches(Launches),
        Records(Records), Events(B),
        Frames(B, E.Frames, E.Streams, E.CopyThreads, Events, Rings,
               Plan.Shared, Paged),
        Running(B, E.Line, E.Streams.size()), Buffers(E.Streams.size()),
        NextLane(E.Streams.size()) {}

  cudaError_t run() REQUIRES(PlacementLock::Held);
  /// Returns the bytes that were to come to a device but stay on the host, for
  /// lack of room.
  uint64_t bytesOnHost() const;

private:
  /// A device's buffers for packed rows; numbers of Events.
  struct DeviceBuffers {
    std::unique_ptr<PackedBuffers> Memory;
    std::array<int, OutOfCorePlan::NumPackedBuffers> Loaded;
    std::array<std::vector<int>, OutOfCorePlan::NumPackedBuffers> Used;
  };

  cudaError_t createPackedBuffers(int Device) REQUIRES(PlacementLock::Held);
  cudaError_t loadPacked(const OutOfCoreStep &Step);
  unsigned laneOf(const OutOfCoreStep &Step);
  cudaError_t runOperation(Stream &Compute, const OutOfCoreStep &Step,
                           const LaunchArguments &Moved);
  cudaError_t launch(Stream &Compute, const OutOfCoreStep &Step)
      REQUIRES(PlacementLock::Held);
  cudaError_t step(const OutOfCoreStep &Step) REQUIRES(PlacementLock::Held);
  cudaError_t recordBehind(size_t NumSteps, Event &Of);
  std::vector<size_t> stepsBeforeRecords() const;
  cudaError_t steps() REQUIRES(PlacementLock::Held);
  uint64_t bytesOf(const OutOfCoreStep &Step);
  cudaError_t finish(cudaError_t Error) REQUIRES(PlacementLock::Held);

  OutOfCoreExecutor &E;
  Backend &B;
  const OutOfCorePlan &Plan;
  const std::vector<std::shared_ptr<Allocation>> &All;
  const std::vector<std::shared_ptr<Allocation>> &Paged;
  const std::vector<OutOfCoreExecutor::Launch> &Launches;
  const std::vector<OutOfCoreExecutor::Record> &Records;
  EventList Events;
  std::vector<int> Ends; ///< of the steps so far, numbers of Events
  OutOfCoreFrames Frames;
  RunningChunks Running;
  std::vector<DeviceBuffers> Buffers; ///< by device
  std::vector<unsigned> NextLane;     ///< the same
};

/// Makes the device's buffers for packed rows.
cudaError_t OutOfCoreRun::createPackedBuffers(int Device) {
  DeviceBuffers &D = Buffers[Device];
  if (D.Memory)
    return cudaSuccess;
  D.Memory = std::make_unique<PackedBuffers>(B, Device);
  D.Loaded.fill(-1);
  if (cudaError_t Error = Frames.waitForLeaving())
    return Error;
  (void)E.Frames.trim(Device,
                      OutOfCorePlan::NumPackedBuffers * Plan.PackedBufferBytes);
  return D.Memory->create(Plan.PackedBufferBytes);
}

/// Has the step's buffer filled as soon as the last chunks that read it are
/// done.
cudaError_t OutOfCoreRun::loadPacked(const OutOfCoreStep &Step) {
  TraceScope Scope(Activity::StreamIn);
  DeviceBuffers &D = Buffers[Step.Device];
  Stream &In = *E.Streams[Step.Device].In;
  if (cudaError_t Error = Events.wait(In, D.Used[Step.Buffer]))
    return Error;
  D.Used[Step.Buffer].clear();
  for (const PackedRows &R : Step.Packed)
    if (cudaError_t Error = D.Memory->load(
            In, Step.Buffer, R,
            {Paged[R.Allocation]->base(), Paged[R.Allocation]->bytes(),
             Paged[R.Allocation]->Paged->FrameBytes}))
      return Error;
  return Events.record(In, D.Loaded[Step.Buffer]);
}

/// Chunks that take turns with their buffers also do with lanes: their
/// blocks are few for so large a footprint, so that a chunk's last ones would
/// leave much of a device idle. Elsewhere nothing is gained.
unsigned OutOfCoreRun::laneOf(const OutOfCoreStep &Step) {
  if (Step.Packed.empty() || Frames.maps())
    return Step.Lane;
  return NextLane[Step.Device]++ % PackedLanes;
}

/// Does a part of a fill or copy.
cudaError_t OutOfCoreRun::runOperation(Stream &Compute,
                                       const OutOfCoreStep &Step,
                                       const LaunchArguments &Moved) {
  std::array<MemoryOperation::Place, 2> Ends;
  const std::vector<PlacedPointer> &Pointers = Launches[Step.Launch].Pointers;
  for (size_t P = 0; P < Pointers.size(); ++P)
    if (const Allocation *A = Paged[Pointers[P].Allocation].get())
      Ends[P] = {static_cast<uint64_t>(Pointers[P].Offset),
                 A->Paged->FrameBytes};
  return MemoryOperation::run(B, Compute, Moved.kernel(), Moved.get(),
                              {Step.Lo, Step.Count}, Ends[0], Ends[1]);
}

cudaError_t OutOfCoreRun::launch(Stream &Compute, const OutOfCoreStep &Step) {
  const LaunchRequest &R = Launches[Step.Launch].Request;
  const std::vector<PlacedPointer> &Pointers = Launches[Step.Launch].Pointers;
  LaunchArguments Moved(R.kernel(), R.Arguments);
  if (cudaError_t Error = Frames.relocate(Step, Pointers, Moved))
    return Error;
  for (const OutOfCoreReplica &Copy : Plan.Replicas)
    if (Copy.Device == Step.Device)
      Moved.redirect(Pointers, Copy.Allocation,
                     All[Copy.Allocation]->Replicas[Copy.Device]->Base -
                         All[Copy.Allocation]->base());
  if (MemoryOperation::isOne(R.kernel()))
    return runOperation(Compute, Step, Moved);
  if (OpaqueOperation::isOne(R.kernel()))
    return OpaqueOperation::run(Compute, Moved.get());
  if (!Plan.Chunked)
    return B.launch(Compute, R.Target, R.Shape, Moved.get(), nullptr);
  LaunchShape Part = R.Shape;
  Part.Grid = {Step.Count[0], Step.Count[1], Step.Count[2]};
  const GridspanTile Tile = {{Step.Lo[0], Step.Lo[1], Step.Lo[2]},
                             {R.Shape.Grid.x, R.Shape.Grid.y, R.Shape.Grid.z}};
  if (Plan.Packed.empty())
    return B.launch(Compute, R.Target, Part, Moved.get(), &Tile);
  const GridspanKernel &Kernel = R.kernel();
  std::vector<GridspanPacking> Packings;
  for (uint32_t I = 0; I < Kernel.NumPointers; ++I) {
    if (!(Kernel.Pointers[I].Flags & GridspanPackable))
      continue;
    Packings.push_back(noPacking());
    for (const PackedRows &Rows : Step.Packed)
      if (Pointers[I].Allocation == static_cast<int>(Rows.Allocation))
        Packings.back() = Buffers[Step.Device].Memory->packing(
            Step.Buffer, Rows, Paged[Rows.Allocation]->base());
  }
  std::vector<void *> More(Moved.get(), Moved.get() + Kernel.NumParams);
  More.push_back(Packings.data());
  return B.launch(Compute, {Kernel.Packed, Kernel.Packed->HostStub}, Part,
                  More.data(), &Tile);
}

cudaError_t OutOfCoreRun::step(const OutOfCoreStep &Step) {
  const TraceScope Scope(Launches[Step.Launch].Context);
  const unsigned Lane = laneOf(Step);
  Stream &Compute = *E.Streams[Step.Device].Compute[Lane];
  if (Running.countOn(Step.Device) >= Ahead * Plan.Depth)
    if (cudaError_t Error = Running.waitForNext(Step.Device))
      return Error;
  for (const FrameRef &R : Step.Evict)
    if (cudaError_t Error = Frames.evict(R))
      return Error;
  if (!Step.Packed.empty())
    if (cudaError_t Error = createPackedBuffers(Step.Device))
      return Error;
  if (cudaError_t Error = Frames.load(Step.Load, Step.Device))
    return Error;
  if (Step.LoadPacked)
    if (cudaError_t Error = loadPacked(Step))
      return Error;
  // Frames that other steps loaded, perhaps for other devices, are waited for
  // too; most are of few steps.
  std::vector<int> Waits;
  if (!Step.Packed.empty())
    Waits.push_back(Buffers[Step.Device].Loaded[Step.Buffer]);
  Frames.collectLoads(Step, Waits);
  for (uint32_t Before : Step.After)
    Waits.push_back(Ends[Before]);
  if (cudaError_t Error = Events.wait(Compute, Waits))
    return Error;

  if (cudaError_t Error = launch(Compute, Step))
    return Error;
  int Done;
  if (cudaError_t Error = Events.record(Compute, Done))
    return Error;
  Ends.push_back(Done);
  Running.add(Step.Device, Events.at(Done), bytesOf(Step));
  if (!Step.Packed.empty())
    Buffers[Step.Device].Used[Step.Buffer].push_back(Done);
  Frames.usedBy(Step, Lane, Done);
  return Frames.save(Step.Save);
}

/// Records the event on device 0 behind the last of the first steps on each
/// lane of each device.
cudaError_t OutOfCoreRun::recordBehind(size_t NumSteps, Event &Of) {
  Stream &First = *E.Streams.front().Compute.front();
  std::vector<bool> Seen(E.Streams.size() * DeviceLanes::Count);
  for (size_t I = NumSteps; I-- > 0;) {
    const OutOfCoreStep &Step = Plan.Steps[I];
    const size_t Lane = Step.Device * DeviceLanes::Count + Step.Lane;
    if (Seen[Lane])
      continue;
    Seen[Lane] = true;
    if (Lane != 0)
      if (cudaError_t Error = Events.wait(First, Ends[I]))
        return Error;
  }
  return B.record(Of, First);
}

/// Returns the number of steps behind which each event is recorded: ascending,
/// as Records do by After.
std::vector<size_t> OutOfCoreRun::stepsBeforeRecords() const {
  std::vector<size_t> Out(Records.size());
  for (size_t I = 0; I < Plan.Steps.size(); ++I)
    for (size_t R = 0; R < Records.size(); ++R)
      if (Plan.Steps[I].Launch < Records[R].After)
        Out[R] = I + 1;
  return Out;
}

cudaError_t OutOfCoreRun::steps() {
  const std::vector<size_t> Before = stepsBeforeRecords();
  size_t Recorded = 0;
  if (cudaError_t Error = Frames.prepare(Plan))
    return Error;
  if (cudaError_t Error = Frames.save(Plan.SaveFirst))
    return Error;
  for (size_t I = 0; I < Plan.Steps.size(); ++I) {
    if (cudaError_t Error = Frames.waitForPins(I))
      return Error;
    if (cudaError_t Error = step(Plan.Steps[I]))
      return Error;
    for (; Recorded < Records.size() && Before[Recorded] == I + 1; ++Recorded)
      if (cudaError_t Error = recordBehind(I + 1, Records[Recorded].Of))
        return Error;
  }
  return Running.waitForAll();
}

uint64_t OutOfCoreRun::bytesOf(const OutOfCoreStep &Step) {
  uint64_t Bytes = 0;
  for (const FrameLoad &L : Step.Load)
    Bytes += L.Copy ? Frames.bytes(L.Ref) : 0;
  for (const PackedRows &R : Step.Packed)
    Bytes += Step.LoadPacked ? R.Window.Width * R.Window.Rows : 0;
  for (const FrameRef &R : Step.Save)
    Bytes += Frames.bytes(R);
  if (!Plan.Direct.empty())
    if (const BusBytes &B = Plan.Direct[Step.Launch]; B.In || B.Out)
      Bytes += MemoryOperation::bytes(Launches[Step.Launch].Request.Arguments,
                                      {Step.Lo, Step.Count});
  return Bytes;
}

uint64_t OutOfCoreRun::bytesOnHost() const {
  uint64_t Sum = Frames.bytesOnHost();
  for (const DeviceBuffers &D : Buffers)
    if (D.Memory && D.Memory->onHost())
      Sum += OutOfCorePlan::NumPackedBuffers * Plan.PackedBufferBytes;
  return Sum;
}

cudaError_t OutOfCoreRun::finish(cudaError_t Error) {
  const cudaError_t Saving = Frames.finishSaves();
  Error = Error ? Error : Saving;
  for (DeviceLanes &D : E.Streams)
    for (const std::unique_ptr<Stream> *S : D.all()) {
      cudaError_t This = B.synchronize(**S);
      Error = Error ? Error : This;
    }
  Frames.finishPins();
  const cudaError_t Dropping = Frames.dropHostPages();
  Error = Error ? Error : Dropping;
  for (const FrameRef &R : Plan.EvictLast)
    Error = Error ? Error : Frames.evict(R);
  if (Error)
    Frames.giveUp();
  return Error;
}

cudaError_t OutOfCoreRun::run() {
  ProgressScope Shown(E.Line, Plan.BytesIn + Plan.BytesOut);
  cudaError_t Error = cudaSuccess;
  // What was enqueued has to end all the same.
  try {
    Error = steps();
  } catch (const std::bad_alloc &) {
    Error = cudaErrorMemoryAllocation;
  }
  return finish(Error);
}

cudaError_t OutOfCoreExecutor::createStreams(unsigned Devices) {
  while (Streams.size() < Devices) {
    const auto Device = static_cast<int>(Streams.size());
    DeviceLanes New;
    for (std::unique_ptr<Stream> *S : New.all())
      if (cudaError_t Error =
              B.createStream(Device, StreamKind::NonBlocking, 0, *S))
        return Error;
    Streams.push_back(std::move(New));
  }
  return cudaSuccess;
}

/// Returns the number of devices that the plan may touch. To ask more of one
/// that is not open would open it.
unsigned OutOfCoreExecutor::devicesOf(const OutOfCorePlan &Plan) const {
  if (B.isReady())
    return B.system().numDevices();
  // Frames are on devices only that have run steps.
  auto Devices = static_cast<unsigned>(std::max<size_t>(1, Streams.size()));
  for (const OutOfCoreStep &Step : Plan.Steps)
    Devices = std::max(Devices, static_cast<unsigned>(Step.Device) + 1);
  return Devices;
}

OutOfCoreExecutor::Outcome
OutOfCoreExecutor::run(const OutOfCorePlan &Plan, const RingSizes &Rings,
                       const std::vector<std::shared_ptr<Allocation>> &All,
                       const std::vector<std::shared_ptr<Allocation>> &Paged,
                       const std::vector<Launch> &Launches,
                       const std::vector<Record> &Records) {
  // The planner found no way: what did not run is no success.
  if (Plan.Steps.empty())
    return {cudaErrorLaunchOutOfResources};
  if (cudaError_t Error = createStreams(devicesOf(Plan)))
    return {Error};
  OutOfCoreRun Run(*this, Plan, Rings, All, Paged, Launches, Records);
  const cudaError_t Error = Run.run();
  return {Error, Run.bytesOnHost()};
}

} // namespace gridspan
