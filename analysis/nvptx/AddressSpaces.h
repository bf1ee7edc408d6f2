//===- AddressSpaces.h - Address spaces of NVPTX ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of the address spaces, and the kinds of memory that a pointer may
// lead to. A pointer in a specific space leads there by its type. A generic one
// is followed to the object that it is derived from, however many steps away.
//
// Source: LLVM's "User Guide for NVPTX Back-end", "Address Spaces".
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_ADDRESSSPACES_H
#define GRIDSPAN_ANALYSIS_NVPTX_ADDRESSSPACES_H

namespace llvm {
class Value;
} // namespace llvm

namespace gridspan {

constexpr unsigned GenericSpace = 0;
constexpr unsigned GlobalSpace = 1;
constexpr unsigned SharedSpace = 3;
constexpr unsigned ConstantSpace = 4;
constexpr unsigned LocalSpace = 5;

/// True if pointers in the address space may lead to global memory.
constexpr bool mayBeGlobalSpace(unsigned Space) {
  return Space == GenericSpace || Space == GlobalSpace;
}

/// True if neither Pointer nor the object behind it is known to be elsewhere
/// than in global memory.
bool mayBeGlobal(const llvm::Value *Pointer);

/// True if Pointer leads to shared memory.
bool isSharedMemory(const llvm::Value *Pointer);

/// True if Pointer leads to constant memory, which no kernel writes.
bool isConstantMemory(const llvm::Value *Pointer);

/// True if Pointer leads to memory that other blocks do not have: shared, local
/// or a thread's stack.
bool isPrivateMemory(const llvm::Value *Pointer);

/// Returns a pointer into the one object that the address, a number, is
/// computed from, or null: other numbers in it, of at most 32 bits, are taken
/// for offsets.
const llvm::Value *baseOfAddress(const llvm::Value *Number);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_ADDRESSSPACES_H
