//===- Coalescing.h - Use that warps make of requests -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the 32-byte sectors that the warp requests of each load, store and
// atomic of global memory move. Beside them are the sectors that they would
// move if neighbouring lanes had neighbouring addresses. Accesses to shared
// memory are counted in passes over the banks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_COALESCING_COALESCING_H
#define GRIDSPAN_ANALYSIS_ADVICE_COALESCING_COALESCING_H

#include "analysis/advice/coalescing/OtherLaunches.h"
#include "analysis/advice/sites/LaunchAssumptions.h"
#include "analysis/advice/sites/MeasuredSites.h"
#include "analysis/advice/sites/MemorySites.h"
#include "analysis/advice/warpsim/SiteTraffic.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gridspan {

enum class AccessClass {
  Coalesced,    ///< at most one sector a request beyond the ideal
  Broadcast,    ///< one address in a request
  Partial,      ///< more than that
  Uncoalesced,  ///< nearly every lane has a sector of its own
  ConflictFree, ///< shared memory: the ideal number of passes
  Conflicts,    ///< more passes
  NotExecuted,  ///< by no thread of the launch
  Unknown,
};

/// "coalesced", "conflict-free", ...
llvm::StringRef accessClassName(AccessClass Class);

enum class WarpSectorsReason {
#define GRIDSPAN_WARP_SECTORS_REASON(Kind, Name) Kind,
#include "analysis/advice/coalescing/WarpSectorsReasons.def"
};
llvm::StringRef warpSectorsReasonName(WarpSectorsReason Reason);

struct SiteCoalescing {
  AccessClass Class = AccessClass::Unknown;
  SiteTraffic Traffic;
  /// Why the address is unknown, where lanes of a warp share what is unknown of
  /// it and the class is the same whatever that is; else empty.
  std::string Open;
  /// Bytes by which the address grows with threadIdx along x, y, z, the same in
  /// all threads of any launch; NoExpr where there is no such number.
  std::array<ExprId, 3> Stride = {NoExpr, NoExpr, NoExpr};
  /// Sectors of a full warp whose rows of threads start at a sector, over block
  /// shape and parameters, for blocks whose width is a power of two or a
  /// multiple of 32; or NoExpr and why.
  ExprId SectorsOfWarp = NoExpr;
  WarpSectorsReason NoSectors = WarpSectorsReason::None;
  /// Of a site that the launch does not execute: a parameter's value nobody
  /// gives with which it is, and its class then.
  std::optional<ParameterValue> Elsewhere;
  AccessClass ElsewhereClass = AccessClass::Unknown;
  /// The numbers are those of a sample that a run has recorded.
  bool IsMeasured = false;
};

struct KernelCoalescing {
  KernelSites Kernel;
  LaunchValues Launch;
  std::vector<SiteCoalescing> Sites; ///< beside Kernel.Sites
};

KernelCoalescing analyzeCoalescing(KernelSites Kernel,
                                   const LaunchAssumptions &Known,
                                   const TrafficOptions &Options = {});

/// Has measured numbers take the place of what follows from data in K.
void applyMeasurements(KernelCoalescing &K, const MeasuredSites &Of);

/// Returns true if a run can tell of the site what the compiler cannot, its
/// addresses or how often it is executed: in the launch that was looked at or,
/// where that does not execute the site, in others.
bool mayFollowFromData(const ExprGraph &Graph, const MemorySite &Site,
                       const SiteCoalescing &S);

/// Returns what to do about the site, or "" where there is nothing to say.
std::string coalescingAdvice(const KernelCoalescing &Kernel, size_t Site);

void printCoalescing(llvm::raw_ostream &OS, const KernelCoalescing &Kernel,
                     MemorySpace Space);

/// print<gridspan-coalescing>, print<gridspan-bank-conflicts>
class CoalescingPrinterPass
    : public llvm::PassInfoMixin<CoalescingPrinterPass> {
public:
  CoalescingPrinterPass(llvm::raw_ostream &OS, MemorySpace Space,
                        LaunchAssumptions Known, TrafficOptions Options)
      : OS(OS), Space(Space), Known(std::move(Known)), Options(Options) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &OS;
  MemorySpace Space;
  LaunchAssumptions Known;
  TrafficOptions Options;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_COALESCING_COALESCING_H
