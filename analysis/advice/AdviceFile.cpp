//===- AdviceFile.cpp - Advice as data for other tools --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that is known of the kernels of a compilation as one JSON object,
// in the order of the module. Only here are names of members; docs describe
// them in the advice schema.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/AdviceFile.h"
#include "analysis/advice/cost/Savings.h"
#include "analysis/expr/LaunchDefaults.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace gridspan {

StringRef adviceRule(const KernelCoalescing &K, size_t Site) {
  if (coalescingAdvice(K, Site).empty())
    return "";
  switch (K.Sites[Site].Class) {
  case AccessClass::Uncoalesced:
    return "uncoalesced-access";
  case AccessClass::Partial:
    return "partly-coalesced-access";
  case AccessClass::Conflicts:
    return "bank-conflicts";
  default:
    return "";
  }
}

std::string adviceMessage(const KernelCoalescing &K, size_t Index) {
  const MemorySite &Site = K.Kernel.Sites[Index];
  const TrafficSums &Sums = *K.Sites[Index].Traffic.Sums;
  bool IsGlobal = Site.Space == MemorySpace::Global;
  return formatv("{0} of {1} bytes {2} {3} takes {4:f1} {5} a warp, {6:f1} "
                 "would do",
                 siteKindName(Site.Kind), Site.Size,
                 Site.Kind == SiteKind::Load ? "from" : "to", Site.Base,
                 Sums.Units / Sums.Requests,
                 IsGlobal ? "sectors of 32 bytes" : "passes over the banks",
                 Sums.Ideal / Sums.Requests);
}

static std::string textOf(const ExprGraph &Graph, ExprId Id) {
  std::string Text;
  raw_string_ostream OS(Text);
  Graph.print(OS, Id);
  return Text;
}

/// "file:line:col" as three members.
static void addPlace(json::Object &Out, StringRef Where) {
  if (Where.empty())
    return;
  auto [Rest, Column] = Where.rsplit(':');
  auto [File, Line] = Rest.rsplit(':');
  unsigned L = 0, C = 0;
  Line.getAsInteger(10, L);
  Column.getAsInteger(10, C);
  Out["file"] = File.str();
  if (L)
    Out["line"] = L;
  if (C)
    Out["column"] = C;
}

/// About how long a launch spends on what the site moves beyond the ideal.
static double excessSeconds(const MemorySite &Site, const TrafficSums &Sums,
                            const KernelFacts &Facts) {
  const MachineModel &Machine = *Facts.Machine;
  double Excess = Sums.Units - Sums.Ideal;
  if (Facts.Cost && Facts.Cost->Why.empty())
    return savedSeconds(Site, Excess, *Facts.Cost, Machine);
  return Site.Space == MemorySpace::Global
             ? Excess * SectorBytes / (Machine.L2GBs * 1e9)
             : Excess / (Machine.Multiprocessors * Machine.ClockGHz * 1e9);
}

static json::Object siteToJSON(const KernelFacts &Facts, size_t Index) {
  const KernelCoalescing &K = Facts.Coalescing;
  const MemorySite &Site = K.Kernel.Sites[Index];
  const SiteCoalescing &S = K.Sites[Index];
  const ExprGraph &Graph = K.Kernel.Exprs;
  json::Object Out{
      {"space", Site.Space == MemorySpace::Global ? "global" : "shared"},
      {"kind", siteKindName(Site.Kind)},
      {"bytes", Site.Size},
      {"instruction_bytes", Site.Piece},
      {"base", Site.Base},
      {"class", accessClassName(S.Class)},
  };
  if (Site.Site != NoSite)
    Out["site"] = Site.Site;
  addPlace(Out, Site.Where);
  if (S.Stride[0] != NoExpr)
    Out["lane_stride"] = textOf(Graph, S.Stride[0]);
  if (S.SectorsOfWarp != NoExpr)
    Out["sectors_of_warp"] = textOf(Graph, S.SectorsOfWarp);
  else if (Site.Space == MemorySpace::Global)
    Out["no_sectors_of_warp"] = warpSectorsReasonName(S.NoSectors);
  if (S.Traffic.Sums) {
    const TrafficSums &Sums = *S.Traffic.Sums;
    Out["requests"] = Sums.Requests;
    Out["lanes"] = Sums.Lanes;
    Out["units"] = Sums.Units;
    Out["ideal_units"] = Sums.Ideal;
    Out["misaligned_units"] = Sums.WorstUnits;
    Out["exact"] = S.Traffic.IsExact;
    if (S.IsMeasured)
      Out["measured"] = true;
    if (!S.Open.empty())
      Out["open"] = S.Open;
    if (S.Elsewhere)
      Out["elsewhere"] =
          json::Object{{"class", accessClassName(S.ElsewhereClass)},
                       {"parameter", S.Elsewhere->Param},
                       {"byte", S.Elsewhere->ByteOffset},
                       {"value", S.Elsewhere->Value}};
  } else {
    Out["unknown"] = S.Traffic.Why;
  }
  if (StringRef Rule = adviceRule(K, Index); !Rule.empty()) {
    Out["rule"] = Rule;
    Out["message"] = Facts.Names.inText(adviceMessage(K, Index));
    Out["advice"] = Facts.Names.inText(coalescingAdvice(K, Index));
    Out["saved_seconds"] = excessSeconds(Site, *S.Traffic.Sums, Facts);
  }
  return Out;
}

static json::Object layoutToJSON(const ArrayLayout &A) {
  json::Array Fields, Forms;
  for (const StructField &F : A.Array.Fields)
    Fields.push_back(json::Object{{"offset", F.Offset},
                                  {"bytes", F.Bytes},
                                  {"loaded", F.IsLoaded},
                                  {"stored", F.IsStored},
                                  {"loop_depth", F.Depth}});
  for (const FormTime &F : A.Forms)
    Forms.push_back(json::Object{{"layout", layoutKey(F.Form)},
                                 {"seconds", F.Time.seconds()},
                                 {"bound_by", resourceName(F.Time.limit())}});
  json::Object Out{{"base", A.Array.Base},
                   {"record_bytes", A.Array.RecordBytes},
                   {"fields", std::move(Fields)},
                   {"layouts", std::move(Forms)}};
  if (A.Array.isApart())
    Out["apart"] = json::Array(A.Array.Apart);
  if (!A.Array.Name.empty())
    Out["type"] = A.Array.Name;
  if (A.Best) {
    Out["recommended"] = layoutKey(A.Forms[A.Best].Form);
  } else {
    Out["stays"] = layoutReasonName(A.Reason);
    Out["why_stays"] = layoutReasonText(A.Reason);
  }
  return Out;
}

static json::Object adviceToJSON(const KernelAdvice &A,
                                 const KernelFacts &Facts) {
  // No more than its share of what the launch is predicted to take.
  double Seconds = A.Seconds;
  if (Facts.Cost && Facts.Cost->Why.empty())
    Seconds = std::min(Seconds, Facts.Cost->Microseconds * 1e-6);
  json::Object Out{{"rule", A.Rule},
                   {"message", Facts.Names.inText(A.Message)},
                   {"advice", Facts.Names.inText(A.Advice)},
                   {"base", A.Base},
                   {"seconds", A.Seconds},
                   {"gain", A.Gain},
                   {"saved_seconds", Seconds * (1 - 1 / A.Gain)}};
  addPlace(Out, A.Where);
  return Out;
}

std::vector<KernelAdvice> kernelAdvice(const KernelFacts &Kernel) {
  std::vector<KernelAdvice> Out;
  // Nobody changes a library to run a program.
  if (Kernel.Layout.Kernel.IsOfLibrary)
    return Out;
  for (const ArrayLayout &A : Kernel.Layout.Arrays)
    if (A.Best)
      Out.push_back({"data-layout", layoutMessage(Kernel.Layout, A),
                     layoutAdvice(A), A.Where, A.Array.Base,
                     A.Forms.front().Time.seconds(), A.gain()});
  const SharedMemoryReuse &Reuse = Kernel.Reuse;
  double Now = Reuse.Now.seconds();
  for (const ArrayReuse &A : Reuse.Arrays)
    if (A.IsRecommended)
      Out.push_back({"shared-memory-stage", reuseMessage(A),
                     reuseAdvice(Reuse, A), A.Where, A.Base, Now,
                     Now / A.Tiled.seconds()});
  for (const TiledProduct &P : Reuse.Products)
    if (P.IsRecommended)
      Out.push_back({"shared-memory-stage", productMessage(P),
                     productAdvice(Reuse, P), P.Where, P.Bases[0], Now,
                     Now / P.Tiled.seconds()});
  const KernelSites &Sites = Kernel.Layout.Kernel;
  for (const OrderedLoad &L : Reuse.Ordered)
    if (L.IsRecommended)
      Out.push_back({"ordered-load", orderedMessage(Sites, L),
                     orderedAdvice(Sites, Reuse, L), Sites.Sites[L.Site].Where,
                     Sites.Sites[L.Site].Base, Now, Now / L.Free.seconds()});
  const ReductionAdvice &P = Kernel.Reductions;
  std::string Summed;
  for (const MemorySite &Site : Sites.Sites)
    if (!P.Where.empty() && Site.Where == P.Where)
      Summed = Site.Base;
  if (P.IsRecommended)
    Out.push_back({reductionRule(P), reductionMessage(P), reductionAdvice(P),
                   P.Where, Summed, P.Now.seconds(), P.gain()});
  return Out;
}

/// Returns what the times and the roofline of the kernel were made from.
static json::Object machineToJSON(const MachineModel &M) {
  double OpsOfLane = 2 * M.Multiprocessors * M.ClockGHz;
  return json::Object{{"name", M.Name},
                      {"gflops32", M.Fp32 * OpsOfLane},
                      {"gflops64", M.Fp64 * OpsOfLane},
                      {"memory_gbs", M.DramReadGBs},
                      {"l2_gbs", M.L2GBs}};
}

static json::Array assumedToJSON(const RepresentativeLaunch &L) {
  json::Array Out;
  if (L.IsBlockAssumed)
    Out.push_back("block");
  if (L.IsGridAssumed)
    Out.push_back("grid");
  if (L.IsDynamicSharedAssumed)
    Out.push_back("dynamic_shared");
  return Out;
}

static json::Array parametersToJSON(const KernelFacts &Facts) {
  json::Array Out;
  for (const auto &[Param, Value] : Facts.Launch.Launch.Params) {
    unsigned Bits = 0;
    for (const ExprNode &Node : Facts.Layout.Kernel.Exprs.nodes())
      if (Node.Kind == ExprKind::Param && Node.A == Param.first &&
          Node.B == Param.second)
        Bits = std::max<unsigned>(Bits, Node.Width);
    Out.push_back(json::Object{
        {"index", Param.first},
        {"byte", Param.second},
        {"bits", Bits},
        {"value", Value},
        {"assumed", Facts.Launch.AssumedParams.count(Param) != 0}});
  }
  return Out;
}

/// Returns the names of the source by those that bases and expressions have.
static json::Object namesToJSON(const KernelFacts &Facts) {
  json::Object Out;
  auto Add = [&](unsigned Param, unsigned Byte) {
    std::string Name = Facts.Names.nameOf(Param, Byte);
    if (!Name.empty())
      Out[("arg" + Twine(Param) + (Byte ? "+" + utostr(Byte) : "")).str()] =
          std::move(Name);
  };
  for (unsigned I = 0, E = Facts.Names.size(); I != E; ++I)
    Add(I, 0);
  for (const auto &[Param, Value] : Facts.Launch.Launch.Params)
    Add(Param.first, Param.second);
  for (const MemorySite &Site : Facts.Coalescing.Kernel.Sites) {
    auto [Number, Byte] = StringRef(Site.Base).split('+');
    unsigned Param, Offset = 0;
    if (Number.consume_front("arg") && !Number.getAsInteger(10, Param) &&
        (Byte.empty() || !Byte.getAsInteger(10, Offset)))
      Add(Param, Offset);
  }
  return Out;
}

/// Returns the table of LaunchDefaults.def.
static json::Array assumptionsToJSON() {
  json::Array Out;
#define GRIDSPAN_ASSUMPTION(Type, Name, Value, Key, Text)                      \
  Out.push_back(                                                               \
      json::Object{{"name", Key}, {"value", int64_t(Name)}, {"text", Text}});
#include "analysis/expr/LaunchDefaults.def"
  return Out;
}

json::Object adviceToJSON(const AdviceOrigin &Origin,
                          ArrayRef<KernelFacts> Kernels) {
  json::Array List;
  for (const KernelFacts &Facts : Kernels) {
    const KernelCoalescing &K = Facts.Coalescing;
    json::Array Sites, Arrays, Refused, Advice;
    for (size_t I = 0; I != K.Sites.size(); ++I)
      Sites.push_back(siteToJSON(Facts, I));
    for (const ArrayLayout &A : Facts.Layout.Arrays)
      Arrays.push_back(layoutToJSON(A));
    for (const KernelAdvice &A : kernelAdvice(Facts))
      Advice.push_back(adviceToJSON(A, Facts));
    for (const StructRefusal &R : Facts.Layout.Refusals)
      Refused.push_back(json::Object{{"base", R.Base}, {"why", R.Why}});
    auto Shape = [](const std::array<uint32_t, 3> &A) {
      return json::Array{A[0], A[1], A[2]};
    };
    List.push_back(
        json::Object{{"name", demangle(K.Kernel.Name)},
                     {"mangled", K.Kernel.Name},
                     {"source", Origin.Source},
                     {"directory", Origin.Directory},
                     {"target", Origin.Target},
                     {"shared", Facts.IsShared},
                     {"arch", Facts.Arch},
                     {"machine", machineToJSON(*Facts.Machine)},
                     {"block", Shape(K.Launch.Block)},
                     {"grid", Shape(K.Launch.Grid)},
                     {"dynamic_shared_bytes", int64_t(K.Launch.DynamicShared)},
                     {"assumed", assumedToJSON(Facts.Launch)},
                     {"parameters", parametersToJSON(Facts)},
                     {"names", namesToJSON(Facts)},
                     {"sites", std::move(Sites)},
                     {"arrays", std::move(Arrays)},
                     {"refused_arrays", std::move(Refused)},
                     {"reuse", reuseToJSON(Facts.Reuse)},
                     {"reduction", reductionToJSON(Facts.Reductions)},
                     {"advice", std::move(Advice)}});
    if (!Origin.Build.empty())
      (*List.back().getAsObject())["build"] = Origin.Build;
    if (Facts.Cost)
      (*List.back().getAsObject())["cost"] = costToJSON(*Facts.Cost);
  }
  return json::Object{
      {"version", AdviceVersion},  {"tool", "gridspan"},
      {"source", Origin.Source},   {"directory", Origin.Directory},
      {"target", Origin.Target},   {"assumptions", assumptionsToJSON()},
      {"kernels", std::move(List)}};
}

} // namespace gridspan
