//===- Places.h - Pointers that may lead to the same memory -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks whether what is written by one pointer may be read by another, wherever
// the pointers come from. The search for waits asks it: what a thread has read
// of other blocks may come back to it by any way.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_PLACES_H
#define GRIDSPAN_ANALYSIS_NVPTX_PLACES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace gridspan {

/// Returns one of the loads that stands for all that load the same pointer of
/// what the host has given, in a struct that is an argument or in constant
/// memory, if Object is one of them; null otherwise.
const llvm::Value *givenPointer(const llvm::Value *Object);

/// Errs on the side of taking places for the same, but for what a kernel is
/// given: its arguments, the pointers in them, and the program's variables are
/// taken for different places.
class Places {
public:
  /// Returns true if the pointers may lead to the same variable, array or
  /// object.
  bool mayMeet(const llvm::Value *A, const llvm::Value *B);

  /// Returns true if Pointer may lead to memory that only the block, or the
  /// thread, has.
  bool mayBePrivate(const llvm::Value *Pointer);

  /// Returns true if I, or what it calls, may write where From leads. A From of
  /// null leads anywhere.
  bool mayWriteTo(const llvm::Instruction &I, const llvm::Value *From);

private:
  bool areApart(const llvm::Value *Object, const llvm::Value *Other);
  bool escapes(const llvm::Value *Object);
  bool mayEscape(const llvm::Function &F);
  bool mayMeetAny(llvm::ArrayRef<const llvm::Value *> Objects,
                  const llvm::Value *Other);
  bool mayWriteIn(const llvm::Instruction &Inside, const llvm::CallBase &Call,
                  const llvm::Value *From);
  bool mayWriteHere(const llvm::Instruction &I, const llvm::Value *From);

  llvm::DenseMap<const llvm::Value *, bool> Escaping;
};

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_PLACES_H
