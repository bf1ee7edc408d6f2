//===- LoadedFiles.h - Places in libraries, on every rank -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries are at other addresses on each rank. What is in one is named by the
// file, a checksum of it and the distance from where the file begins. A rank
// that has not loaded the library does so, once it is asked for something in
// it: rank 0 loads libraries when the program says so, which other ranks do not
// run.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_LOADEDFILES_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_LOADEDFILES_H

#include "runtime/backend/ranks/Messages.h"
#include <functional>
#include <string>

namespace gridspan::ranks {

/// Returns the place of something in a library; one without a file for what is
/// in the program, or nowhere.
FilePlace placeOf(const void *Address);

/// Runs what it is given, which loads a library and so runs its constructors.
using LoadLibrary = std::function<void(const std::function<void()> &Load)>;

/// Returns the address of a place in a library; null with a Message if this
/// process cannot have the same file. The bytes there may be anything.
const void *addressOf(const FilePlace &Place, const LoadLibrary &Around,
                      std::string &Message);

/// The addresses of a library that is loaded; none if it is not.
struct LoadedAddresses {
  uint64_t Base = 0, End = 0;
  bool contains(const void *Address) const {
    const auto At = reinterpret_cast<uint64_t>(Address);
    return At >= Base && At < End;
  }
};
LoadedAddresses addressesOf(const std::string &File);

/// Unloads a library if addressOf has loaded it.
void unload(const std::string &File);

/// Returns a checksum of a file; 0 if it cannot be read.
uint64_t checksumOfFile(const std::string &Path);

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_LOADEDFILES_H
