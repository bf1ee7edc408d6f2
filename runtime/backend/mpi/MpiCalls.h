//===- MpiCalls.h - What the runtime needs of MPI ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of libgridspan-mpi.so, which is all that knows MPI. Programs
// do not link MPI: the runtime loads the library when a program is started by
// mpirun. All calls come from one thread.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_MPI_MPICALLS_H
#define GRIDSPAN_RUNTIME_BACKEND_MPI_MPICALLS_H

#include <cstdint>

/// Changes with GridspanMpiCalls.
#define GRIDSPAN_MPI_CALLS_VERSION 2
/// No two ranks have theirs in one line of a cache.
#define GRIDSPAN_MPI_BELL_BYTES 128

extern "C" {

/// Functions return 0 for success, where nothing else is said.
struct GridspanMpiCalls {
  uint32_t Version; ///< GRIDSPAN_MPI_CALLS_VERSION
  uint32_t Reserved;
  /// Initializes MPI, or fails if the program has.
  int (*Init)(int32_t *Rank, int32_t *NumRanks);
  /// Returns the name and version of the MPI library.
  const char *(*Library)();
  /// Returns GRIDSPAN_MPI_BELL_BYTES of memory that are Rank's among those of
  /// its machine, zeros at first and aligned like any object, until Finalize;
  /// null if this process does not share memory with Rank.
  void *(*Bell)(int32_t Rank);
  /// Begins to send bytes, which stay as they are until IsDone says so.
  int (*Send)(int32_t To, const void *Bytes, uint64_t Count, void **Request);
  /// Returns 1 when it is done, and the request gone; 0 before; else an error.
  int (*IsDone)(void *Request);
  /// Returns 1 if a message has arrived, 0 if none has, else an error.
  int (*Probe)(int32_t *From, uint64_t *Count, void **Message);
  /// Begins to take a message that Probe has found. Its bytes are there when
  /// IsDone says so.
  int (*Receive)(void *Message, void *Bytes, uint64_t Count, void **Request);
  /// Ends MPI; all ranks do.
  int (*Finalize)();
  /// Ends all ranks.
  void (*Abort)(int32_t Status);
};

/// Exported by the library. Returns null for another version.
typedef const GridspanMpiCalls *(*GridspanMpiCallsFn)(uint32_t Version);

} // extern "C"

#endif // GRIDSPAN_RUNTIME_BACKEND_MPI_MPICALLS_H
