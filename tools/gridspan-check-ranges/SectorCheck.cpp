//===- SectorCheck.cpp - Compare predicted sectors with a trace -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the analysis with the traced launch's dimensions and arguments, which
// makes most of its symbols known. Only sites that it calls exact are compared,
// and only launches that ran on one device, because warps of a tile are
// numbered otherwise.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-check-ranges/SectorCheck.h"
#include "analysis/advice/warpsim/SiteTraffic.h"
#include "analysis/machine/WarpRequest.h"
#include "analysis/nvptx/AnalysisManagers.h"
#include "analysis/summary/Access.h"
#include "gridspan/ABI.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;

namespace gridspan {

/// More requests of a site than this are sampled, which is no claim.
static constexpr unsigned MaxRequests = 20000;

Error SectorCheck::add(StringRef Bitcode) {
  LLVMContext Context;
  Expected<std::unique_ptr<Module>> M =
      parseBitcodeFile(MemoryBufferRef(Bitcode, "device"), Context);
  if (!M)
    return M.takeError();
  PassBuilder PB;
  AnalysisManagers Managers(PB);
  for (Function &F : **M)
    if (!F.isDeclaration())
      Kernels[F.getName().str()] =
          collectMemorySites(F, KernelAnalyses::get(F, Managers.Function));
  return Error::success();
}

/// The bits of a parameter, sign-extended.
static std::optional<int64_t> read(const TracedLaunch &Launch, size_t At,
                                   unsigned Bits) {
  unsigned Bytes = (Bits + 7) / 8;
  uint64_t Value = 0;
  if (Bytes > sizeof Value || At + Bytes > Launch.Parameters.size())
    return std::nullopt;
  std::memcpy(&Value, Launch.Parameters.data() + At, Bytes);
  return Bits == 64 ? int64_t(Value) : SignExtend64(Value, Bits);
}

static LaunchValues valuesOf(const KernelSites &Sites,
                             const KernelSummary &Kernel,
                             const TracedLaunch &Launch) {
  LaunchValues Out;
  Out.Block = Launch.BlockDim;
  Out.Grid = Launch.GridDim;
  for (const ExprNode &Node : Sites.Exprs.nodes()) {
    if (Node.Kind != ExprKind::Param)
      continue;
    std::pair<unsigned, unsigned> Place(Node.A, Node.B);
    if (Place.first < Kernel.Params.size()) {
      const ParamSummary &P = Kernel.Params[Place.first];
      if (auto Value = read(Launch, P.Offset + Place.second, Node.Width))
        Out.Params[Place] = *Value;
      continue;
    }
    // A clone's tile: from the first block on, the whole grid.
    size_t Axis = Place.second / sizeof(uint32_t);
    if (Axis < 3)
      Out.Params[Place] = 0;
    else if (Axis < 6)
      Out.Params[Place] = Launch.GridDim[Axis - 3];
  }
  return Out;
}

/// The pointer that a site's base ("arg2", "arg0+8") names.
static std::optional<int64_t> pointerOf(StringRef Base,
                                        const KernelSummary &Kernel,
                                        const TracedLaunch &Launch) {
  unsigned Param = 0, Byte = 0;
  if (!Base.consume_front("arg") || Base.consumeInteger(10, Param) ||
      (Base.consume_front("+") && Base.consumeInteger(10, Byte)) ||
      !Base.empty() || Param >= Kernel.Params.size())
    return std::nullopt;
  return read(Launch, Kernel.Params[Param].Offset + Byte, 64);
}

/// The requests of a site, as a warp's executions in turn.
static TrafficSums sumsOf(const MemorySite &Site,
                          ArrayRef<const TracedRequest *> Requests) {
  TrafficSums Out;
  for (const TracedRequest *Traced : Requests) {
    WarpRequest R;
    R.Size = Site.Piece;
    size_t Next = 0;
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      if (Traced->LaneMask >> Lane & 1)
        R.add(Lane, Traced->Addresses[Next++]);
    for (unsigned At = 0; At < Site.Size; At += Site.Piece) {
      Out.Requests += 1;
      Out.Lanes += R.activeLanes();
      Out.Units += sectorsOf(R);
      for (uint64_t &Address : R.Address)
        Address += Site.Piece;
    }
  }
  return Out;
}

static uint32_t modeOf(SiteKind Kind) {
  return Kind == SiteKind::Load    ? GridspanRead
         : Kind == SiteKind::Store ? GridspanWrite
                                   : GridspanAtomic;
}

void SectorCheck::check(const KernelSummary &Kernel, const TracedLaunch &Launch,
                        const std::vector<TracedRequest> &Requests,
                        SectorStatistics &Out) const {
  auto It =
      Kernels.find(Kernel.CloneName.empty() ? Kernel.Name : Kernel.CloneName);
  if (It == Kernels.end() || Launch.BlockCount != Launch.GridDim)
    return;
  const KernelSites &Sites = It->second;
  LaunchValues Values = valuesOf(Sites, Kernel, Launch);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<const TracedRequest *>>
      BySite;
  for (const TracedRequest &R : Requests)
    BySite[{R.Site, R.Mode}].push_back(&R);
  for (const MemorySite &Site : Sites.Sites) {
    if (Site.Space != MemorySpace::Global)
      continue;
    ArrayRef<const TracedRequest *> Traced =
        BySite[{Site.Site, modeOf(Site.Kind)}];
    TrafficOptions Options;
    Options.MaxRequests = MaxRequests;
    std::optional<int64_t> Pointer = pointerOf(Site.Base, Kernel, Launch);
    Options.BaseAlignment = uint64_t(Pointer.value_or(0)) % 256;
    SiteTraffic T = evaluateTraffic(Sites.Exprs, Site, Values, Options);
    if (Traced.empty() && !(T.Sums && T.IsExact))
      continue;
    ++Out.Sites;
    Out.Unknown += !T.Sums;
    if (!T.Sums || !T.IsExact || !Pointer)
      continue;
    ++Out.Exact;
    TrafficSums Truth = sumsOf(Site, Traced);
    Out.Sectors += Truth.Units;
    if (T.Sums->Lanes == Truth.Lanes && T.Sums->Requests == Truth.Requests &&
        T.Sums->Units == Truth.Units)
      continue;
    Out.Violations.push_back(
        {Kernel.Name, Launch.Id, Site.Site,
         formatv("{0} requests, {1} lanes, {2} sectors predicted; {3}, {4}, "
                 "{5} traced",
                 T.Sums->Requests, T.Sums->Lanes, T.Sums->Units, Truth.Requests,
                 Truth.Lanes, Truth.Units)});
  }
}

} // namespace gridspan
