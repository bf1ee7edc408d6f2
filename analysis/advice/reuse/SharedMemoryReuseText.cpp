//===- SharedMemoryReuseText.cpp - Reuse in words and as data -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sentences and JSON of shared-memory tiles. Names of rules and reasons are
// stable.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace gridspan {

static constexpr struct {
  StringLiteral Name, Text;
} Reasons[] = {
#define GRIDSPAN_REUSE_REASON(Kind, Name, Text) {Name, Text},
#include "analysis/advice/reuse/SharedMemoryReuseReasons.def"
};

StringRef sharedMemoryReuseReasonName(SharedMemoryReuseReason Reason) {
  return Reasons[unsigned(Reason)].Name;
}

StringRef sharedMemoryReuseReasonText(SharedMemoryReuseReason Reason) {
  return Reasons[unsigned(Reason)].Text;
}

std::string reuseMessage(const ArrayReuse &A) {
  return formatv("the threads of a block read {0:f0} bytes of {1} {2:f1} times "
                 "each, {3:P0} of their sectors from L1",
                 A.DistinctBytes, A.Base, A.factor(), A.HitShare);
}

/// "64 x 4", as many axes as the shape has.
static std::string sizes(const std::array<int64_t, 3> &Of, unsigned Axes) {
  std::string Out;
  for (unsigned Axis = 0; Axis != Axes; ++Axis)
    Out += (Axis ? " x " : "") + std::to_string(Of[Axis]);
  return Out;
}

/// Names what is copied to shared memory at a time.
static std::string tileText(const ArrayReuse &A) {
  double Halo = (A.Trips - 1) * A.StepBytes;
  if (A.TileIterations < A.Trips)
    return formatv("{0:f0} iterations at a time, {1:f0} bytes",
                   A.TileIterations, A.TileBytes);
  if (A.Shape && A.Shape->axes() > 1)
    return formatv("a tile of {0} elements and a halo of {1}, {2:f0} bytes",
                   sizes(A.Shape->Tile, A.Shape->axes()),
                   sizes(A.Shape->Halo, A.Shape->axes()), A.Shape->bytes());
  if (A.Shape)
    return formatv("a tile of {0} bytes and a halo of {1}",
                   A.Shape->Tile[0] * A.Shape->ElementBytes,
                   A.Shape->Halo[0] * A.Shape->ElementBytes);
  if (A.StepBytes > 0 && Halo < A.FirstBytes * 4)
    return formatv("a tile of {0:f0} bytes and a halo of {1:f0}", A.FirstBytes,
                   Halo);
  return formatv("{0:f0} bytes", A.TileBytes);
}

std::string reuseAdvice(const SharedMemoryReuse &Kernel, const ArrayReuse &A) {
  return formatv("stage them in shared memory ({0}): predicted {1:f2} times as "
                 "fast",
                 tileText(A), Kernel.Now.seconds() / A.Tiled.seconds());
}

std::string productMessage(const TiledProduct &P) {
  return formatv("a product of matrices: the launch reads {0} {1:f0} times and "
                 "{2} {3:f0} times",
                 P.Bases[0], P.Reads[0], P.Bases[1], P.Reads[1]);
}

std::string productAdvice(const SharedMemoryReuse &Kernel,
                          const TiledProduct &P) {
  return formatv("let blocks of {0} x {0} threads stage tiles of {0} x {0} "
                 "elements of both in shared memory ({1:f0} bytes): predicted "
                 "{2:f2} times as fast",
                 P.Side, P.TileBytes, Kernel.Now.seconds() / P.Tiled.seconds());
}

std::string orderedMessage(const KernelSites &Kernel, const OrderedLoad &L) {
  return formatv(
      "the load from {0} {1}, as the store to {2} may change what it "
      "reads",
      Kernel.Sites[L.Site].Base,
      L.IsRepeated ? "is repeated in each iteration"
                   : "waits for the iteration before",
      Kernel.Sites[L.Store].Base);
}

std::string orderedAdvice(const KernelSites &Kernel,
                          const SharedMemoryReuse &Reuse,
                          const OrderedLoad &L) {
  return formatv(
      "declare {0} const __restrict__ and {1} __restrict__ if they do "
      "not overlap: predicted {2:f2} times as fast",
      Kernel.Sites[L.Site].Base, Kernel.Sites[L.Store].Base,
      Reuse.Now.seconds() / L.Free.seconds());
}

static json::Object arrayToJSON(const ArrayReuse &A) {
  json::Object Out{{"base", A.Base}};
  if (A.LoadedBytes > 0) {
    Out["loaded_bytes"] = A.LoadedBytes;
    Out["distinct_bytes"] = A.DistinctBytes;
    Out["l1_share"] = A.HitShare;
  }
  if (A.Reason != SharedMemoryReuseReason::None)
    Out["stays"] = sharedMemoryReuseReasonName(A.Reason);
  if (A.TileBytes > 0) {
    Out["stage_bytes"] = A.TileBytes;
    Out["stage_iterations"] = A.TileIterations;
  }
  if (A.Tiled.seconds() > 0)
    Out["staged_seconds"] = A.Tiled.seconds();
  if (A.Shape) {
    const TileShape &S = *A.Shape;
    Out["element_bytes"] = S.ElementBytes;
    Out["tile"] = json::Array{S.Tile[0], S.Tile[1], S.Tile[2]};
    Out["halo"] = json::Array{S.Halo[0], S.Halo[1], S.Halo[2]};
  }
  return Out;
}

static json::Object productToJSON(const TiledProduct &P) {
  json::Object Out{{"bases", json::Array{P.Bases[0], P.Bases[1]}},
                   {"reads", json::Array{P.Reads[0], P.Reads[1]}},
                   {"tile", json::Array{P.Side, P.Side}},
                   {"stage_bytes", P.TileBytes},
                   {"staged_seconds", P.Tiled.seconds()}};
  if (P.Reason != SharedMemoryReuseReason::None)
    Out["stays"] = sharedMemoryReuseReasonName(P.Reason);
  return Out;
}

json::Object reuseToJSON(const SharedMemoryReuse &Kernel) {
  json::Array Arrays, Products;
  for (const ArrayReuse &A : Kernel.Arrays)
    Arrays.push_back(arrayToJSON(A));
  for (const TiledProduct &P : Kernel.Products)
    Products.push_back(productToJSON(P));
  return json::Object{{"seconds", Kernel.Now.seconds()},
                      {"arrays", std::move(Arrays)},
                      {"products", std::move(Products)}};
}

} // namespace gridspan
