//===- KernelSummary.h - Facts about a kernel -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts that the device compilation finds and the host compilation and the
// launch use: plain data, and its JSON form. It refers to nothing in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SUMMARY_KERNELSUMMARY_H
#define GRIDSPAN_ANALYSIS_SUMMARY_KERNELSUMMARY_H

#include "analysis/expr/Expr.h"
#include "gridspan/ABI.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace gridspan {

/// A parameter of the kernel in its parameter buffer, in bytes.
struct ParamSummary {
  uint32_t Offset;
  uint32_t Size;
};

/// How the clone for records finds what lies behind a pointer
/// (GridspanRecordForm).
struct FormSummary {
  uint32_t RecordBytes = 0;     ///< 0: where it always is
  uint32_t Flags = 0;           ///< GridspanFormFlags
  uint32_t SavedBytes = 0;      ///< of a record, for each launch
  std::vector<uint32_t> Fields; ///< where fields begin; ascending from 0
  bool operator==(const FormSummary &) const = default;
};

/// A pointer that the kernel receives. Pointers that are never dereferenced
/// have Modes 0.
struct PointerSummary {
  uint32_t Param;            ///< index of the parameter
  uint32_t ByteOffset;       ///< of the pointer within it
  uint32_t Modes = 0;        ///< GridspanMode bits
  bool Replicable = false;   ///< see GridspanReplicable
  bool Redirectable = false; ///< see GridspanRedirectable
  bool OwnElement = false;   ///< see GridspanOwnElement
  bool Packable = false;     ///< see GridspanPackable
  /// The operation that the kernel reduces with there; None: it does not.
  GridspanReduction Reduction = GridspanReduction::None;
  FormSummary Form; ///< of the clone for records
};

/// The handle of a texture that the kernel receives (GridspanTexture).
struct TextureSummary {
  uint32_t Param;      ///< index of the parameter
  uint32_t ByteOffset; ///< of the handle within it
  bool operator==(const TextureSummary &) const = default;
};

/// An access site through one possible base pointer. A site whose base may be
/// one of two pointers is two accesses with one Site.
struct AccessSummary {
  int32_t Pointer = -1;     ///< index into Pointers; -1: base unknown
  uint32_t Mode = 0;        ///< one GridspanMode bit
  uint32_t ElementSize = 0; ///< bytes touched by one execution, if Length none
  ExprId Offset = NoExpr;   ///< byte offset from the base pointer, 64 bits wide
  ExprId Length = NoExpr;   ///< bytes, for memcpy and memset; else NoExpr
  /// An expression of an unknown Offset with Load nodes, which bounds it in
  /// launches that know the loaded indices; else NoExpr.
  ExprId Inspected = NoExpr;
  /// The reason why a loaded index has no such expression (Inspection.def), or
  /// empty.
  std::string WhyNotInspected;
  /// Every guard of the site is part of Offset and its symbols are independent,
  /// so that when the evaluation is exact the range is.
  bool ExactIfEvaluated = false;
  uint32_t Site = 0; ///< unique in the module
  std::string Where; ///< "file:line:col", or empty
  std::string Why;   ///< reason, when Pointer is -1 or Offset is unknown

  /// Returns the loads that must be known for the range to be: without these it
  /// is unknown, not only loose.
  llvm::SmallVector<ExprId, 4> neededLoads(const ExprGraph &Exprs) const {
    if (Inspected == NoExpr || Exprs[Offset].Kind != ExprKind::Unknown)
      return {};
    return Exprs.loadsBelow(Inspected);
  }

  /// Returns the expression that a range function evaluates.
  ExprId rangeOffset() const {
    return Inspected == NoExpr ? Offset : Inspected;
  }
};

/// The cost of a loop nest level of the kernel on the multiprocessor that it is
/// compiled for, in issue slots of a thread. Each thread executes it as often
/// as the product of the trip counts says.
struct WorkTerm {
  double IssueCost = 0;
  double Atomics =
      0; ///< on global memory, by the share of threads that do them
  llvm::SmallVector<ExprId, 3> TripCounts;
};

/// A reason why the grid may not be split, with the place.
struct RefusalSummary {
  std::string Name; ///< kebab-case, stable: see Legality.def
  std::string Text; ///< one sentence for people, "file:line:col" if known
};

/// An access whose requests the recording clone samples.
struct ProbeSummary {
  uint32_t Site = 0;  ///< as in AccessSummary
  uint32_t Mode = 0;  ///< one GridspanMode bit
  uint32_t Bytes = 0; ///< of a lane
  bool operator==(const ProbeSummary &) const = default;
};

struct KernelSummary {
  std::string Name;      ///< mangled
  std::string CloneName; ///< of the tiled clone, or empty
  /// Names of the clones of the kernel and of its tiled clone for arguments
  /// that do not overlap (GridspanKernel::NoAliasStub). Empty where there is
  /// none.
  std::string NoAliasName;
  std::string TiledNoAliasName;
  std::string PackedName;    ///< of the tiled clone with packed rows, or empty
  std::string RecordingName; ///< of the clone that records, or empty
  std::vector<ProbeSummary> Probes; ///< of that clone
  std::string FormedName;           ///< of the clone for records, or empty
  std::string FormedNoAliasName;    ///< of its own, like NoAliasName
  std::vector<ParamSummary> Params;
  std::vector<PointerSummary> Pointers;
  std::vector<TextureSummary> Textures; ///< if it may be split
  std::vector<AccessSummary> Accesses;
  std::vector<WorkTerm> Work;
  std::vector<RefusalSummary> Refusals; ///< empty: may be split
  uint32_t Flags = 0;                   ///< GridspanKernelFlags
  uint32_t MaxThreads = 0;              ///< __launch_bounds__, 0: none
  ExprGraph Exprs;
};

/// A __managed__ variable, of which device code has the address.
struct ManagedSummary {
  std::string Name;
  uint64_t Size = 0;
  std::string Initial; ///< its bytes; empty: zeros
};

struct ModuleSummary {
  std::string Id; ///< unique for the translation unit
  /// The hash of the device code; of several architectures those that differ,
  /// separated by spaces.
  std::string Build;
  std::string Advice; ///< where advice on it is written, or empty
  std::vector<KernelSummary> Kernels;
  std::vector<ManagedSummary> Managed;
};

/// Version of the JSON form; a reader refuses any other.
constexpr int SummaryVersion = 6;

llvm::json::Value toJSON(const ModuleSummary &Summary);
llvm::Expected<ModuleSummary> moduleSummaryFromJSON(const llvm::json::Value &V);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SUMMARY_KERNELSUMMARY_H
