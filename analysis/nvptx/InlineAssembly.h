//===- InlineAssembly.h - What PTX inline assembly does ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_NVPTX_INLINEASSEMBLY_H
#define GRIDSPAN_ANALYSIS_NVPTX_INLINEASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace gridspan {

/// What an assembly text may do, as far as splitting a grid is concerned.
struct AssemblyEffects {
  bool Known = true;         ///< every instruction is on the list of known ones
  bool GridBarrier = false;  ///< reads the handle of the grid group
  bool BlockCluster = false; ///< clusters, distributed shared memory
  bool TextureOrSurface = false;       ///< tex, tld4, suld, sust, sured
  bool MultiprocessorIdentity = false; ///< %smid, %nsmid, %gridid, ...
  bool Loads = false;                  ///< reads memory by an address
  bool Stores = false;                 ///< writes memory by an address
  bool Atomics = false;                ///< atom, red
};

/// Reads the statements of Text (the string of an llvm::InlineAsm).
AssemblyEffects assemblyEffects(llvm::StringRef Text);

/// Text with every atomic, fence and scoped access at system scope; the same
/// text when there is none. PTX ISA, "Memory consistency model": an operation
/// without a scope has the scope .gpu.
std::string widenAssemblyScope(llvm::StringRef Text);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_NVPTX_INLINEASSEMBLY_H
