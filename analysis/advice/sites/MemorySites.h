//===- MemorySites.h - Loads, stores and atomics of a kernel ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction that touches global or shared memory, with what is needed to
// say which address each lane of a warp has in it: unlike the ranges of
// KernelSummary.h, offset and conditions are those of one thread. Plain data:
// it refers to nothing in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_SITES_MEMORYSITES_H
#define GRIDSPAN_ANALYSIS_ADVICE_SITES_MEMORYSITES_H

#include "analysis/advice/sites/RecordTypes.h"
#include "analysis/expr/Expr.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <string>
#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace gridspan {

struct KernelAnalyses;

enum class MemorySpace { Global, Shared };
enum class SiteKind { Load, Store, Atomic };

/// "load", ...
llvm::StringRef siteKindName(SiteKind Kind);

/// A loop around a site.
struct SiteLoop {
  int64_t Number = 0;            ///< of its Iter nodes
  ExprId BackedgeTaken = NoExpr; ///< of a thread; NoExpr: not known
  /// True if it goes round just that often, not only at most.
  bool IsExact = true;
  /// The condition under which a thread goes on after an iteration, where that
  /// is all that ends the loop and known in each iteration; else NoExpr.
  ExprId Stay = NoExpr;
};

constexpr uint32_t NoSite = ~uint32_t(0);

struct MemorySite {
  /// The number in AccessSummary; NoSite if several accesses have become one.
  uint32_t Site = NoSite;
  MemorySpace Space = MemorySpace::Global;
  SiteKind Kind = SiteKind::Load;
  bool IsFloatAtomic = false;
  /// An atomic of shared memory whose lanes on one address go together: ptxas
  /// adds up a uniform address's operands in the warp, and the hardware counts
  /// the lanes that add one (REDUX, ATOMS.POPC.INC).
  bool IsJoinedInWarp = false;
  bool IsNoAlias = false; ///< its base is a parameter that is __restrict__
  /// Bytes of one lane in one execution, and in one machine instruction: what
  /// the alignment allows, 16 at most.
  unsigned Size = 0, Piece = 0;
  unsigned Alignment = 1; ///< of the address, as the compiler knows it
  /// The struct type that the address steps over, as the IR names it, or empty.
  std::string Record;
  std::string Base;       ///< "arg2", "arg2+8", or the shared variable's name
  ExprId Offset = NoExpr; ///< bytes from the base in a thread, 64 bits wide
  /// An Offset that is unknown or carried, but for a base that may not be known
  /// either, with open stand-ins (StandIn.h) for what lanes of a warp share;
  /// else NoExpr.
  ExprId OpenOffset = NoExpr;
  /// Sites with one number have the same element index but for a constant,
  /// also where it was loaded, each times its IndexBytes; NoSite: not known.
  uint32_t Index = NoSite;
  int64_t IndexBytes = 0;
  /// The start of an Offset that is unknown but steps alike in all lanes.
  ExprId Start = NoExpr;
  /// Conditions, one bit wide: all hold if and only if a thread gets here in
  /// the given iterations, as far as they are known and no loop has ended
  /// before.
  llvm::SmallVector<ExprId, 4> Guards;
  llvm::SmallVector<SiteLoop, 2> Loops; ///< outermost first
  unsigned Block = 0;                   ///< of the kernel, in layout order
  bool IsResultUsed = true;             ///< of an atomic: the old value
  /// The code is that of a library, inlined or not, which the program cannot
  /// change.
  bool IsOfLibrary = false;
  std::string Where; ///< "file:line:col" in the user's source, or empty
  std::string Why;   ///< why Offset is unknown, or empty
};

/// A basic block: when and how often a thread gets to it. Guards and Loops are
/// as in MemorySite.
struct CodeBlock {
  llvm::SmallVector<ExprId, 4> Guards;
  llvm::SmallVector<SiteLoop, 2> Loops;
};

/// Instructions of one loop's own blocks, or of those outside of loops. A block
/// under a condition counts as executed.
struct WorkLevel {
  /// Warp instructions of a thread: all of them, and those of the pipes that
  /// are narrower than issue; Fp32 and Fp64 with a product and its sum as one.
  double Issue = 0, Fp32 = 0, Fp64 = 0, Sfu = 0;
  llvm::SmallVector<SiteLoop, 2> Loops; ///< outermost first
  /// Loads in it whose address depends on another of its loads.
  bool HasDependentLoads = false;
  /// A sum, product, minimum or maximum over its iterations of what is loaded.
  bool HasReduction = false;
  bool HasBarrier = false;
  /// Loads in it have to wait for stores in it to another array, which may be
  /// the same memory.
  bool AreLoadsOrdered = false;
};

/// The way in which the threads of a block join what they have gathered.
enum class JoinKind { None, Shuffles, SharedMemory };

/// Returns how the site's requests pass over the banks of shared memory.
inline SharedAccess sharedAccessOf(const MemorySite &Site) {
  if (Site.Kind == SiteKind::Store)
    return SharedAccess::Store;
  return Site.Kind == SiteKind::Load || Site.IsJoinedInWarp
             ? SharedAccess::Load
             : SharedAccess::Atomic;
}

struct KernelSites {
  std::string Name;         ///< mangled
  bool IsOfLibrary = false; ///< the kernel is one of CUDA's libraries
  uint32_t MaxThreads = 0;  ///< of a block, by launch bounds; 0: no bound
  /// Has an array of shared memory as long as the launch says.
  bool UsesDynamicShared = false;
  std::vector<MemorySite> Sites;
  std::vector<CodeBlock> Blocks; ///< in layout order, if asked for
  std::vector<WorkLevel> Work;
  JoinKind Join = JoinKind::None;
  /// The struct types of Sites, by name.
  std::map<std::string, RecordType> Records;
  ExprGraph Exprs;

  /// Returns what is known of the site's struct type; of none, the defaults.
  RecordType recordOf(const MemorySite &Site) const {
    auto It = Records.find(Site.Record);
    return It == Records.end() ? RecordType() : It->second;
  }
};

KernelSites collectMemorySites(const llvm::Function &Kernel,
                               const KernelAnalyses &Analyses,
                               bool WithBlocks = false);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_SITES_MEMORYSITES_H
