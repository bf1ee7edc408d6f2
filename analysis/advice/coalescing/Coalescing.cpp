//===- Coalescing.cpp - Use that warps make of requests -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Classes are by measured cost, not by the shape of an index: a launch is
// evaluated (SiteTraffic.h), and the sectors are compared with the ideal. One
// sector a request too many is what a misaligned row costs and is not held
// against a site.
// A closed form is given beside, where there is one (WarpSectors.cpp).
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/coalescing/Coalescing.h"
#include "analysis/advice/coalescing/WarpSectors.h"
#include "analysis/expr/LaneStride.h"
#include "analysis/expr/WarpEval.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridspan {

StringRef accessClassName(AccessClass Class) {
  switch (Class) {
  case AccessClass::Coalesced:
    return "coalesced";
  case AccessClass::Broadcast:
    return "broadcast";
  case AccessClass::Partial:
    return "partial";
  case AccessClass::Uncoalesced:
    return "uncoalesced";
  case AccessClass::ConflictFree:
    return "conflict-free";
  case AccessClass::Conflicts:
    return "conflicts";
  case AccessClass::NotExecuted:
    return "not executed";
  case AccessClass::Unknown:
    return "unknown";
  }
  llvm_unreachable("class without a name");
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

static AccessClass classify(const MemorySite &Site, const SiteTraffic &T) {
  if (!T.Sums)
    return AccessClass::Unknown;
  const TrafficSums &S = *T.Sums;
  if (S.Requests == 0)
    return AccessClass::NotExecuted;
  if (Site.Space == MemorySpace::Shared)
    return S.Units > S.Ideal * 1.001 ? AccessClass::Conflicts
                                     : AccessClass::ConflictFree;
  // Of a request with one lane there is nothing to say.
  if (T.IsBroadcast && S.Lanes > S.Requests)
    return AccessClass::Broadcast;
  if (S.Units <= S.Ideal + S.Requests)
    return AccessClass::Coalesced;
  // The sectors that the lanes would touch if no two shared one.
  double Apart = S.Lanes * std::max(1u, Site.Piece / SectorBytes);
  return S.Units >= 0.9 * Apart ? AccessClass::Uncoalesced
                                : AccessClass::Partial;
}

/// What the site does whatever its open values are: the same in every try, but
/// that what lanes share may be a broadcast by chance. The numbers are those of
/// the first one. Nothing if that depends on the values.
static void classifyOpen(const KernelSites &Kernel, const MemorySite &Site,
                         const LaunchValues &Launch,
                         const TrafficOptions &Options, LaunchMemo &Memo,
                         SiteCoalescing &S) {
  std::optional<AccessClass> Common;
  SiteTraffic First;
  // Nothing of it is exact, and it is done several times.
  constexpr unsigned MostRequests = 1024;
  TrafficOptions Few = Options;
  Few.MaxRequests = std::min(Options.MaxRequests, MostRequests);
  for (unsigned Try = 0; Try != WarpEval::NumTries; ++Try) {
    SiteTraffic T = tryTraffic(Kernel.Exprs, Site, Launch, Few, Try, &Memo);
    AccessClass Class = classify(Site, T);
    if (Class == AccessClass::Unknown)
      return;
    if (!Common || (*Common == AccessClass::Broadcast &&
                    Class == AccessClass::Coalesced)) {
      Common = Class;
      First = std::move(T);
    } else if (Class != *Common && !(*Common == AccessClass::Coalesced &&
                                     Class == AccessClass::Broadcast)) {
      return;
    }
  }
  S.Class = *Common;
  S.Open = std::move(S.Traffic.Why);
  S.Traffic = std::move(First);
}

/// Counts and classifies the requests of the site in the launch.
static SiteCoalescing classifyIn(const LaunchValues &Launch,
                                 const KernelSites &Kernel,
                                 const MemorySite &Site,
                                 const TrafficOptions &Options,
                                 LaunchMemo &Memo) {
  SiteCoalescing S;
  S.Traffic = evaluateTraffic(Kernel.Exprs, Site, Launch, Options, &Memo);
  S.Class = classify(Site, S.Traffic);
  if (S.Class == AccessClass::Unknown && Site.OpenOffset != NoExpr)
    classifyOpen(Kernel, Site, Launch, Options, Memo, S);
  return S;
}

/// Looks for a launch in which a site is executed that this one leaves out.
static void lookElsewhere(OtherLaunches &Others, const KernelSites &Kernel,
                          const MemorySite &Site, const TrafficOptions &Options,
                          SiteCoalescing &S) {
  std::optional<ParameterValue> Changed = Others.executing(Site);
  if (!Changed)
    return;
  S.ElsewhereClass = classifyIn(Others.with(*Changed), Kernel, Site, Options,
                                Others.memoOf(*Changed))
                         .Class;
  if (S.ElsewhereClass != AccessClass::Unknown)
    S.Elsewhere = Changed;
}

/// The base address of the site modulo 256.
static unsigned baseOf(const KernelSites &Kernel, const MemorySite &Site,
                       const LaunchAssumptions &Known, unsigned Default) {
  StringRef Base = Site.Base;
  auto [Number, Byte] = Base.split('+');
  unsigned Param, Offset = 0;
  if (!Number.consume_front("arg") || Number.getAsInteger(10, Param) ||
      (Base.contains('+') && Byte.getAsInteger(10, Offset)))
    return Default;
  auto It = Known.Bases.find({Param, Offset});
  const unsigned *Given =
      It == Known.Bases.end() ? nullptr : It->second.find(Kernel.Name);
  return Given ? *Given : Default;
}

KernelCoalescing analyzeCoalescing(KernelSites Kernel,
                                   const LaunchAssumptions &Known,
                                   const TrafficOptions &Options) {
  KernelCoalescing Out;
  Out.Launch = assumedLaunch(Kernel, Known);
  OtherLaunches Others(Kernel, Known, Out.Launch, Options);
  LaunchMemo Memo;
  for (const MemorySite &Site : Kernel.Sites) {
    TrafficOptions OfSite = Options;
    OfSite.BaseAlignment = baseOf(Kernel, Site, Known, Options.BaseAlignment);
    SiteCoalescing S = classifyIn(Out.Launch, Kernel, Site, OfSite, Memo);
    if (S.Class == AccessClass::NotExecuted &&
        Site.Space == MemorySpace::Global)
      lookElsewhere(Others, Kernel, Site, OfSite, S);
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      S.Stride[Axis] = threadStride(Kernel.Exprs, Site.Offset, Axis);
    findWarpSectors(Kernel.Exprs, Site, Out.Launch, S);
    Out.Sites.push_back(std::move(S));
  }
  Out.Kernel = std::move(Kernel);
  return Out;
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

/// Returns true if data say where the site's addresses are in the launch, or
/// how often it is executed.
static bool followsFromData(const MemorySite &Site, const SiteCoalescing &S) {
  return Site.Space == MemorySpace::Global &&
         (S.Class == AccessClass::Unknown || !S.Open.empty() ||
          !S.Traffic.AreGuardsKnown || !S.Traffic.AreTripCountsKnown);
}

bool mayFollowFromData(const ExprGraph &Graph, const MemorySite &Site,
                       const SiteCoalescing &S) {
  if (followsFromData(Site, S))
    return true;
  const bool IsExecuted = S.Traffic.Sums && S.Traffic.Sums->Requests > 0;
  if (Site.Space != MemorySpace::Global || IsExecuted)
    return false;
  const auto IsOpen = [&](ExprId Id) {
    return Id == NoExpr || !Graph.unknownReason(Id).empty() ||
           !Graph.carriedReason(Id).empty();
  };
  return any_of(Site.Guards, IsOpen) || any_of(Site.Loops, [&](auto &Loop) {
           return !Loop.IsExact || IsOpen(Loop.BackedgeTaken);
         });
}

void applyMeasurements(KernelCoalescing &K, const MeasuredSites &Of) {
  for (size_t I = 0; I != K.Sites.size(); ++I) {
    SiteCoalescing &S = K.Sites[I];
    const MemorySite &Site = K.Kernel.Sites[I];
    const MeasuredSite *M = followsFromData(Site, S) ? Of.of(Site) : nullptr;
    if (!M)
      continue;
    S.Traffic = SiteTraffic();
    S.Traffic.IsSampled = true;
    TrafficSums &Sums = S.Traffic.Sums.emplace();
    Sums.Requests = M->Requests;
    Sums.Lanes = M->Lanes;
    Sums.Units = Sums.WorstUnits = M->Sectors;
    Sums.Ideal = M->IdealSectors;
    if (M->Requests > 0) {
      Sums.MinUnits = unsigned(M->Sectors / M->Requests);
      Sums.MaxUnits = Sums.MinUnits + 1;
    }
    S.Traffic.IsBroadcast = M->Addresses <= M->Requests;
    S.Open.clear();
    S.IsMeasured = true;
    S.Class = classify(Site, S.Traffic);
  }
}

//===----------------------------------------------------------------------===//
// Advice
//===----------------------------------------------------------------------===//

/// Larger structs are rows of a matrix to their readers.
static constexpr int64_t MaxRecordBytes = 1024;

/// Share of the bytes of structs from which on their layout costs little.
static constexpr double WellUsed = 0.75;

/// Returns the axis other than x that has the smallest stride, one element's.
static std::optional<unsigned> fastAxis(const ExprGraph &Graph,
                                        const MemorySite &Site,
                                        const SiteCoalescing &S) {
  for (unsigned Axis : {1u, 2u})
    if (S.Stride[Axis] != NoExpr &&
        Graph.constantValue(S.Stride[Axis]) == int64_t(Site.Size))
      return Axis;
  return std::nullopt;
}

namespace {
/// The accesses of one kind that step through an array of structs together.
struct StructAccess {
  unsigned NumFields = 0;
  double UsedShare = 0; ///< of the bytes of a struct
};
} // namespace

/// An offset as something and a constant number of bytes after it.
static std::pair<ExprId, int64_t> splitOffset(const ExprGraph &Graph,
                                              ExprId Offset) {
  const ExprNode &Node = Graph[Offset];
  if (Node.Kind == ExprKind::Add)
    if (std::optional<int64_t> Bytes = Graph.constantValue(Node.Ops[1]))
      return {Node.Ops[0], *Bytes};
  return {Offset, 0};
}

/// Returns what is used of structs of Bytes that the site and others beside it
/// reach from one place: the sectors that one of them fetches hold the others'
/// data.
static StructAccess structAccess(const KernelCoalescing &K, size_t Index,
                                 unsigned Bytes) {
  const ExprGraph &Graph = K.Kernel.Exprs;
  const MemorySite &Site = K.Kernel.Sites[Index];
  ExprId Root = splitOffset(Graph, Site.Offset).first;
  SmallBitVector Used(Bytes);
  StructAccess Out;
  for (const MemorySite &Other : K.Kernel.Sites) {
    auto [OtherRoot, At] = splitOffset(Graph, Other.Offset);
    if (!Graph.isFollowed(Other.Offset) && &Other != &Site)
      continue;
    if (Other.Space != Site.Space || Other.Base != Site.Base ||
        Other.Kind != Site.Kind || OtherRoot != Root)
      continue;
    ++Out.NumFields;
    for (unsigned I = 0; I != Other.Size; ++I)
      Used.set(((At + I) % Bytes + Bytes) % Bytes);
  }
  Out.UsedShare = double(Used.count()) / Bytes;
  return Out;
}

static std::string sharedAdvice(const MemorySite &Site,
                                const SiteCoalescing &S) {
  if (Site.Kind == SiteKind::Atomic && S.Traffic.IsBroadcast)
    return "add up within the warp first (__reduce_add_sync or shuffles): "
           "atomics on one address go one by one";
  if (Site.Kind == SiteKind::Atomic)
    return "spread the atomics over several copies";
  if (S.Traffic.LaneStride && *S.Traffic.LaneStride % LineBytes == 0 &&
      *S.Traffic.LaneStride != 0)
    return "pad the rows by one element: lanes are a multiple of 128 bytes "
           "apart, all in one bank";
  if (Site.Piece < Site.Size)
    return formatv("the {0} bytes of a lane take {1} instructions, lanes {2} "
                   "bytes apart: align the type to {3} bytes (alignas), or "
                   "keep its fields in arrays of their own",
                   Site.Size, Site.Size / Site.Piece,
                   S.Traffic.LaneStride.value_or(Site.Size),
                   std::min<uint64_t>(PowerOf2Ceil(Site.Size), MaxLaneBytes));
  if (S.Traffic.LaneStride)
    return formatv("lanes are {0} bytes apart: use a distance that is odd when "
                   "counted in 4-byte words",
                   *S.Traffic.LaneStride);
  return "lanes of a warp meet in the same banks: pad or permute the rows";
}

std::string coalescingAdvice(const KernelCoalescing &K, size_t Index) {
  const MemorySite &Site = K.Kernel.Sites[Index];
  const SiteCoalescing &S = K.Sites[Index];
  if (Site.IsOfLibrary)
    return "";
  if (S.Class == AccessClass::Conflicts)
    return sharedAdvice(Site, S);
  if (S.Class != AccessClass::Partial && S.Class != AccessClass::Uncoalesced)
    return "";
  const ExprGraph &Graph = K.Kernel.Exprs;
  if (std::optional<unsigned> Axis = fastAxis(Graph, Site, S))
    return formatv("neighbouring elements are in neighbouring threadIdx.{0}: "
                   "let threadIdx.x run over them, or stage a tile through "
                   "shared memory",
                   "xyz"[*Axis]);
  std::optional<int64_t> X;
  if (S.Stride[0] != NoExpr)
    X = Graph.constantValue(S.Stride[0]);
  else
    X = S.Traffic.LaneStride;
  const std::string Base = Site.Base.empty() ? "its array" : Site.Base;
  // How a library's type lies is not the program's to change.
  const RecordType Type = K.Kernel.recordOf(Site);
  if (Type.Owner == RecordType::Library)
    return "";
  if (Site.Piece < std::min(Site.Size, MaxLaneBytes) && Site.Piece < 8 &&
      Type.Owner == RecordType::Program)
    return formatv("the {0} bytes of a lane take {1} instructions: align the "
                   "type to {2} bytes (alignas), or make it a struct of arrays",
                   Site.Size, Site.Size / Site.Piece,
                   std::min<uint64_t>(PowerOf2Ceil(Site.Size), MaxLaneBytes));
  if (X && *X == int64_t(Site.Size))
    return formatv("the {0} bytes of a lane take {1} instructions that each "
                   "skip bytes: split them over lanes or make it a struct of "
                   "arrays",
                   Site.Size, Site.Size / Site.Piece);
  // A struct's fields, or a few neighbours that a thread goes through.
  int64_t Largest = Site.Record.empty() ? LineBytes * 2 : MaxRecordBytes;
  if (X && *X > int64_t(Site.Size) && *X <= Largest) {
    StructAccess Struct = structAccess(K, Index, *X);
    // The cache has the rest of the sectors when it is asked for.
    if (Struct.UsedShare >= WellUsed)
      return "";
    if (Type.Owner == RecordType::Vector)
      return formatv("{0:P0} of each {1} bytes of {2} are used: keep these in "
                     "an array of their own",
                     Struct.UsedShare, *X, Base);
    if (Struct.NumFields > 1)
      return formatv("{0} accesses use {3:P0} of structs of {2} bytes in {1}: "
                     "make it a struct of arrays, or keep what is used "
                     "together in structs of its own",
                     Struct.NumFields, Base, *X, Struct.UsedShare);
    return formatv("only {0} of every {1} bytes of {2} are used: make it a "
                   "struct of arrays or step by one element a lane",
                   Site.Size, *X, Base);
  }
  if (S.Stride[0] != NoExpr || X)
    return "lanes are a row apart: let threadIdx.x run along the row, or stage "
           "a tile through shared memory";
  if (Graph.isFollowed(Site.Offset))
    return "the index is computed so that neighbouring threads are not at "
           "neighbouring elements: give them elements that are side by side, "
           "or stage the data through shared memory";
  return "the address is no fixed distance from lane to lane: sort the indices "
         "or stage the data through shared memory";
}

} // namespace gridspan
