//===- InlineAssembly.h - Effects of PTX inline assembly --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what a text of inline PTX does that matters when a grid is split,
// from the one table of opcodes (analysis/ptx/PtxOpcodes.def). An opcode that
// the table lacks makes the effects unknown, which is a refusal, never a guess.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_INLINEASSEMBLY_H
#define GRIDSPAN_ANALYSIS_NVPTX_INLINEASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace gridspan {

/// The effects of an assembly text that matter when a grid is split.
struct AssemblyEffects {
  bool Known = true;         ///< all opcodes and special registers are known
  bool GridBarrier = false;  ///< reads the handle of the grid group
  bool BlockCluster = false; ///< clusters, distributed shared memory
  bool TextureOrSurface = false;       ///< tex, tld4, suld, sust, sured
  bool MultiprocessorIdentity = false; ///< %smid, %nsmid, %gridid, ...
  bool Loads = false;                  ///< reads memory by an address
  /// Of these, volatile, relaxed or acquiring ones, or those that pass by the
  /// cache that others do not write to.
  bool OrderedLoads = false;
  bool Stores = false;     ///< writes memory by an address
  bool OwnLoads = false;   ///< may read shared or local memory
  bool OwnStores = false;  ///< may write shared or local memory
  bool Atomics = false;    ///< atom, red
  bool Fences = false;     ///< fence, membar
  bool WideFences = false; ///< of these, others than the block's
  bool Pauses = false;     ///< nanosleep
  bool Waits = false;      ///< reads memory, and may jump back to that
};

/// Collects the effects of Text, the string of an llvm::InlineAsm.
AssemblyEffects assemblyEffects(llvm::StringRef Text);

/// Returns Text with every atomic, fence and scoped access at system scope; the
/// same text when there is none. An operation without a scope has the scope
/// .gpu (PTX ISA, "Memory Consistency Model").
std::string widenAssemblyScope(llvm::StringRef Text);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_INLINEASSEMBLY_H
