//===- RecordUses.h - Accesses to arrays of records -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds pointers of a kernel that lead to arrays of records (structs), all of
// whose accesses are to known fields. What lies behind such a pointer may be
// kept in another order, if the kernel's addresses follow it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_RECORDUSES_H
#define GRIDSPAN_ANALYSIS_LEGALITY_RECORDUSES_H

#include "analysis/summary/KernelSummary.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <utility>

namespace llvm {
class Function;
class Instruction;
class Use;
class Value;
} // namespace llvm

namespace gridspan {

enum class RecordRefusal : uint8_t {
#define GRIDSPAN_RECORD_REFUSAL(Kind, Name, Text) Kind,
#include "analysis/legality/RecordUses.def"
};

/// Returns "crosses-records".
llvm::StringRef recordRefusalName(RecordRefusal R);
/// Returns "an access reaches from one record into the next".
llvm::StringRef recordRefusalText(RecordRefusal R);

/// A sum of bytes: values, each times its factor, and a constant. Values of
/// less than 64 bits are extended with their sign.
struct ByteSum {
  llvm::SmallVector<std::pair<llvm::Value *, int64_t>, 2> Terms;
  int64_t Constant = 0;
};

/// An access through the pointer.
struct RecordAccess {
  llvm::Use *Address;
  uint32_t Bytes;
  /// The address is At modulo Modulus bytes behind the pointer. The modulus is
  /// the record's size, or a divisor of it, where fields are chosen at run
  /// time.
  uint32_t At;
  uint32_t Modulus;
  /// It cannot be done in parts.
  bool IsIndivisible;
  /// The distance from the pointer; nothing if it is chosen on the way.
  std::optional<ByteSum> Distance;
};

/// What a kernel does with one of its pointers.
struct RecordUses {
  unsigned Pointer = 0; ///< index into KernelSummary::Pointers
  /// The size of a record; 0: the pointer leads to no records.
  uint32_t RecordBytes = 0;
  /// The name of the record's type, if the code has one; else empty.
  llvm::StringRef Type;
  llvm::SmallVector<RecordAccess, 8> Accesses;
  /// Set if the order of the memory must stay as it is. RecordBytes is then
  /// what was found out so far.
  std::optional<RecordRefusal> Refusal;
  const llvm::Instruction *Where = nullptr; ///< what is refused, if it is one
};

/// Returns the uses of one of Kernel's pointers, which it accesses memory with.
RecordUses recordUsesOf(llvm::Function &Kernel, const PointerSummary &P,
                        unsigned Number);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_RECORDUSES_H
