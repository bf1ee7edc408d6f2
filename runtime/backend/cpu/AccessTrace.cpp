//===- AccessTrace.cpp - Writes the accesses of kernels -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU executes an instruction for the lanes of a warp together; the CPU
// device runs threads one after the other. Lanes that execute a site in the
// same iterations of the loops around it are joined into one request, as the
// lanes of a warp meet again at the end of each iteration. A site may execute
// several times in one iteration (a function that is called twice, a cycle that
// is no loop). Then the n-th executions are joined: a GPU does so when lanes
// take the same path, and it is the best case when they do not.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/AccessTrace.h"
#include "gridspan/WarpSize.h"
#include <algorithm>
#include <cstring>
#include <tuple>

namespace gridspan {

/// Appends the bytes of a plain value; the file has the host's byte order,
/// which is little endian on every host that CUDA runs on.
template <typename T> static void put(std::string &Out, const T &Value) {
  static_assert(std::is_trivially_copyable_v<T>);
  Out.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

/// Frames a record: kind, length, contents.
static void putRecord(std::string &Out, TraceRecordKind Kind,
                      const std::string &Contents) {
  put(Out, Kind);
  put(Out, static_cast<uint32_t>(Contents.size()));
  Out += Contents;
}

std::unique_ptr<AccessTraceFile>
AccessTraceFile::create(const std::string &Path) {
  FILE *File = std::fopen(Path.c_str(), "wbe");
  if (!File)
    return nullptr;
  std::unique_ptr<AccessTraceFile> Out(new AccessTraceFile(File));
  Out->append(std::string(TraceMagic));
  return Out;
}

AccessTraceFile::~AccessTraceFile() { std::fclose(File); }

void AccessTraceFile::append(const std::string &Records) {
  MutexLock Guard(Lock);
  // Flushed, because programs may end without running destructors.
  if (std::fwrite(Records.data(), 1, Records.size(), File) != Records.size() ||
      std::fflush(File) != 0)
    Failed = true;
}

uint32_t AccessTraceFile::beginLaunch(TracedLaunch Launch) {
  Launch.Id = NextLaunch++;
  std::string Contents;
  put(Contents, Launch.Id);
  put(Contents, Launch.Device);
  put(Contents, Launch.GridDim);
  put(Contents, Launch.BlockDim);
  put(Contents, Launch.BlockLo);
  put(Contents, Launch.BlockCount);
  put(Contents, static_cast<uint32_t>(Launch.Kernel.size()));
  Contents += Launch.Kernel;
  put(Contents, static_cast<uint32_t>(Launch.Parameters.size()));
  Contents.append(reinterpret_cast<const char *>(Launch.Parameters.data()),
                  Launch.Parameters.size());
  std::string Record;
  putRecord(Record, TraceRecordKind::Launch, Contents);
  append(Record);
  return Launch.Id;
}

BlockTrace::BlockTrace(AccessTraceFile &File, uint32_t Launch,
                       std::array<uint32_t, 3> Block)
    : File(File), Launch(Launch), Block(Block) {}

void BlockTrace::record(uint32_t Thread, uint32_t Site, uint32_t Mode,
                        uint64_t Address, uint64_t Bytes, uint64_t Iterations) {
  // A block copy of no length touches nothing.
  if (Bytes == 0)
    return;
  Events.push_back({Site, Thread / WarpSize, Mode, static_cast<uint32_t>(Bytes),
                    Thread % WarpSize, Iterations, Events.size(), 0, Address});
}

void BlockTrace::countRepetitions() {
  auto Key = [](const Event &E) {
    return std::tie(E.Site, E.Warp, E.Mode, E.Iterations, E.Lane);
  };
  std::sort(Events.begin(), Events.end(), [&](const Event &L, const Event &R) {
    return std::tuple_cat(Key(L), std::tie(L.Order)) <
           std::tuple_cat(Key(R), std::tie(R.Order));
  });
  for (size_t I = 1; I < Events.size(); ++I)
    if (Key(Events[I]) == Key(Events[I - 1]))
      Events[I].Repetition = Events[I - 1].Repetition + 1;
}

void BlockTrace::finish() {
  countRepetitions();
  auto Stream = [](const Event &E) { return std::tie(E.Site, E.Warp, E.Mode); };
  auto Moment = [](const Event &E) {
    return std::tie(E.Iterations, E.Repetition);
  };
  auto Request = [&](const Event &E) {
    return std::tuple_cat(Stream(E), Moment(E), std::tie(E.Bytes));
  };
  std::sort(Events.begin(), Events.end(), [&](const Event &L, const Event &R) {
    return std::tuple_cat(Request(L), std::tie(L.Lane)) <
           std::tuple_cat(Request(R), std::tie(R.Lane));
  });
  std::string Records, Contents;
  uint32_t Occurrence = 0;
  for (auto First = Events.begin(); First != Events.end();) {
    if (First != Events.begin()) {
      const Event &Before = *std::prev(First);
      if (Stream(Before) != Stream(*First))
        Occurrence = 0;
      else if (Moment(Before) != Moment(*First))
        ++Occurrence;
    }
    auto Last = std::find_if(First, Events.end(), [&](const Event &E) {
      return Request(E) != Request(*First);
    });
    uint32_t LaneMask = 0;
    for (auto E = First; E != Last; ++E)
      LaneMask |= 1U << E->Lane;
    Contents.clear();
    put(Contents, Launch);
    put(Contents, Block);
    for (uint32_t Field : {First->Site, First->Mode, First->Bytes, First->Warp,
                           Occurrence, LaneMask})
      put(Contents, Field);
    for (; First != Last; ++First)
      put(Contents, First->Address);
    putRecord(Records, TraceRecordKind::Request, Contents);
  }
  Events.clear();
  File.append(Records);
}

} // namespace gridspan
