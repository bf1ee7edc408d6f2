//===- PagedWriter.cpp - Copies from the host to paged memory -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work is divided into pieces, of which threads take the next. From
// pageable memory, pieces of early frames are first, and whoever finishes a
// frame enqueues its copy to the device. From pinned memory they are last, in
// descending order: devices bring frames and send them on in ascending order
// meanwhile, and where the two meet all is done.
//
// A device that refuses something is no reason to fail: its frames are
// forgotten and threads copy what it did not.
//
//===----------------------------------------------------------------------===//

#include "runtime/copy/PagedWriter.h"
#include "runtime/backend/Registry.h"
#include "runtime/report/Tracing.h"
#include "runtime/support/HostMemoryOps.h"
#include "runtime/support/NonTemporalCopy.h"
#include <algorithm>

namespace gridspan {

static constexpr uint64_t PieceBytes = uint64_t(4) << 20;
/// Write-backs that a device is given ahead of the one that runs.
static constexpr size_t Ahead = 2;

/// One copy.
class PagedWrite {
public:
  PagedWrite(PagedWriter &W, Allocation &A, uint64_t At, const std::byte *Src,
             uint64_t Bytes, const std::vector<EarlyFrame> &Early,
             unsigned Devices)
      : W(W), B(W.B), A(A), At(At), Src(Src), End(At + Bytes),
        Pinned(B.isPinned(Src, Bytes)), Early(Early), States(Early.size()),
        Devices(Devices) {}

  void run() REQUIRES_SHARED(PlacementLock::Held);

private:
  enum Owner : int { Nobody, Device, Threads };
  struct State {
    std::atomic<int> By{Nobody};
    std::atomic<size_t> PiecesLeft{0};
    std::unique_ptr<Event> Loaded, Saved;
  };
  struct Piece {
    uint64_t Lo, Hi;
    int Early; ///< index; -1: of no early frame
  };

  const PagedMemory::Frame &frame(size_t I) const {
    return A.Paged->Frames[Early[I].Frame];
  }
  void addPieces(uint64_t Lo, uint64_t Hi, int Early);
  void makePieces();
  void copyPiece(const Piece &P);
  cudaError_t load(size_t I, const std::byte *From);
  cudaError_t writeBack(size_t I);
  void serveDevices();
  void finish() REQUIRES_SHARED(PlacementLock::Held);

  PagedWriter &W;
  Backend &B;
  Allocation &A;
  const uint64_t At;
  const std::byte *const Src;
  const uint64_t End;
  const bool Pinned;
  const std::vector<EarlyFrame> &Early;
  std::vector<State> States;
  const unsigned Devices; ///< that frames come to
  std::vector<Piece> Pieces;
  std::atomic<bool> Failed{false};
};

void PagedWrite::addPieces(uint64_t Lo, uint64_t Hi, int Of) {
  for (; Lo < Hi; Lo += PieceBytes) {
    Pieces.push_back({Lo, std::min(Hi, Lo + PieceBytes), Of});
    if (Of >= 0)
      ++States[Of].PiecesLeft;
  }
}

void PagedWrite::makePieces() {
  auto AddEarly = [&] {
    for (size_t I = 0; I < Early.size(); ++I) {
      const size_t E = Pinned ? Early.size() - 1 - I : I;
      addPieces(frame(E).Lo, frame(E).Lo + frame(E).Bytes, static_cast<int>(E));
    }
  };
  if (!Pinned)
    AddEarly();
  std::vector<uint32_t> Skipped;
  for (const EarlyFrame &E : Early)
    Skipped.push_back(E.Frame);
  std::sort(Skipped.begin(), Skipped.end());
  uint64_t Lo = At;
  for (uint32_t F : Skipped) {
    const PagedMemory::Frame &Frame = A.Paged->Frames[F];
    addPieces(Lo, Frame.Lo, -1);
    Lo = Frame.Lo + Frame.Bytes;
  }
  addPieces(Lo, End, -1);
  if (Pinned)
    AddEarly();
}

/// Copies an early frame to its device, out of memory that is pinned.
cudaError_t PagedWrite::load(size_t I, const std::byte *From) {
  TraceScope Scope(Activity::StreamIn);
  Stream &In = *W.Streams[Early[I].Device].In;
  return B.copy(In, Pager::address(A, Early[I].Frame), From, frame(I).Bytes);
}

cudaError_t PagedWrite::writeBack(size_t I) {
  TraceScope Scope(Activity::WriteBack);
  Stream &Out = *W.Streams[Early[I].Device].Out;
  State &S = States[I];
  if (cudaError_t Error = B.wait(Out, *S.Loaded))
    return Error;
  if (cudaError_t Error =
          B.copy(Out, A.base() + frame(I).Lo, Pager::address(A, Early[I].Frame),
                 frame(I).Bytes))
    return Error;
  if (cudaError_t Error =
          B.createEvent(Early[I].Device, cudaEventDisableTiming, S.Saved))
    return Error;
  return B.record(*S.Saved, Out);
}

/// Has devices bring all early frames, and write back those that no thread has
/// come to.
void PagedWrite::serveDevices() {
  cudaError_t Error = cudaSuccess;
  for (size_t I = 0; I < Early.size() && !Error; ++I) {
    State &S = States[I];
    Error = load(I, Src + (frame(I).Lo - At));
    if (!Error)
      Error = B.createEvent(Early[I].Device, cudaEventDisableTiming, S.Loaded);
    if (!Error)
      Error = B.record(*S.Loaded, *W.Streams[Early[I].Device].In);
  }
  const size_t Behind = Ahead * Devices;
  for (size_t I = 0; I < Early.size() && !Error; ++I) {
    if (I >= Behind)
      Error = B.synchronize(*States[I - Behind].Saved);
    int Free = Nobody;
    if (Error || !States[I].By.compare_exchange_strong(Free, Device))
      break;
    Error = writeBack(I);
  }
  if (Error)
    Failed = true;
}

void PagedWrite::copyPiece(const Piece &P) {
  if (P.Early >= 0) {
    int Free = Nobody;
    if (!States[P.Early].By.compare_exchange_strong(Free, Threads) &&
        Free == Device)
      return;
  }
  nonTemporalCopy(A.base() + P.Lo, Src + (P.Lo - At), P.Hi - P.Lo);
  if (P.Early < 0 || Pinned || --States[P.Early].PiecesLeft > 0)
    return;
  if (load(P.Early, A.base() + frame(P.Early).Lo))
    Failed = true;
}

void PagedWrite::finish() {
  for (unsigned D = 0; D != Devices; ++D)
    for (Stream *S : {W.Streams[D].In.get(), W.Streams[D].Out.get()})
      if (B.synchronize(*S))
        Failed = true;
  if (!Failed)
    return;
  for (size_t I = 0; I < Early.size(); ++I) {
    (void)W.Frames.toHost(A, Early[I].Frame);
    if (States[I].By == Device)
      copyHostBytes(A.base() + frame(I).Lo, Src + (frame(I).Lo - At),
                    frame(I).Bytes);
  }
}

void PagedWrite::run() {
  makePieces();
  const TraceContext Context = TraceContext::current();
  const size_t Servers = Pinned ? 1 : 0;
  inParallel(Servers + Pieces.size(), End - At, [&](size_t I) {
    TraceScope Scope(Context);
    if (I < Servers)
      serveDevices();
    else
      copyPiece(Pieces[I - Servers]);
  });
  finish();
}

/// Makes the streams of the first Count devices.
bool PagedWriter::createStreams(unsigned Count) {
  MutexLock Guard(Lock);
  while (Streams.size() < Count) {
    const auto Device = static_cast<int>(Streams.size());
    DeviceStreams New;
    for (std::unique_ptr<Stream> *S : {&New.In, &New.Out})
      if (B.createStream(Device, StreamKind::NonBlocking, 0, *S))
        return false;
    Streams.push_back(std::move(New));
  }
  return true;
}

cudaError_t PagedWriter::write(Allocation &A, uint64_t At, const std::byte *Src,
                               uint64_t Bytes) {
  // The frames stay until they are filled.
  ReaderLock Visit(A.Paged->Visitors);
  std::vector<EarlyFrame> Early;
  const unsigned Open = B.isReady() ? Devices : 1;
  if (Registry::get().anySplittable() && createStreams(Open))
    Early = Frames.admit(A, At, At + Bytes, Open);
  if (Early.empty())
    copyHostBytes(A.base() + At, Src, Bytes);
  else
    PagedWrite(*this, A, At, Src, Bytes, Early, Open).run();
  return cudaSuccess;
}

} // namespace gridspan
