//===- OwnedBytes.cpp - What devices keep of what they wrote --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes are brought home by a stream of their own, the carrier. It waits for
// nothing but the launches that wrote them (Replica::Ready). These waited for
// what streams held then, none of which may wait for the program, or else they
// would not have left their bytes away; and a launch that is enqueued when some
// may has all that is away brought home before it uses the replica. So every
// copy of the carrier comes to an end, whatever the stream holds that asks for
// it, and no stream of the program waits for another one for ever.
//
// The copy is behind all that its bytes at home were for: what was ordered
// before the launch that wrote them is before Ready, and what is ordered behind
// it has asked for them. What is ordered neither way with that launch does not
// touch these bytes, and no others are copied.
//
// Another order of all of an allocation is brought home in the same way: Ready
// is recorded behind each launch that uses it, and each waits for it.
//
// The state of the directory is that behind all copies which were enqueued.
// Whoever relies on it waits for them: by Replica::Ready for a replica, by
// Allocation::HomeReady for the home.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory/OwnedBytes.h"
#include "runtime/backend/Backend.h"
#include "runtime/backend/RecordForm.h"
#include "runtime/backend/Registry.h"
#include "runtime/report/Tracing.h"
#include <boost/container/static_vector.hpp>

namespace gridspan {

OwnedBytes::~OwnedBytes() = default;

void OwnedBytes::noteAway(Allocation &A) {
  if (!A.IsAway.exchange(true))
    NumAway.fetch_add(1, std::memory_order_relaxed);
}

/// Nothing of A is away, or on its way home.
void OwnedBytes::noteHome(Allocation &A) {
  if (A.IsAway.exchange(false))
    NumAway.fetch_sub(1, std::memory_order_relaxed);
}

void OwnedBytes::forget(Allocation &A) {
  // The carrier is in no order with the stream in which A was freed.
  if (A.HomeReady && B.query(*A.HomeReady) != cudaSuccess)
    (void)B.synchronize(*A.HomeReady);
  A.Copies = {};
  if (A.Formed)
    A.Formed->IsOwner = false;
  A.HomeReady.reset();
  noteHome(A);
}

cudaError_t OwnedBytes::awaitHome(Allocation &A, Stream &S) {
  return A.HomeReady ? B.wait(S, *A.HomeReady) : cudaSuccess;
}

cudaError_t OwnedBytes::noteGiven(Allocation &A, Stream &S) {
  if (!A.HomeReady)
    if (cudaError_t Error =
            B.createEvent(0, cudaEventDisableTiming, A.HomeReady))
      return Error;
  noteAway(A);
  return B.record(*A.HomeReady, S);
}

cudaError_t OwnedBytes::copyRows(Stream &S, std::byte *To,
                                 const std::byte *From, const ByteRows &Rows,
                                 std::span<Event *const> Behind) {
  To += Rows.Lo;
  From += Rows.Lo;
  if (!Behind.empty()) {
    const uint64_t Pitch = Rows.Rows == 1 ? Rows.RowBytes : Rows.Pitch;
    return B.copyBehind(S, Behind, To, Pitch, From, Pitch, Rows.RowBytes,
                        Rows.Rows);
  }
  return Rows.Rows == 1 ? B.copy(S, To, From, Rows.RowBytes)
                        : B.copy2D(S, To, Rows.Pitch, From, Rows.Pitch,
                                   Rows.RowBytes, Rows.Rows);
}

namespace {

/// Bytes that one copy may move with others from the same place to the same.
struct CopiedBytes {
  ByteSpan Span;
  Place From;
  Location Home;
};

} // namespace

Expected<uint64_t> OwnedBytes::copy(Stream &S, Allocation &A, Place To,
                                    std::span<const LackedBytes> Bytes,
                                    Event *HomeWritten) {
  auto At = [&](Place P) {
    return P.isHome() ? A.base() : A.Replicas[P.device()]->Base;
  };
  std::vector<CopiedBytes> All;
  for (const LackedBytes &L : Bytes)
    A.Homes.forRuns(L.Lo, L.Hi, [&](const PageHomes::Run &R) {
      All.push_back({{R.Lo, R.Hi}, L.From, R.Where});
    });
  uint64_t Sum = 0;
  std::vector<ByteSpan> Spans;
  for (size_t I = 0, E = All.size(); I != E;) {
    const auto [First, From, Home] = All[I];
    boost::container::static_vector<Event *, 2> Behind;
    if (!From.isHome()) {
      Behind.push_back(A.Replicas[From.device()]->Ready.get());
    } else if (HomeWritten) {
      Behind.push_back(HomeWritten);
      if (A.HomeReady)
        Behind.push_back(A.HomeReady.get());
    }
    Spans.clear();
    for (; I != E && All[I].From == From && All[I].Home == Home; ++I)
      Spans.push_back(All[I].Span);
    for (const ByteRows &R : rowsOf(Spans)) {
      if (cudaError_t Error =
              copyRows(S, At(To), At(From), R, {Behind.data(), Behind.size()}))
        return Error;
      if ((From.isHome() ? Home : From.device()) !=
          (To.isHome() ? Home : To.device()))
        Sum += R.bytes();
    }
  }
  return Sum;
}

cudaError_t OwnedBytes::bringCarrier() {
  return Carrier ? cudaSuccess
                 : B.createStream(0, StreamKind::NonBlocking, 0, Carrier);
}

void OwnedBytes::noteConverted(const Allocation &A) {
  TimesConverted.fetch_add(1, std::memory_order_relaxed);
  BytesConverted.fetch_add(A.bytes(), std::memory_order_relaxed);
}

cudaError_t OwnedBytes::form(Allocation &A, Stream &S) {
  FormedCopy &To = *A.Formed;
  if (cudaError_t Error = bringOver(A, 0, A.bytes()))
    return Error;
  if (cudaError_t Error = awaitHome(A, S))
    return Error;
  if (cudaError_t Error = B.convertRecords(S, To.Form, FormDirection::ToFields,
                                           A.base(), To.Memory.Base, A.bytes()))
    return Error;
  noteConverted(A);
  return cudaSuccess;
}

/// Enqueues that A comes home from another order, in which launches have
/// written it. What they wrote is not known by bytes, so all of it comes: bytes
/// that others read at home meanwhile are the same as before.
cudaError_t OwnedBytes::bringFormed(Allocation &A) {
  if (!A.Formed || !A.Formed->IsOwner)
    return cudaSuccess;
  const TraceScope Scope(Activity::Replica);
  FormedCopy &From = *A.Formed;
  if (cudaError_t Error = bringCarrier())
    return Error;
  if (cudaError_t Error = B.wait(*Carrier, *From.Memory.Ready))
    return Error;
  if (cudaError_t Error = awaitHome(A, *Carrier))
    return Error;
  if (cudaError_t Error =
          B.convertRecords(*Carrier, From.Form, FormDirection::ToRecords,
                           A.base(), From.Memory.Base, A.bytes()))
    return Error;
  if (cudaError_t Error = noteGiven(A, *Carrier))
    return Error;
  From.IsOwner = false;
  noteConverted(A);
  // Launches that write there again wait for this.
  return B.record(*From.Memory.Ready, *Carrier);
}

/// Enqueues that bytes [Lo, Hi) of A come home.
cudaError_t OwnedBytes::bringOver(Allocation &A, uint64_t Lo, uint64_t Hi) {
  if (cudaError_t Error = bringFormed(A))
    return Error;
  const ByteSpan Span = {Lo, Hi};
  const std::vector<LackedBytes> Away =
      A.Copies.lackedBy(Place::home(), {&Span, 1});
  if (Away.empty())
    return cudaSuccess;
  const TraceScope Scope(Activity::Replica);
  if (cudaError_t Error = bringCarrier())
    return Error;
  if (cudaError_t Error = awaitHome(A, *Carrier))
    return Error;
  const Expected<uint64_t> Bytes = copy(*Carrier, A, Place::home(), Away);
  if (!Bytes)
    return Bytes.error();
  if (cudaError_t Error = noteGiven(A, *Carrier))
    return Error;
  A.Copies.fetched(Place::home(), Away);
  A.Brought += *Bytes;
  BytesBrought.fetch_add(*Bytes, std::memory_order_relaxed);
  TimesBrought.fetch_add(1, std::memory_order_relaxed);
  return cudaSuccess;
}

/// Lets S wait for copies to the home of A that may not be done, and forgets
/// about A once nothing is away.
cudaError_t OwnedBytes::useHome(Allocation &A, Stream &S) {
  if (A.HomeReady && B.query(*A.HomeReady) != cudaSuccess)
    return awaitHome(A, S);
  if (A.Copies.bytesAway() == 0 && !(A.Formed && A.Formed->IsOwner))
    noteHome(A);
  return cudaSuccess;
}

cudaError_t OwnedBytes::bringLocked(Allocation &A, uint64_t Lo, uint64_t Hi,
                                    Stream &S) {
  if (!A.IsAway)
    return cudaSuccess;
  if (cudaError_t Error = bringOver(A, Lo, Hi))
    return Error;
  return useHome(A, S);
}

/// Returns true if Rows are all of A.
static bool isAllOf(const Allocation &A, const ByteRows &Rows) {
  return Rows.Lo == 0 && Rows.Rows == 1 && Rows.RowBytes == A.bytes();
}

void OwnedBytes::noteUser() {
  if (Registry::get().anyFormed() || B.system().numDevices() > 1)
    Users.note();
}

cudaError_t OwnedBytes::overwrite(Allocation &A, const ByteRows &Rows,
                                  Stream &S) {
  noteUser();
  if (!A.IsAway || B.isCapturing(S))
    return cudaSuccess;
  MutexLock Guard(Lock);
  if (Rows.Rows > CopyDirectory::MaxRows)
    return bringLocked(A, Rows.Lo, Rows.hi(), S);
  if (A.Formed && A.Formed->IsOwner && !isAllOf(A, Rows))
    return bringLocked(A, Rows.Lo, Rows.hi(), S);
  return useHome(A, S);
}

void OwnedBytes::noteOverwritten(Allocation &A, const ByteRows &Rows,
                                 Stream &S) {
  if (!A.IsAway || B.isCapturing(S) || Rows.Rows > CopyDirectory::MaxRows)
    return;
  MutexLock Guard(Lock);
  if (A.IsAway)
    A.Copies.written(Place::home(), {&Rows, 1}, false);
  if (A.Formed && isAllOf(A, Rows))
    A.Formed->IsOwner = false;
}

cudaError_t OwnedBytes::bring(Allocation &A, uint64_t Lo, uint64_t Hi,
                              Stream &S) {
  noteUser();
  if (!A.IsAway || B.isCapturing(S))
    return cudaSuccess;
  MutexLock Guard(Lock);
  return bringLocked(A, Lo, Hi, S);
}

cudaError_t
OwnedBytes::bringNow(std::span<const std::shared_ptr<Allocation>> All) {
  noteUser();
  if (!any())
    return cudaSuccess;
  MutexLock Guard(Lock);
  cudaError_t First = cudaSuccess;
  for (const std::shared_ptr<Allocation> &A : All) {
    if (!A || !A->IsAway)
      continue;
    cudaError_t Error = bringOver(*A, 0, A->bytes());
    if (!Error && A->HomeReady)
      Error = B.synchronize(*A->HomeReady);
    if (!Error)
      noteHome(*A);
    First = First ? First : Error;
  }
  return First;
}

} // namespace gridspan
