//===- WarpSectors.cpp - Sectors of a warp in closed form -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has L = min(32, blockDim.x) lanes in a row of threads and R = 32 / L
// rows, if blockDim.x is a power of two or a multiple of 32. Where the address
// grows by S from lane to lane, accesses of E bytes touch every sector from the
// first byte to the last, (S * (L - 1) + E + 31) / 32 of them, while S <= 32,
// and one each, L, when S > 32, as E divides 32 and S is a multiple of E. Rows
// that follow each other are one row of 32 lanes, rows at the same place are
// one, and others have their sectors each.
//
// That holds where rows start at a sector and share none, which depends on
// pitches: the launch that was looked at has to agree, or nothing is said.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/coalescing/WarpSectors.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace gridspan {

StringRef warpSectorsReasonName(WarpSectorsReason Reason) {
  static constexpr StringLiteral Names[] = {
#define GRIDSPAN_WARP_SECTORS_REASON(Kind, Name) Name,
#include "analysis/advice/coalescing/WarpSectorsReasons.def"
  };
  return Names[unsigned(Reason)];
}

static std::optional<int64_t> valueIn(const ExprGraph &Graph, ExprId Id,
                                      const LaunchValues &Launch) {
  ConcreteValue V = ConcreteEval(Graph, {Id}, Launch).value(Id);
  return V.isKnown() ? std::optional(V.Value) : std::nullopt;
}

namespace {
enum class Rows { Same, Following, Apart, Unknown };
} // namespace

/// Returns how rows of threads lie to each other, in blocks of any shape.
static Rows rowsOf(const ExprGraph &Graph, const SiteCoalescing &S,
                   const LaunchValues &Launch) {
  if (S.Stride[1] == NoExpr || S.Stride[2] == NoExpr)
    return Rows::Unknown;
  if (Graph.constantValue(S.Stride[1]) == 0 &&
      Graph.constantValue(S.Stride[2]) == 0)
    return Rows::Same;
  for (uint32_t X : {1u, 7u, 16u, 96u}) {
    LaunchValues Other = Launch;
    Other.Block[0] = X;
    std::optional<int64_t> Lane = valueIn(Graph, S.Stride[0], Other),
                           Row = valueIn(Graph, S.Stride[1], Other);
    if (!Lane || !Row)
      return Rows::Unknown;
    if (*Row != *Lane * X)
      return Rows::Apart;
  }
  return Rows::Following;
}

/// Returns the sectors of Lanes lanes from the start of a sector on.
static ExprId sectorsOfRow(ExprGraph &Graph, ExprId Stride, ExprId Lanes,
                           unsigned Bytes) {
  auto Constant = [&](int64_t V) { return Graph.constant(64, V); };
  ExprId Steps = Graph.binary(ExprKind::Sub, Lanes, Constant(1));
  ExprId Span =
      Graph.binary(ExprKind::Add, Graph.binary(ExprKind::Mul, Stride, Steps),
                   Constant(Bytes + SectorBytes - 1));
  return Graph.binary(ExprKind::UMin,
                      Graph.binary(ExprKind::UDiv, Span, Constant(SectorBytes)),
                      Lanes);
}

void findWarpSectors(ExprGraph &Graph, const MemorySite &Site,
                     const LaunchValues &Launch, SiteCoalescing &Out) {
  auto Refuse = [&](WarpSectorsReason Reason) { Out.NoSectors = Reason; };
  if (Site.Space != MemorySpace::Global || !Out.Traffic.Sums ||
      Out.Traffic.Sums->Requests == 0)
    return Refuse(WarpSectorsReason::NotCounted);
  if (Out.Stride[0] == NoExpr)
    return Refuse(WarpSectorsReason::NoStride);
  std::optional<int64_t> S = valueIn(Graph, Out.Stride[0], Launch);
  if (!S || *S < 0)
    return Refuse(WarpSectorsReason::NoStride);
  if (!Site.Piece || Site.Piece != Site.Size)
    return Refuse(WarpSectorsReason::SeveralRequests);
  uint32_t X = Launch.Block[0];
  bool IsFullRow = X % WarpSize == 0;
  Rows Lie = rowsOf(Graph, Out, Launch);
  // Rows that lie within each other share sectors in ways of their own.
  if (Lie == Rows::Apart) {
    std::optional<int64_t> Row = valueIn(Graph, Out.Stride[1], Launch);
    int64_t Span = *S * (std::min(X, WarpSize) - 1) + Site.Piece;
    if (!Row || std::abs(*Row) < std::max<int64_t>(Span, SectorBytes))
      Lie = Rows::Unknown;
  }
  if (!IsFullRow && Lie != Rows::Following &&
      (Lie == Rows::Unknown || X > WarpSize || !isPowerOf2_32(X)))
    return Refuse(WarpSectorsReason::UnknownRows);
  auto Constant = [&](int64_t V) { return Graph.constant(64, V); };
  ExprId Width =
      Graph.cast(ExprKind::ZExt, Graph.special(ExprKind::BlockDim, 0), 64);
  ExprId All = Constant(WarpSize);
  ExprId Lanes = Lie == Rows::Following || Lie == Rows::Unknown
                     ? All
                     : Graph.binary(ExprKind::UMin, Width, All);
  ExprId Sectors = sectorsOfRow(Graph, Out.Stride[0], Lanes, Site.Piece);
  if (Lie == Rows::Apart)
    Sectors = Graph.binary(ExprKind::Mul, Sectors,
                           Graph.binary(ExprKind::UDiv, All, Lanes));
  const TrafficSums &Sums = *Out.Traffic.Sums;
  std::optional<int64_t> Expected = valueIn(Graph, Sectors, Launch);
  if (!Expected || int64_t(Sums.MaxUnits) < *Expected)
    return Refuse(WarpSectorsReason::PartialWarps);
  if (int64_t(Sums.MaxUnits) > *Expected)
    return Refuse(WarpSectorsReason::WithinSectors);
  Out.SectorsOfWarp = Sectors;
}

} // namespace gridspan
