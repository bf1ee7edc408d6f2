//===- ReductionAdviceText.cpp - Reductions in words and as data ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sentences and JSON of reductions. Names of rules and reasons are stable.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reduction/ReductionAdvice.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace gridspan {

StringRef reductionName(ReductionKind Kind) {
  switch (Kind) {
  case ReductionKind::None:
    return "loop";
  case ReductionKind::Serial:
    return "serial reduction";
  case ReductionKind::Block:
    return "reduction by blocks";
  case ReductionKind::Atomic:
    return "reduction by atomics";
  case ReductionKind::Counters:
    return "counting by atomics";
  }
  llvm_unreachable("kind without a name");
}

StringRef reductionKey(ReductionKind Kind) {
  switch (Kind) {
  case ReductionKind::None:
    return "none";
  case ReductionKind::Serial:
    return "serial";
  case ReductionKind::Block:
    return "block";
  case ReductionKind::Atomic:
    return "atomic";
  case ReductionKind::Counters:
    return "counters";
  }
  llvm_unreachable("kind without a name");
}

static constexpr struct {
  StringLiteral Name, Text;
} Reasons[] = {
#define GRIDSPAN_REDUCTION_ADVICE_REASON(Kind, Name, Text) {Name, Text},
#include "analysis/advice/reduction/ReductionAdviceReasons.def"
};

StringRef reductionAdviceReasonName(ReductionAdviceReason Reason) {
  return Reasons[unsigned(Reason)].Name;
}

StringRef reductionAdviceReasonText(ReductionAdviceReason Reason) {
  return Reasons[unsigned(Reason)].Text;
}

StringRef reductionRule(const ReductionAdvice &P) {
  switch (P.Kind) {
  case ReductionKind::Atomic:
    return "atomic-reduction";
  case ReductionKind::Counters:
    return "global-counters";
  case ReductionKind::Block:
    return P.IsBareTree ? "bare-tree" : "few-blocks";
  default:
    return P.IsOfGrid ? "few-blocks" : "serial-reduction";
  }
}

std::string reductionMessage(const ReductionAdvice &P) {
  std::string Out = formatv(
      "{0} reaches about {1:f0} of {2:f0} GB/s in {3:f0} blocks, bound by the "
      "{4}",
      reductionName(P.Kind), P.ReachedGBs, P.BestGBs, P.Blocks,
      resourceName(P.Now.limit()));
  if (P.Now.limit() == Resource::Latency && P.UnderWay < P.NeededUnderWay)
    Out += formatv("; {0:f0} warps have {1:f0} KB under way and {2:f0} are "
                   "needed",
                   P.Warps, P.UnderWay / 1024, P.NeededUnderWay / 1024);
  return Out;
}

static std::string howToRestructure(const ReductionAdvice &P) {
  if (P.Kind == ReductionKind::Atomic)
    return "add up in registers and shared memory, one atomic or one part a "
           "block";
  if (P.Kind == ReductionKind::Counters)
    return formatv(
        "count in {0:f0} bytes of shared memory of each block, which "
        "it adds to the others' at its end",
        P.CounterBytes);
  if (P.IsBareTree)
    return "let each thread add up elements of the whole array, several loads "
           "under way, before the threads of a block join";
  if (P.SumsAcross)
    return formatv("let a block take {0} neighbouring sums, {1} a thread by "
                   "loads of {2} bytes with eight of them under way, its "
                   "warps at different elements, and join them through shared "
                   "memory",
                   P.SumsAcross, P.SumsAcross / 32, 16);
  return "let the threads of a block share each sum, neighbours at "
         "neighbouring elements with several loads under way, and join them "
         "through shared memory";
}

std::string reductionAdvice(const ReductionAdvice &P) {
  std::string Out;
  if (P.IsOfGrid && reductionRule(P) == "few-blocks")
    Out = formatv("launch {0:f0} blocks of {1} threads", P.WantedBlocks,
                  P.WantedThreads);
  else if (reductionRule(P) == "few-blocks")
    Out = formatv("split sums over blocks, {0:f0} of {1} threads in all",
                  P.WantedBlocks, P.WantedThreads);
  else
    Out = formatv("{0}; about {1:f0} blocks of {2} threads in all{3}",
                  howToRestructure(P), P.WantedBlocks, P.WantedThreads,
                  P.Kind == ReductionKind::Counters || P.IsBareTree
                      ? ""
                      : " (split sums over blocks where there are fewer)");
  Out += formatv(": predicted {0:f1} times as fast", P.gain());
  if (P.Bytes < P.Host.PaysFromBytes)
    Out += "; " + hostComparison(P);
  return Out;
}

std::string hostComparison(const ReductionAdvice &P) {
  const HostComparison &H = P.Host;
  if (H.PaysFromBytes == 0)
    return formatv("{0} cores of the host are always faster", H.Cores);
  std::string Out =
      formatv("for less than {0:f1} MB {1} cores of the host are faster with "
              "data of their own memory",
              H.PaysFromBytes * 1e-6, H.Cores);
  if (H.CopiedPaysFromBytes == 0)
    Out += formatv(", and for all that is copied to the GPU for less than "
                   "{0:f0} passes",
                   std::max(2.0, H.PassesForCopy));
  else
    Out += formatv(", {0:f1} MB if it is copied to the GPU first",
                   H.CopiedPaysFromBytes * 1e-6);
  return Out;
}

json::Object reductionToJSON(const ReductionAdvice &P) {
  json::Object Out{{"kind", reductionKey(P.Kind)}};
  if (P.Reason != ReductionAdviceReason::None)
    Out["stays"] = reductionAdviceReasonName(P.Reason);
  if (P.Kind == ReductionKind::None)
    return Out;
  if (P.ByBlocks.empty()) {
    Out["bytes"] = P.Bytes;
    Out["seconds"] = P.Now.seconds();
    return Out;
  }
  json::Array ByBlocks;
  for (const BlocksReach &R : P.ByBlocks)
    ByBlocks.push_back(json::Object{
        {"blocks", R.Blocks}, {"seconds", R.Seconds}, {"gbs", R.GBs}});
  const HostComparison &H = P.Host;
  json::Object Host{{"cores", H.Cores},
                    {"gbs", H.GBs},
                    {"seconds", H.Seconds},
                    {"pays_from_bytes", H.PaysFromBytes},
                    {"passes_for_copy", H.PassesForCopy}};
  if (H.CopiedPaysFromBytes)
    Host["copied_pays_from_bytes"] = H.CopiedPaysFromBytes;
  Out["bytes"] = P.Bytes;
  Out["seconds"] = P.Now.seconds();
  Out["bound_by"] = resourceName(P.Now.limit());
  Out["reached_gbs"] = P.ReachedGBs;
  Out["best_gbs"] = P.BestGBs;
  Out["under_way_bytes"] = P.UnderWay;
  Out["needed_under_way_bytes"] = P.NeededUnderWay;
  Out["blocks"] = P.Blocks;
  Out["wanted_blocks"] = P.WantedBlocks;
  Out["wanted_threads"] = P.WantedThreads;
  Out["wanted_seconds"] = P.BestSeconds;
  Out["by_blocks"] = std::move(ByBlocks);
  Out["host"] = std::move(Host);
  return Out;
}

} // namespace gridspan
