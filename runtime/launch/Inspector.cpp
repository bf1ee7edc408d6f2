//===- Inspector.cpp - The contents of index arrays -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the present version is right for two reasons. A version is counted
// up after a write has been enqueued. And it is read before the scan of the
// contents is enqueued, which is done only when no other stream holds any work.
// So a table was made behind all writes that its version counts, as a replica
// is (Executor.cpp). A launch that finds the version unchanged reads what was
// scanned; its pointers tell that the launch itself does not write there.
//
// Contents that somebody may write unseen have no version. They are inspected
// only for a launch that has all devices idle and is complete when it returns.
// A host that writes meanwhile what the launch reads has a race of its own.
//
// Results depend on that only where a launch is out of core. Other plans are
// remembered for launches with other contents, and are right for them too; what
// is not (ArgumentOverlap.cpp, TileCopies.cpp) gets no view.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Inspector.h"
#include "runtime/support/HostMemoryOps.h"
#include "runtime/support/UntrackedCode.h"
#include <algorithm>
#include <bit>

namespace gridspan {

/// The most rounds: levels of indices in indices, and questions that arise from
/// answers.
static constexpr unsigned MostRounds = 8;
/// The most times that the number of launches doubles which must have found
/// contents unchanged: it does for each table that was made in vain.
static constexpr unsigned MostDoublings = 6;
/// The number of leaves that the smallest buffer has room for: a page.
static constexpr uint64_t LeastLeaves = 4096 / sizeof(IndexBounds);
/// The number of leaves in a thread's piece.
static constexpr uint64_t LeavesPerPiece = 64;

//===--- Views ----------------------------------------------------------===//

IndexView::IndexView() : GridspanIndices{answer} {}

uint32_t IndexView::answer(const GridspanIndices *Self, const void *Pointer,
                           int64_t Lo, int64_t Last, uint32_t Bytes,
                           int64_t *Min, int64_t *Max) {
  // A view is made for one planner, which evaluates through it.
  auto *View = const_cast<IndexView *>(static_cast<const IndexView *>(Self));
  const std::optional<IndexBounds> Found =
      View->bound(static_cast<const std::byte *>(Pointer), Lo, Last, Bytes);
  if (!Found)
    return 0;
  Min[0] = Found->Min;
  Max[0] = Found->LowMax;
  Min[1] = Found->HighMin;
  Max[1] = Found->Max;
  return 1;
}

void IndexView::miss(Part P) {
  for (Part &Q : Missing)
    if (Q.Allocation == P.Allocation && Q.ElementBytes == P.ElementBytes) {
      Q.Lo = std::min(Q.Lo, P.Lo);
      Q.Hi = std::max(Q.Hi, P.Hi);
      return;
    }
  Missing.push_back(P);
}

std::optional<IndexBounds> IndexView::bound(const std::byte *Pointer,
                                            int64_t Lo, int64_t Last,
                                            unsigned ElementBytes) {
  unsigned A = 0;
  while (A < Sources.size() &&
         !(Sources[A].Base && Pointer >= Sources[A].Base &&
           Pointer < Sources[A].Base + Sources[A].Bytes))
    ++A;
  if (A == Sources.size()) {
    WhyNot = LaunchReason::IndexNotOurs;
    return std::nullopt;
  }
  Source &S = Sources[A];
  if (S.WhyNot != LaunchReason::None) {
    WhyNot = S.WhyNot;
    return std::nullopt;
  }
  // Nothing outside of the allocation is read.
  using Wide = __int128;
  const Wide Offset = Pointer - S.Base;
  const Wide End = S.Bytes - S.Bytes % ElementBytes;
  const Wide From = std::max<Wide>(Offset + Lo, 0);
  const Wide To = std::min<Wide>(Offset + Last + ElementBytes, End);
  if (From >= To || From % ElementBytes != 0)
    return std::nullopt;
  const Part P = {A, ElementBytes, static_cast<uint64_t>(From),
                  static_cast<uint64_t>(To)};
  for (const std::shared_ptr<const IndexTable> &T : S.Tables) {
    if (T->elementBytes() != ElementBytes || P.Lo < T->lo() || P.Hi > T->hi())
      continue;
    if (std::find(Used.begin(), Used.end(), A) == Used.end())
      Used.push_back(A);
    return T->bound(P.Lo, P.Hi - ElementBytes);
  }
  miss(P);
  return std::nullopt;
}

void IndexView::note(KernelCounters &Counters) const {
  if (!Used.empty())
    Counters.Inspected = true;
  if (WhyNot != LaunchReason::None)
    Counters.WhyNotInspected = WhyNot;
}

void Inspector::look(
    PlanInput &In,
    const std::vector<std::shared_ptr<Allocation>> &Allocations) {
  // Where some device does not reach all memory, results depend on the ranges
  // of decisions that are remembered.
  if (!(In.Kernel->Flags & GridspanInspectable) || !B.system().allReachAll())
    return;
  const GridspanKernel &Kernel = *In.Kernel;
  const bool SeesAllWrites = !mayTouchUnseen();
  auto View = std::make_shared<IndexView>();
  MutexLock Guard(Lock);
  collect();
  for (unsigned I = 0; I < Allocations.size(); ++I) {
    IndexView::Source &S = View->Sources.emplace_back();
    Allocation *A = Allocations[I].get();
    if (!A)
      continue;
    S.Base = A->base();
    S.Bytes = A->bytes();
    S.Version = versionOf(*A);
    if (Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed))
      S.WhyNot = LaunchReason::IndexWritten;
    for (uint32_t P = 0; P < Kernel.NumPointers; ++P)
      if (In.Pointers[P].Allocation == static_cast<int>(I) &&
          (Kernel.Pointers[P].Modes & (GridspanWrite | GridspanAtomic)))
        S.WhyNot = LaunchReason::IndexWritten;
    if (S.WhyNot != LaunchReason::None || !A->Inspected || !SeesAllWrites ||
        !In.Allocations[I].Tracked)
      continue;
    for (InspectedContents::Entry &E : A->Inspected->Entries)
      if (E.Version == S.Version) {
        S.Tables.push_back(E.Table);
        E.Used = true;
        A->Inspected->Wasted = 0;
      }
  }
  In.Indices = std::move(View);
  In.Box.Indices = In.Indices.get();
}

//===--- Behind a launch ------------------------------------------------===//

Inspector::~Inspector() {
  for (Making &M : InProgress) {
    B.synchronize(*M.Done);
    Buffers.push_back(M.Bounds);
  }
  for (const Buffer &Unused : Buffers)
    B.hostFree(Unused.At);
}

/// Returns true if no other stream holds work. It may write what is inspected,
/// and is not waited for: then a later launch will do.
bool Inspector::othersAreIdle(const ProgramStream &S) {
  const std::vector<std::shared_ptr<ProgramStream>> All = Streams.all();
  // First: a question to one stream may disturb the capture of another.
  for (const std::shared_ptr<ProgramStream> &Other : All)
    if (B.isCapturing(Other->main()))
      return false;
  for (const std::shared_ptr<ProgramStream> &Other : All)
    if (Other.get() != &S && B.query(Other->main()) != cudaSuccess)
      return false;
  return true;
}

/// Returns a buffer for as many leaves at least; an empty one if there is no
/// memory. Pinning takes time by the page, so small tables have small buffers,
/// in powers of two so that tables of about one size share them.
Inspector::Buffer Inspector::takeBuffer(uint64_t Leaves) {
  Leaves = std::max(std::bit_ceil(Leaves), LeastLeaves);
  const auto Fits =
      std::find_if(Buffers.begin(), Buffers.end(), [&](const Buffer &Unused) {
        return Unused.Leaves == Leaves;
      });
  if (Fits != Buffers.end()) {
    const Buffer Out = *Fits;
    Buffers.erase(Fits);
    return Out;
  }
  void *Out = nullptr;
  if (B.hostAlloc(Leaves * sizeof(IndexBounds), 0, Out))
    return {};
  return {static_cast<IndexBounds *>(Out), Leaves};
}

/// Takes up the tables that devices have finished.
void Inspector::collect() {
  for (size_t I = 0; I < InProgress.size();) {
    Making &M = InProgress[I];
    const cudaError_t State = B.query(*M.Done);
    if (State == cudaErrorNotReady) {
      ++I;
      continue;
    }
    if (const std::shared_ptr<Allocation> A = M.Of.lock(); A && !State) {
      M.Table->fill(M.Bounds.At);
      keep(*A, M.Version, std::move(M.Table));
    }
    Buffers.push_back(M.Bounds);
    InProgress.erase(InProgress.begin() + static_cast<ptrdiff_t>(I));
  }
}

void Inspector::keep(Allocation &A, uint64_t Version,
                     std::shared_ptr<const IndexTable> Table) {
  if (!A.Inspected)
    A.Inspected = std::make_shared<InspectedContents>();
  InspectedContents &C = *A.Inspected;
  for (size_t I = 0; I < C.Entries.size();) {
    const InspectedContents::Entry &Old = C.Entries[I];
    if (Old.Version == Version &&
        Old.Table->elementBytes() != Table->elementBytes()) {
      ++I;
      continue;
    }
    C.Wasted += Old.Version != Version && !Old.Used;
    C.Entries.erase(C.Entries.begin() + static_cast<ptrdiff_t>(I));
  }
  C.Entries.push_back({Version, std::move(Table)});
}

/// How much coarser a table of all may be than one of a part.
static constexpr uint64_t MostCoarser = 64;

/// Returns all of an allocation of which other parts have a table already, if
/// bounds are not much coarser then: launches that each read another part would
/// replace it again and again.
static IndexView::Part widen(IndexView::Part P, const Allocation &A,
                             uint64_t Version) {
  if (A.Inspected &&
      std::ranges::any_of(A.Inspected->Entries,
                          [&](const InspectedContents::Entry &E) {
                            return E.Version == Version &&
                                   E.Table->elementBytes() == P.ElementBytes;
                          })) {
    const uint64_t Bytes = A.bytes() - A.bytes() % P.ElementBytes;
    if (IndexTable(0, Bytes, P.ElementBytes).perLeaf() <=
        MostCoarser * IndexTable(P.Lo, P.Hi, P.ElementBytes).perLeaf()) {
      P.Lo = 0;
      P.Hi = Bytes;
    }
  }
  return P;
}

void Inspector::inspectBehind(
    const PlanInput &In,
    const std::vector<std::shared_ptr<Allocation>> &Allocations,
    ProgramStream &S) {
  if (!In.Indices || mayTouchUnseen())
    return;
  for (const IndexView::Part &P : In.Indices->missing()) {
    const std::shared_ptr<Allocation> &A = Allocations[P.Allocation];
    const PlacedAllocation &Placed = In.Allocations[P.Allocation];
    if (!Placed.Tracked || Placed.Paged)
      continue;
    MutexLock Guard(Lock);
    const unsigned Wasted = A->Inspected ? A->Inspected->Wasted : 0;
    if (Placed.Unchanged < uint64_t(1) << std::min(Wasted, MostDoublings))
      continue;
    const uint64_t Version = versionOf(*A);
    if (std::any_of(InProgress.begin(), InProgress.end(),
                    [&](const Making &M) { return M.Of.lock() == A; }) ||
        Version != In.Indices->Sources[P.Allocation].Version ||
        !othersAreIdle(S))
      continue;
    Making M;
    M.Of = A;
    M.Version = Version;
    const IndexView::Part Made = widen(P, *A, Version);
    M.Table = std::make_shared<IndexTable>(Made.Lo, Made.Hi, P.ElementBytes);
    if (B.createEvent(0, cudaEventDisableTiming, M.Done))
      return;
    M.Bounds = takeBuffer(M.Table->leaves());
    if (!M.Bounds.At)
      return;
    MutexLock Order(S.lock());
    ++NumInspections;
    if (B.indexBounds(S.main(), A->base() + Made.Lo, M.Table->elements(),
                      P.ElementBytes, M.Table->perLeaf(), M.Bounds.At)) {
      Buffers.push_back(M.Bounds);
      return;
    }
    ProgramStream::operated(ProgramStream::Work::EndsByItself);
    // Else the buffer is lost: it is not known when it has been written.
    if (B.record(*M.Done, S.main()))
      return;
    InProgress.push_back(std::move(M));
  }
}

//===--- At once --------------------------------------------------------===//

std::shared_ptr<const IndexTable>
Inspector::scanNow(Allocation &A, const IndexView::Part &P, Stream &S) {
  auto Table = std::make_shared<IndexTable>(P.Lo, P.Hi, P.ElementBytes);
  if (!A.Paged) {
    const Buffer Bounds = takeBuffer(Table->leaves());
    if (!Bounds.At)
      return nullptr;
    cudaError_t Error =
        B.indexBounds(S, A.base() + P.Lo, Table->elements(), P.ElementBytes,
                      Table->perLeaf(), Bounds.At);
    const cudaError_t Done = B.synchronize(S);
    if (!Error && !Done)
      Table->fill(Bounds.At);
    Buffers.push_back(Bounds);
    return Error || Done ? nullptr : Table;
  }
  if (Memory.pager().hostAccess(A, P.Lo, P.Hi, false))
    return nullptr;
  std::vector<IndexBounds> Bounds(Table->leaves());
  const uint64_t Piece = LeavesPerPiece * Table->perLeaf();
  inParallel(
      (Table->elements() + Piece - 1) / Piece, P.Hi - P.Lo, [&](size_t I) {
        const uint64_t First = I * Piece;
        scanIndices(A.base() + P.Lo + First * P.ElementBytes,
                    std::min(Piece, Table->elements() - First), P.ElementBytes,
                    Table->perLeaf(), &Bounds[I * LeavesPerPiece]);
      });
  Table->fill(Bounds.data());
  return Table;
}

void Inspector::inspectNow(
    PlanInput &In, const std::vector<std::shared_ptr<Allocation>> &Allocations,
    Stream &S) {
  if (!In.Indices || In.Kernel->NumAccesses == 0)
    return;
  std::vector<GridspanRange> Ranges(In.Kernel->NumAccesses);
  MutexLock Guard(Lock);
  for (unsigned Round = 0; Round < MostRounds; ++Round) {
    In.Indices->forgetMissing();
    In.Kernel->Ranges(&In.Box, Ranges.data());
    if (In.Indices->missing().empty())
      return;
    for (const IndexView::Part &P : In.Indices->missing()) {
      std::shared_ptr<const IndexTable> Table =
          scanNow(*Allocations[P.Allocation], P, S);
      if (!Table)
        return;
      IndexView::Source &Source = In.Indices->Sources[P.Allocation];
      if (In.Allocations[P.Allocation].Tracked)
        keep(*Allocations[P.Allocation], Source.Version, Table);
      Source.Tables.push_back(std::move(Table));
    }
  }
}

} // namespace gridspan
