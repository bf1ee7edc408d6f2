//===- Ranks.h - A program that mpirun has started --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several processes of one program: rank 0 runs it, and the others are its
// devices. That begins before the program's own constructors: a rank other than
// 0 serves from there on, and ends without having run anything of the program.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_RANKS_H
#define GRIDSPAN_RUNTIME_RANKS_H

#include "runtime/Config.h"
#include "runtime/backend/Backend.h"
#include <memory>
#include <string>

namespace gridspan {

/// Returns true if this is rank 0 of several.
bool hasRanks();

/// Returns true if this is one of several processes that are to be ranks, but
/// the program cannot have any: its runtime is in a library, which is there
/// before the program's kernels are known.
bool lacksRanks();

/// Returns the devices of all ranks, of which Own are this rank's; null with a
/// Message if some rank has none. Precondition: hasRanks().
std::unique_ptr<Backend> addRanks(const Config &Settings,
                                  std::unique_ptr<Backend> Own,
                                  std::string &Message);

/// Returns what Settings mean on this rank: where several are on a machine, all
/// GPUs are one each, and its processors are shared.
Config settingsOfRank(Config Settings);

/// Lets the other ranks end, and says what hinders them. To be called when the
/// process ends.
void endRanks();

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_RANKS_H
