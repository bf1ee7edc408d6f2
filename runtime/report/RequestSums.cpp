//===- RequestSums.cpp - Sums over recorded requests ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a warp's requests at an access the first ones are kept, and then those
// whose number is a power of two. Each stands for those up to the next kept
// one. So what changes in the course of a loop counts by how long it lasts.
//
// A sector is fresh if no access of its kind has touched it in a request of the
// warp that was kept before: bytes of one sector are often read by an access
// each. Of the requests that a later kept one stands for only that one was
// kept. The others are taken to touch sectors again as often as the first
// requests did behind the very first.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/RequestSums.h"
#include "gridspan/WarpSize.h"
#include <algorithm>
#include <set>
#include <vector>

namespace gridspan {

static constexpr uint64_t SectorBytes = 32, LineBytes = 128;

void RequestSums::add(const RequestSums &Other, double Factor) {
  Mode = Other.Mode;
  Bytes = Other.Bytes;
  Requests += Factor * Other.Requests;
  Lanes += Factor * Other.Lanes;
  Sectors += Factor * Other.Sectors;
  Lines += Factor * Other.Lines;
  Addresses += Factor * Other.Addresses;
  IdealSectors += Factor * Other.IdealSectors;
  FreshSectors += Factor * Other.FreshSectors;
  ArrayBytes = std::max(ArrayBytes, Other.ArrayBytes);
}

/// Returns the number of the request that is kept in a slot.
static uint64_t numberOf(uint32_t Slot) {
  return Slot < GridspanFirstRequests ? Slot
                                      : uint64_t(GridspanFirstRequests)
                                            << (Slot - GridspanFirstRequests);
}

/// Returns how many of Requests the slot stands for.
static uint64_t weightOf(uint32_t Slot, uint64_t Requests) {
  const uint64_t From = numberOf(Slot);
  const uint64_t To = Slot + 1 == GridspanRecordedRequests
                          ? Requests
                          : std::min(Requests, numberOf(Slot + 1));
  return From < To ? To - From : 0;
}

/// Returns the sums of one request. Touched: sectors of earlier ones.
static RequestSums sumRequest(const GridspanRecord &R, uint32_t Slot,
                              uint32_t Bytes, std::set<uint64_t> &Touched,
                              const ArraySize &SizeOf) {
  RequestSums Out;
  std::set<uint64_t> Sectors, Lines, Addresses;
  uint64_t Lanes = 0;
  for (unsigned Lane = 0; Lane != WarpSize; ++Lane) {
    if (!(R.Masks[Slot] >> Lane & 1))
      continue;
    ++Lanes;
    const uint64_t First = R.Addresses[Slot][Lane];
    const uint64_t Last = First + std::max(1u, Bytes) - 1;
    Addresses.insert(First);
    for (uint64_t S = First / SectorBytes; S <= Last / SectorBytes; ++S)
      Sectors.insert(S);
    for (uint64_t L = First / LineBytes; L <= Last / LineBytes; ++L)
      Lines.insert(L);
  }
  Out.Sectors = static_cast<double>(Sectors.size());
  Out.Lines = static_cast<double>(Lines.size());
  Out.Addresses = static_cast<double>(Addresses.size());
  Out.IdealSectors =
      static_cast<double>((Lanes * Bytes + SectorBytes - 1) / SectorBytes);
  for (uint64_t S : Sectors)
    Out.FreshSectors += Touched.insert(S).second;
  if (!Addresses.empty())
    Out.ArrayBytes = SizeOf(*Addresses.begin());
  return Out;
}

namespace {
/// Adds up what one warp did at the probes of a kernel.
class WarpSums {
public:
  WarpSums(const GridspanKernel &Recording, const GridspanRecord *Records,
           const ArraySize &SizeOf)
      : Recording(Recording), Records(Records), SizeOf(SizeOf),
        Near(Recording.NumAccesses) {}

  void addTo(std::map<uint32_t, RequestSums> &Out) {
    for (uint32_t Slot = 0; Slot != GridspanRecordedRequests; ++Slot)
      for (uint32_t P = 0; P != Recording.NumAccesses; ++P)
        if (const uint64_t Weight = weightOf(Slot, Records[P].Requests))
          add(P, Slot, static_cast<double>(Weight),
              Out[Recording.Accesses[P].Site]);
  }

private:
  void add(uint32_t P, uint32_t Slot, double Weight, RequestSums &Sum) {
    const GridspanAccess &Probe = Recording.Accesses[P];
    RequestSums One = sumRequest(Records[P], Slot, Probe.ElementSize,
                                 Touched[Probe.Mode], SizeOf);
    One.Mode = Probe.Mode;
    One.Bytes = Probe.ElementSize;
    if (Slot >= GridspanFirstRequests) {
      const double Share =
          Near[P].Sectors > 0 ? Near[P].FreshSectors / Near[P].Sectors : 1;
      One.FreshSectors *= (1 + (Weight - 1) * Share) / Weight;
    } else if (Slot != 0) {
      Near[P].add(One);
    }
    Sum.add(One, Weight);
  }

  const GridspanKernel &Recording;
  const GridspanRecord *Records;
  const ArraySize &SizeOf;
  std::map<uint32_t, std::set<uint64_t>> Touched; ///< sectors, by the mode
  /// Of each probe the first requests, but for the very first.
  std::vector<RequestSums> Near;
};
} // namespace

std::map<uint32_t, RequestSums> sumRecords(const GridspanKernel &Recording,
                                           const GridspanRecord *Records,
                                           size_t Warps,
                                           const ArraySize &SizeOf) {
  std::map<uint32_t, RequestSums> Out;
  for (uint32_t P = 0; P != Recording.NumAccesses; ++P) {
    const GridspanAccess &Probe = Recording.Accesses[P];
    RequestSums &Sum = Out[Probe.Site];
    Sum.Mode = Probe.Mode;
    Sum.Bytes = Probe.ElementSize;
    for (size_t Warp = 0; Warp != Warps; ++Warp) {
      const GridspanRecord &R = Records[Warp * Recording.NumAccesses + P];
      Sum.Requests += R.Requests;
      Sum.Lanes += static_cast<double>(R.Lanes);
    }
  }
  for (size_t Warp = 0; Warp != Warps; ++Warp)
    WarpSums(Recording, Records + Warp * Recording.NumAccesses, SizeOf)
        .addTo(Out);
  return Out;
}

} // namespace gridspan
