//===- LibraryApi.cpp - Around calls of libraries -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that compiled code makes around calls of libraries
// (LibraryCalls.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/launch/LibraryCalls.h"

using namespace gridspan;

void __gridspan_before_library_call(void *const *Pointers, unsigned Count) {
  Runtime *R = Runtime::existing();
  if (!R)
    return Executor::enterLibrary(nullptr);
  try {
    if (!R->broken()) {
      (void)R->launches().residency().writeBack();
      R->launches().beforeLibraryCall(Pointers, Count);
    }
  } catch (...) {
    // The call is as right without.
  }
  Executor::enterLibrary(&R->memory());
}

void __gridspan_after_library_call() { Executor::leaveLibrary(); }
