//===- KernelObjects.h - Memory that a kernel is given ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a kernel, the pointers in them, and the variables of the
// program, and what writes to them. They are taken for different places, as
// everywhere in the search for waits; of another pointer that comes from memory
// nothing is known.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_LEGALITY_KERNELOBJECTS_H
#define GRIDSPAN_ANALYSIS_LEGALITY_KERNELOBJECTS_H

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace gridspan {

/// Returns the kernel argument or the variable that Pointer leads into, or what
/// stands for a pointer in one (givenPointer), or null.
const llvm::Value *knownObject(const llvm::Value *Pointer);

/// Returns true if I, or what it calls, may write to the object, which other
/// blocks have too.
bool mayWriteObject(const llvm::Instruction &I, const llvm::Value *Object);

/// Returns true if A and B access the same object, but whatever their indices
/// are to other bytes of it: to different fields of structs in an array.
bool areFieldsApart(const llvm::Instruction &A, const llvm::Instruction &B);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_LEGALITY_KERNELOBJECTS_H
