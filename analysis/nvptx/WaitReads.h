//===- WaitReads.h - Reads of what other blocks write -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an instruction reads, by which a kernel may wait for another block: a
// volatile or atomic read, on purpose, and any other one where a fence or a
// pause says that memory is to be read anew.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_WAITREADS_H
#define GRIDSPAN_ANALYSIS_NVPTX_WAITREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace llvm {
class Function;
class InlineAsm;
class Instruction;
class Value;
} // namespace llvm

namespace gridspan {

/// Returns the place of an atomic operation, or null. Of assembly only
/// compare-and-swaps are known.
const llvm::Value *placeOfAtomic(const llvm::Instruction &I);

/// Returns the place of a load, also of one in assembly, or null.
const llvm::Value *placeOfLoad(const llvm::Instruction &I);

/// Returns where I writes, also in assembly, or null if that is not known to be
/// within one object.
const llvm::Value *writtenBy(const llvm::Instruction &I);

/// Returns where I reads, also in assembly, or null if it reads nothing or it
/// is not known to be within one object.
const llvm::Value *readBy(const llvm::Instruction &I);

/// Returns true if I may read memory of which readBy() says nothing.
bool mayReadAnywhere(const llvm::Instruction &I);

/// Returns true if what I writes depends on memory that it reads.
bool writesWhatItReads(const llvm::Instruction &I);

/// Returns what an atomic operation expects if it is a compare-and-swap, or
/// null.
const llvm::Value *expectedBy(const llvm::Instruction &I);

/// An atomic addition of an integer.
struct Addition {
  const llvm::Value *Place;
  const llvm::Value *By;
  bool IsSubtraction;
};
/// Returns the addition that I is, also in assembly, or nothing.
std::optional<Addition> additionBy(const llvm::Instruction &I);

/// Returns the assembly that I is, or null.
const llvm::InlineAsm *assemblyOf(const llvm::Instruction &I);

/// Returns true if I is assembly that may write memory. Of assembly that is not
/// volatile the compiler says that it does not.
bool isWritingAssembly(const llvm::Instruction &I);

/// Returns true if I is assembly that may write memory that only the block, or
/// the thread, has.
bool isOwnWritingAssembly(const llvm::Instruction &I);

/// Returns true if I reads what another block may have written since, on
/// purpose: an atomic or volatile read, or an asynchronous copy.
bool isSynchronizingRead(const llvm::Instruction &I);

/// Returns true if I reads memory that another block may write, on purpose or
/// not.
bool mayReadOfOthers(const llvm::Instruction &I);

/// Returns the function with a body that I calls, or null.
const llvm::Function *calledBody(const llvm::Instruction &I);

/// Returns true if Wanted holds for an instruction of F, or of what it calls,
/// that is no such call itself.
bool reachesAny(const llvm::Function &F,
                llvm::function_ref<bool(const llvm::Instruction &)> Wanted);

/// Returns true for fences of more than the block and for pauses, also in
/// functions that are called.
bool isFenceOrPause(const llvm::Instruction &I);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_WAITREADS_H
