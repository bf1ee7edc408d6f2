//===- PageableCopy.cpp - Pageable copies by several threads --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It cannot deadlock: lanes are borrowed in the order of their devices. Whoever
// holds some waits only for copies between pinned buffers and devices, which
// wait for nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/PageableCopy.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/NonTemporalCopy.h"
#include "runtime/support/ParallelFor.h"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace gridspan {

// Measured on H200s with 1, 2 and 4 links (bench/results).
static constexpr size_t LeastChunk = size_t(1) << 20;
static constexpr size_t SourceRing = size_t(64) << 20;
static constexpr size_t DestinationRing = size_t(128) << 20;
/// In the time that a lane's buffers take to be pinned, a lane copies four
/// times as much as they hold.
static constexpr size_t CopiesPerBuffer = 8;

std::vector<CopyRect> divideRect(const CopyRect &Part, size_t Bytes) {
  std::vector<CopyRect> Out;
  if (Part.Width == 0)
    return Out;
  const size_t Columns = std::min(Part.Width, Bytes);
  const size_t Rows = Columns < Part.Width ? 1 : Bytes / Part.Width;
  for (size_t Row = 0; Row < Part.Height; Row += Rows)
    for (size_t Column = 0; Column < Part.Width; Column += Columns) {
      CopyRect P = Part;
      P.Dst += Row * Part.DstPitch + Column;
      P.Src += Row * Part.SrcPitch + Column;
      P.Width = std::min(Columns, Part.Width - Column);
      P.Height = std::min(Rows, Part.Height - Row);
      Out.push_back(P);
    }
  return Out;
}

/// The way rows are written: a buffer is read by the bus at once, from the
/// cache where it is there; the program's memory is not.
enum class Stores { Cached, Streaming };

/// Shorter rows are not worth the fence.
static constexpr size_t StreamedRow = 4096;

static void copyRows(Stores How, std::byte *Dst, size_t DstPitch,
                     const std::byte *Src, size_t SrcPitch, size_t Width,
                     size_t Height) {
  for (size_t Row = 0; Row < Height; ++Row)
    if (How == Stores::Streaming && Width >= StreamedRow)
      nonTemporalCopy(Dst + Row * DstPitch, Src + Row * SrcPitch, Width);
    else
      std::memcpy(Dst + Row * DstPitch, Src + Row * SrcPitch, Width);
}

//===--- Lanes ----------------------------------------------------------===//

class PageableCopy::Lane {
public:
  explicit Lane(Backend &B) : B(B) {}
  ~Lane() {
    Queue.reset(); // waits for copies that use the buffers
    if (Memory)
      (void)B.hostFree(Memory);
  }
  Lane(const Lane &) = delete;
  Lane &operator=(const Lane &) = delete;

  cudaError_t create(int Device, size_t BufferBytes) {
    if (cudaError_t Error = B.hostAlloc(NumBuffers * BufferBytes,
                                        cudaHostAllocPortable, Memory))
      return Error;
    if (cudaError_t Error =
            B.createStream(Device, StreamKind::NonBlocking, 0, Queue))
      return Error;
    for (unsigned I = 0; I < NumBuffers; ++I) {
      Buffers[I].Memory = static_cast<std::byte *>(Memory) + I * BufferBytes;
      if (cudaError_t Error =
              B.createEvent(Device, cudaEventDisableTiming, Buffers[I].Done))
        return Error;
    }
    return cudaSuccess;
  }

  /// Leaves the copy of a chunk to the bus; Pageable is where else its bytes
  /// are.
  cudaError_t start(const CopyRect &Chunk, PageableEnd Pageable) {
    Buffer &S = Buffers[Next++ % NumBuffers];
    if (cudaError_t Error = finish(S))
      return Error;
    if (Pageable == PageableEnd::Source)
      copyRows(Stores::Cached, S.Memory, Chunk.Width, Chunk.Src, Chunk.SrcPitch,
               Chunk.Width, Chunk.Height);
    cudaError_t Error =
        Pageable == PageableEnd::Source
            ? move(Chunk, Chunk.Dst, Chunk.DstPitch, S.Memory, Chunk.Width)
            : move(Chunk, S.Memory, Chunk.Width, Chunk.Src, Chunk.SrcPitch);
    if (!Error)
      Error = B.record(*S.Done, *Queue);
    if (!Error && Pageable == PageableEnd::Destination)
      S.Arriving = Chunk;
    return Error;
  }

  /// Waits for all chunks that are to arrive in pageable memory.
  cudaError_t finishArriving() {
    for (unsigned I = 0; I < NumBuffers; ++I)
      if (Buffer &S = Buffers[(Next + I) % NumBuffers]; S.Arriving.Height != 0)
        if (cudaError_t Error = finish(S))
          return Error;
    return cudaSuccess;
  }

  /// Waits for the lane's stream after a failure. Nothing uses the buffers or
  /// the chunks any more.
  void abandon() {
    (void)B.synchronize(*Queue);
    for (Buffer &S : Buffers)
      S.Arriving.Height = 0;
  }

  /// Later work in S waits for all that the lane holds.
  cudaError_t precede(Stream &S) {
    // The buffer that was started last is behind the others.
    return Next ? B.wait(S, *Buffers[(Next - 1) % NumBuffers].Done)
                : cudaSuccess;
  }

private:
  static constexpr unsigned NumBuffers = 2;
  struct Buffer {
    std::byte *Memory = nullptr;
    std::unique_ptr<Event> Done;
    /// The copy that the buffer's bytes are for; of no rows: nothing.
    CopyRect Arriving = {};
  };

  cudaError_t finish(Buffer &S) {
    if (cudaError_t Error = B.synchronize(*S.Done))
      return Error;
    const CopyRect &To = S.Arriving;
    copyRows(Stores::Streaming, To.Dst, To.DstPitch, S.Memory, To.Width,
             To.Width, To.Height);
    S.Arriving.Height = 0;
    return cudaSuccess;
  }

  cudaError_t move(const CopyRect &Chunk, void *Dst, size_t DstPitch,
                   const void *Src, size_t SrcPitch) {
    return Chunk.Height == 1 ? B.copy(*Queue, Dst, Src, Chunk.Width)
                             : B.copy2D(*Queue, Dst, DstPitch, Src, SrcPitch,
                                        Chunk.Width, Chunk.Height);
  }

  Backend &B;
  void *Memory = nullptr;
  std::unique_ptr<Stream> Queue;
  Buffer Buffers[NumBuffers];
  unsigned Next = 0;
};

PageableCopy::PageableCopy(Backend &Devices, const Options &O)
    : B(Devices), Settings(O), Pools(B.system().numDevices()) {}

PageableCopy::~PageableCopy() = default;

std::unique_ptr<PageableCopy::Lane> PageableCopy::createLane(int Device) {
  auto L = std::make_unique<Lane>(B);
  return L->create(Device, Settings.BufferBytes) ? nullptr : std::move(L);
}

/// Returns how many lanes of a device have paid, or will with this copy, for
/// what it takes to pin their buffers.
size_t PageableCopy::lanesWorthIt() const {
  const size_t Bytes = Copied.load(std::memory_order_relaxed);
  return std::clamp<size_t>(Bytes / (CopiesPerBuffer * Settings.BufferBytes), 1,
                            Settings.ThreadsPerDevice);
}

/// Borrows at most Wanted lanes and at least one; none if none can be made.
/// Waits while other copies have all.
std::vector<std::unique_ptr<PageableCopy::Lane>>
PageableCopy::borrow(int Device, size_t Wanted) {
  std::vector<std::unique_ptr<Lane>> Out;
  MutexLock Guard(Lock);
  Pool &P = Pools[Device];
  while (true) {
    while (Out.size() < Wanted && !P.Idle.empty()) {
      Out.push_back(std::move(P.Idle.back()));
      P.Idle.pop_back();
    }
    while (Out.size() < Wanted && P.Made < lanesWorthIt()) {
      std::unique_ptr<Lane> New = createLane(Device);
      if (!New)
        break;
      ++P.Made;
      Out.push_back(std::move(New));
    }
    if (!Out.empty() || P.Made == 0)
      return Out;
    Guard.wait(Returned);
  }
}

void PageableCopy::giveBack(int Device,
                            std::vector<std::unique_ptr<Lane>> Lanes) {
  {
    MutexLock Guard(Lock);
    for (std::unique_ptr<Lane> &L : Lanes)
      Pools[Device].Idle.push_back(std::move(L));
  }
  Returned.notify_all();
}

//===--- Copying --------------------------------------------------------===//

/// The copies from or to one location, and by whom.
struct PageableCopy::Group {
  Location Where = Host;
  size_t Workers = 0;
  std::vector<CopyRect> Chunks;
  /// One for each worker; none on the host.
  std::vector<std::unique_ptr<Lane>> Lanes;
  std::unique_ptr<std::atomic<size_t>> Next =
      std::make_unique<std::atomic<size_t>>(0);
};

static size_t bytesOf(const std::vector<CopyRect> &Parts) {
  size_t Sum = 0;
  for (const CopyRect &Part : Parts)
    Sum += Part.Width * Part.Height;
  return Sum;
}

/// Returns how much of a buffer is used. Small copies are divided so that every
/// thread has something to overlap, but not below what a call is worth. The
/// buffers of many threads together should stay in the last cache: the bus then
/// reads from it what the threads have just written, and the other way round.
size_t PageableCopy::chunkBytes(const std::vector<CopyRect> &Parts,
                                PageableEnd Pageable) const {
  const size_t Buffers = 2 * size_t(std::max(1U, Settings.Threads));
  const size_t Ring =
      Pageable == PageableEnd::Source ? SourceRing : DestinationRing;
  const size_t Most =
      std::min(Settings.BufferBytes, std::max(Ring / Buffers, 2 * LeastChunk));
  const size_t Least = std::min(Most, LeastChunk);
  const size_t Share = bytesOf(Parts) / Buffers;
  return std::clamp((Share + LeastChunk - 1) / LeastChunk * LeastChunk, Least,
                    Most);
}

std::vector<PageableCopy::Group>
PageableCopy::plan(const std::vector<CopyRect> &Parts,
                   PageableEnd Pageable) const {
  std::vector<Group> Out;
  const size_t Chunk = chunkBytes(Parts, Pageable);
  // Devices that are not open leave their part to the first.
  const bool IsReady = B.isReady();
  auto By = [&](Location Where) {
    return IsReady ? Where : std::min(Where, 0);
  };
  // In the order of the devices; the host, which is -1, is first.
  const auto Devices = static_cast<int>(B.system().numDevices());
  for (int Where = Host; Where != Devices; ++Where) {
    Group G;
    G.Where = Where;
    for (const CopyRect &Part : Parts)
      if (By(Part.Where) == Where)
        std::ranges::copy(divideRect(Part, Chunk),
                          std::back_inserter(G.Chunks));
    if (!G.Chunks.empty())
      Out.push_back(std::move(G));
  }
  for (Group &G : Out) {
    const size_t Share = std::max<size_t>(1, Settings.Threads / Out.size());
    G.Workers =
        std::min({Share, G.Chunks.size(), size_t(Settings.ThreadsPerDevice)});
  }
  return Out;
}

bool PageableCopy::borrowAll(std::vector<Group> &Groups) {
  for (Group &G : Groups) {
    if (G.Where == Host)
      continue;
    G.Lanes = borrow(G.Where, G.Workers);
    G.Workers = G.Lanes.size();
    if (G.Lanes.empty())
      return false;
  }
  return true;
}

/// Takes chunks of the group until there are no more, or some worker failed.
void PageableCopy::work(Backend &B, Group &G, size_t Worker,
                        PageableEnd Pageable,
                        std::atomic<cudaError_t> &Failure) {
  cudaError_t Error = cudaSuccess;
  Lane *L = G.Lanes.empty() ? nullptr : G.Lanes[Worker].get();
  try {
    while (!Error && !Failure) {
      const size_t I = G.Next->fetch_add(1, std::memory_order_relaxed);
      if (I >= G.Chunks.size())
        break;
      const CopyRect &C = G.Chunks[I];
      if (L)
        Error = L->start(C, Pageable);
      else
        copyRows(Stores::Streaming, C.Dst, C.DstPitch, C.Src, C.SrcPitch,
                 C.Width, C.Height);
    }
    if (L && !Error && !Failure)
      Error = L->finishArriving();
  } catch (...) {
    Error = cudaErrorMemoryAllocation;
  }
  cudaError_t None = cudaSuccess;
  if (Error)
    Failure.compare_exchange_strong(None, Error);
  if (L && Failure)
    L->abandon();
}

void PageableCopy::workTogether(std::vector<Group> &Groups,
                                PageableEnd Pageable,
                                std::atomic<cudaError_t> &Failure) {
  std::vector<std::pair<Group *, size_t>> Workers;
  for (Group &G : Groups)
    for (size_t W = 0; W < G.Workers; ++W)
      Workers.emplace_back(&G, W);
  const TraceContext Context = TraceContext::current();
  parallelFor(Workers.size(), [&, this](size_t I) {
    TraceScope Scope(Context);
    work(B, *Workers[I].first, Workers[I].second, Pageable, Failure);
  });
}

std::optional<cudaError_t>
PageableCopy::copy(const std::vector<CopyRect> &Parts, PageableEnd Pageable,
                   Stream &S) {
  Copied.fetch_add(bytesOf(Parts), std::memory_order_relaxed);
  std::vector<Group> Groups = plan(Parts, Pageable);
  std::atomic<cudaError_t> Failure{cudaSuccess};
  const bool Enough = borrowAll(Groups);
  if (Enough)
    workTogether(Groups, Pageable, Failure);
  for (Group &G : Groups) {
    for (const std::unique_ptr<Lane> &L : G.Lanes)
      if (Enough && Pageable == PageableEnd::Source)
        if (cudaError_t Waiting = L->precede(S)) {
          // Without the wait S would not be behind it.
          L->abandon();
          cudaError_t None = cudaSuccess;
          Failure.compare_exchange_strong(None, Waiting);
        }
    if (G.Where != Host)
      giveBack(G.Where, std::move(G.Lanes));
  }
  return Enough ? std::optional(Failure.load()) : std::nullopt;
}

} // namespace gridspan
