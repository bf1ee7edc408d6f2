//===- MpiLibrary.cpp - libgridspan-mpi.so --------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages over MPI, in a communicator of their own. Requests and messages are
// handles that the caller gives back: by isDone() that says so, and by
// receive().
//
// MPI-3.1: matched probes (3.8.2) let a message be received by who has found
// it; windows of shared memory (11.2.3) are the bells of a machine's ranks.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/mpi/MpiCalls.h"
#include <climits>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <new>
#include <vector>

namespace {

constexpr int Tag = 1;
constexpr int Failed = -1;
MPI_Comm Ranks = MPI_COMM_NULL;
MPI_Comm Machine = MPI_COMM_NULL; ///< the ranks that share memory
MPI_Win Bells = MPI_WIN_NULL;
std::vector<void *> BellOf; ///< by rank

/// Finds the bells of the ranks of this machine.
bool findBells(int Count) {
  MPI_Group All, Here;
  int NumHere = 0;
  if (MPI_Comm_size(Machine, &NumHere) || MPI_Comm_group(Ranks, &All) ||
      MPI_Comm_group(Machine, &Here))
    return false;
  BellOf.assign(static_cast<size_t>(Count), nullptr);
  for (int I = 0; I != NumHere; ++I) {
    int Rank = MPI_UNDEFINED, Unit = 0;
    MPI_Aint Bytes = 0;
    void *Memory = nullptr;
    if (MPI_Group_translate_ranks(Here, 1, &I, All, &Rank) ||
        Rank == MPI_UNDEFINED ||
        MPI_Win_shared_query(Bells, I, &Bytes, &Unit, &Memory))
      return false;
    BellOf[static_cast<size_t>(Rank)] = Memory;
  }
  return !MPI_Group_free(&All) && !MPI_Group_free(&Here);
}

/// Without memory in common there are no bells, and ranks look for messages.
void shareBells(int Count) {
  if (MPI_Comm_split_type(Ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                          &Machine) ||
      MPI_Comm_set_errhandler(Machine, MPI_ERRORS_RETURN))
    return;
  void *Own = nullptr;
  int Works = !MPI_Win_allocate_shared(GRIDSPAN_MPI_BELL_BYTES, 1,
                                       MPI_INFO_NULL, Machine, &Own, &Bells);
  if (Works)
    std::memset(Own, 0, GRIDSPAN_MPI_BELL_BYTES);
  Works = Works && findBells(Count);
  // All of them or none. Nobody rings before all have been cleared.
  int AllWork = 0;
  if (MPI_Allreduce(&Works, &AllWork, 1, MPI_INT, MPI_MIN, Machine) || !AllWork)
    BellOf.clear();
}

int begin(int32_t *Rank, int32_t *NumRanks) {
  int Initialized = 0, Provided = 0, Number = 0, Count = 0;
  if (MPI_Initialized(&Initialized) || Initialized ||
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &Provided) ||
      MPI_Comm_dup(MPI_COMM_WORLD, &Ranks) ||
      MPI_Comm_set_errhandler(Ranks, MPI_ERRORS_RETURN) ||
      MPI_Comm_rank(Ranks, &Number) || MPI_Comm_size(Ranks, &Count))
    return Failed;
  shareBells(Count);
  *Rank = Number;
  *NumRanks = Count;
  return 0;
}

void *bell(int32_t Rank) {
  const auto I = static_cast<size_t>(Rank);
  return I < BellOf.size() ? BellOf[I] : nullptr;
}

const char *library() {
  static char Text[MPI_MAX_LIBRARY_VERSION_STRING];
  int Length = 0;
  return MPI_Get_library_version(Text, &Length) ? "" : Text;
}

int send(int32_t To, const void *Bytes, uint64_t Count, void **Request) {
  if (Count > INT_MAX)
    return Failed;
  std::unique_ptr<MPI_Request> New(new (std::nothrow) MPI_Request);
  if (!New || MPI_Isend(Bytes, static_cast<int>(Count), MPI_BYTE, To, Tag,
                        Ranks, New.get()))
    return Failed;
  *Request = New.release();
  return 0;
}

int isDone(void *Request) {
  auto *Known = static_cast<MPI_Request *>(Request);
  int Flag = 0;
  if (MPI_Test(Known, &Flag, MPI_STATUS_IGNORE)) {
    delete Known;
    return Failed;
  }
  if (Flag)
    delete Known;
  return Flag ? 1 : 0;
}

int probe(int32_t *From, uint64_t *Count, void **Message) {
  MPI_Status Status;
  MPI_Message Found;
  int Flag = 0, Bytes = 0;
  // Open MPI looks first, and takes what has arrived from the network behind
  // that: only the second call sees what was there before the first.
  for (int Look = 0; !Flag && Look != 2; ++Look)
    if (MPI_Improbe(MPI_ANY_SOURCE, Tag, Ranks, &Flag, &Found, &Status))
      return Failed;
  if (!Flag)
    return 0;
  std::unique_ptr<MPI_Message> New(new (std::nothrow) MPI_Message(Found));
  if (!New || MPI_Get_count(&Status, MPI_BYTE, &Bytes) || Bytes < 0)
    return Failed;
  *From = Status.MPI_SOURCE;
  *Count = static_cast<uint64_t>(Bytes);
  *Message = New.release();
  return 1;
}

int receive(void *Message, void *Bytes, uint64_t Count, void **Request) {
  const std::unique_ptr<MPI_Message> Known(static_cast<MPI_Message *>(Message));
  std::unique_ptr<MPI_Request> New(new (std::nothrow) MPI_Request);
  if (!New || MPI_Imrecv(Bytes, static_cast<int>(Count), MPI_BYTE, Known.get(),
                         New.get()))
    return Failed;
  *Request = New.release();
  return 0;
}

int end() {
  BellOf.clear();
  return (Bells != MPI_WIN_NULL && MPI_Win_free(&Bells)) ||
                 (Machine != MPI_COMM_NULL && MPI_Comm_free(&Machine)) ||
                 MPI_Comm_free(&Ranks) || MPI_Finalize()
             ? Failed
             : 0;
}

void abortAll(int32_t Status) { MPI_Abort(MPI_COMM_WORLD, Status); }

} // namespace

extern "C" __attribute__((visibility("default"))) const GridspanMpiCalls *
__gridspan_mpi_calls(uint32_t Version) {
  static const GridspanMpiCalls Calls = {GRIDSPAN_MPI_CALLS_VERSION,
                                         0,
                                         begin,
                                         library,
                                         bell,
                                         send,
                                         isDone,
                                         probe,
                                         receive,
                                         end,
                                         abortAll};
  return Version == GRIDSPAN_MPI_CALLS_VERSION ? &Calls : nullptr;
}
