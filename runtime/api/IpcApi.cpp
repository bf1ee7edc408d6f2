//===- IpcApi.cpp - Memory and events that processes share ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle of 64 bytes cannot hold a file, by which processes get memory of
// ours. It says where another process can fetch one (FileServer). Handles of
// memory that is not ours are CUDA's.
//
// CUDA returns the same address each time that a process opens a handle, and
// the memory is there until it has been closed as often.
//
// Events of GPUs are CUDA's, and so are their handles. Those of CPU devices are
// files, too (SharedSignal).
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/support/FileServer.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <vector>

using namespace gridspan;

namespace {

/// What a cudaIpcMemHandle_t of ours holds.
struct MemoryHandle {
  char Mark[16];
  FileAddress File;
  uint64_t Offset; ///< of the allocation in the memory that is shared
};
static_assert(sizeof(MemoryHandle) <= sizeof(cudaIpcMemHandle_t));
constexpr char Mark[16] = "Gridspan memory";

/// The handle of an allocation, which keeps it: the memory is offered as long.
struct Offer {
  MemoryHandle Handle = {};

  ~Offer() { FileServer::get().withdraw(Handle.File); }
};

/// What the server tells of a file.
struct FileNote {
  uint64_t Offset;
  uint64_t Bytes;
  std::array<std::byte, 16> Device;
};
static_assert(sizeof(FileNote) <= sizeof(NotedFile::Note));

/// A handle that this process has opened, as long as nothing else, such as
/// cudaDeviceReset, has freed the memory.
struct OpenedMemory {
  std::weak_ptr<Allocation> Memory;
  unsigned Count = 0;
};
struct OpenedTable {
  Mutex Lock;
  std::map<FileAddress, OpenedMemory> Memories GUARDED_BY(Lock);
};

} // namespace

static OpenedTable &opened() {
  static auto *Table = new OpenedTable;
  return *Table;
}

static cudaError_t explain(const char *Why, cudaError_t Error) {
  fmt::print(stderr, "gridspan: processes cannot share the memory: {}\n", Why);
  return Error;
}

/// Makes the pages of A ones that other processes can map.
static Expected<SharedPages> share(Runtime &R, Allocation &A,
                                   uint64_t &Offset) {
  constexpr auto Patience = std::chrono::milliseconds(500);
  const Expected<std::shared_ptr<ProgramStream>> S =
      R.streams().find(cudaStreamLegacy, DefaultStream::Legacy);
  if (!S)
    return S.error();
  // Most often there is nothing to wait for afterwards.
  if (cudaError_t Error = R.backend().synchronizeAll())
    return Error;
  PlacementWriter Placement(R.memory().placementLock(), std::defer_lock);
  constexpr const char *NotIdle = "devices or other threads do not become idle";
  if (!Placement.tryLockFor(Patience))
    return explain(NotIdle, cudaErrorNotReady);
  if (!R.launches().executor().becomeIdle(Patience))
    return explain(NotIdle, cudaErrorNotReady);
  Expected<SharedPages> Out = R.memory().share(A, Offset, (*S)->main());
  if (Out.error() == cudaErrorNotSupported)
    return explain("it is managed memory, or not on a device, or the system "
                   "has no files for memory of devices",
                   cudaErrorNotSupported);
  if (Out.error() == cudaErrorMemoryAllocation)
    return explain("a device lacks room for a copy of it",
                   cudaErrorMemoryAllocation);
  return Out;
}

/// Makes a handle of A and offers its memory.
static Expected<std::shared_ptr<const Offer>> offer(Runtime &R, Allocation &A) {
  auto Out = std::make_shared<Offer>();
  std::memcpy(Out->Handle.Mark, Mark, sizeof(Mark));
  Expected<SharedPages> Pages = share(R, A, Out->Handle.Offset);
  if (!Pages)
    return Pages.error();
  NotedFile File;
  const FileNote Note = {Pages->Offset, Pages->Bytes, Pages->Device};
  std::memcpy(File.Note.data(), &Note, sizeof(Note));
  File.File = std::move(Pages->File);
  const std::optional<FileAddress> Offered =
      FileServer::get().offer(std::move(File));
  if (!Offered)
    return explain("there can be no socket for it", cudaErrorOperatingSystem);
  Out->Handle.File = *Offered;
  return std::shared_ptr<const Offer>(std::move(Out));
}

static cudaError_t getHandle(Runtime &R, cudaIpcMemHandle_t *Out,
                             void *Address) {
  const std::shared_ptr<Allocation> A = R.memory().find(Address);
  if (!Out || !A)
    return cudaErrorInvalidValue;
  static Mutex Lock;
  MutexLock Guard(Lock);
  auto Present = std::static_pointer_cast<const Offer>(A->Offer);
  if (!Present) {
    Expected<std::shared_ptr<const Offer>> New = offer(R, *A);
    if (!New)
      return New.error();
    Present = *New;
    A->Offer = Present;
  }
  std::memset(Out, 0, sizeof(*Out));
  std::memcpy(Out, &Present->Handle, sizeof(Present->Handle));
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t
__gridspan_cudaIpcGetMemHandle(cudaIpcMemHandle_t *Out, void *Address) {
  return apiCall([=](Runtime &R) -> cudaError_t {
    if (!R.memory().find(Address) && hasVendorMemory(R))
      return cudaIpcGetMemHandle(Out, Address);
    return getHandle(R, Out, Address);
  });
}

static cudaError_t openHandle(Runtime &R, void **Out,
                              const MemoryHandle &Handle, unsigned Flags) {
  if (!Out || Flags != cudaIpcMemLazyEnablePeerAccess)
    return cudaErrorInvalidValue;
  *Out = nullptr;
  if (FileServer::get().isOwn(Handle.File))
    return cudaErrorDeviceUninitialized; // as CUDA's
  MutexLock Guard(opened().Lock);
  OpenedMemory &Opened = opened().Memories[Handle.File];
  std::shared_ptr<Allocation> A = Opened.Memory.lock();
  if (!A) {
    std::optional<NotedFile> File = FileServer::fetch(Handle.File);
    if (!File)
      return explain("the process that has it does not answer, or has freed it",
                     cudaErrorMapBufferObjectFailed);
    FileNote Note;
    std::memcpy(&Note, File->Note.data(), sizeof(Note));
    const Expected<void *> Base = R.memory().openShared(
        {std::move(File->File), Note.Offset, Note.Bytes, Note.Device});
    if (Base.error() == cudaErrorInvalidDevice)
      return explain("its device is none of this process",
                     cudaErrorInvalidDevice);
    if (!Base)
      return Base.error();
    A = R.memory().find(*Base);
    Opened = {A, 0};
  }
  ++Opened.Count;
  *Out = A->base() + Handle.Offset;
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaIpcOpenMemHandle(
    void **Out, cudaIpcMemHandle_t Native, unsigned Flags) {
  return apiCall([=](Runtime &R) -> cudaError_t {
    MemoryHandle Handle;
    std::memcpy(&Handle, &Native, sizeof(Handle));
    if (std::memcmp(Handle.Mark, Mark, sizeof(Mark)) == 0)
      return openHandle(R, Out, Handle, Flags);
    return hasVendorMemory(R) ? cudaIpcOpenMemHandle(Out, Native, Flags)
                              : cudaErrorInvalidValue;
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaIpcCloseMemHandle(void *Address) {
  return apiCall([=](Runtime &R) -> cudaError_t {
    const std::shared_ptr<Allocation> A = R.memory().find(Address);
    MutexLock Guard(opened().Lock);
    auto &Memories = opened().Memories;
    const auto It =
        std::find_if(Memories.begin(), Memories.end(), [&](const auto &Entry) {
          return A && Entry.second.Memory.lock() == A;
        });
    if (It != Memories.end()) {
      if (--It->second.Count)
        return cudaSuccess;
      Memories.erase(It);
      R.lookup().noteFreed(A->base(), A->bytes());
      return R.memory().free(A->base());
    }
    return !A && hasVendorMemory(R) ? cudaIpcCloseMemHandle(Address)
                                    : cudaErrorInvalidValue;
  });
}

//===--- Events ---------------------------------------------------------===//

namespace {

/// What a cudaIpcEventHandle_t of ours holds.
struct EventHandle {
  char Mark[16];
  FileAddress File;
};
static_assert(sizeof(EventHandle) <= sizeof(cudaIpcEventHandle_t));
constexpr char EventMark[16] = "Gridspan event";

/// The file of an event that other processes may fetch as long as it exists.
struct OfferedEvent {
  std::weak_ptr<Event> Owner;
  FileAddress File;
};
struct OfferedEvents {
  Mutex Lock;
  std::vector<OfferedEvent> All GUARDED_BY(Lock);
};

} // namespace

static OfferedEvents &offeredEvents() {
  static auto *Table = new OfferedEvents;
  return *Table;
}

/// Returns the file of E, which is offered now if it was not before. Files of
/// events that have been destroyed are withdrawn by the way.
static Expected<FileAddress> offer(Runtime &R,
                                   const std::shared_ptr<Event> &E) {
  OfferedEvents &Table = offeredEvents();
  MutexLock Guard(Table.Lock);
  std::erase_if(Table.All, [](const OfferedEvent &Offered) {
    if (!Offered.Owner.expired())
      return false;
    FileServer::get().withdraw(Offered.File);
    return true;
  });
  for (const OfferedEvent &Offered : Table.All)
    if (Offered.Owner.lock() == E)
      return Offered.File;
  NotedFile File;
  if (cudaError_t Error = R.backend().exportEvent(*E, File.File))
    return Error;
  const std::optional<FileAddress> At =
      FileServer::get().offer(std::move(File));
  if (!At)
    return cudaErrorOperatingSystem;
  Table.All.push_back({E, *At});
  return *At;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaIpcGetEventHandle(
    cudaIpcEventHandle_t *Out, cudaEvent_t Native) {
  return apiCall([=](Runtime &R) -> cudaError_t {
    if (!Out)
      return cudaErrorInvalidValue;
    if (hasVendorMemory(R))
      return cudaIpcGetEventHandle(Out, Native);
    const std::shared_ptr<Event> E = R.events().find(Native);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    const Expected<FileAddress> File = offer(R, E);
    if (!File)
      return File.error();
    EventHandle Handle = {};
    std::memcpy(Handle.Mark, EventMark, sizeof(EventMark));
    Handle.File = *File;
    std::memset(Out, 0, sizeof(*Out));
    std::memcpy(Out, &Handle, sizeof(Handle));
    return cudaSuccess;
  });
}

static cudaError_t openHandle(Runtime &R, cudaEvent_t *Out,
                              const EventHandle &Handle) {
  if (std::memcmp(Handle.Mark, EventMark, sizeof(EventMark)) != 0)
    return cudaErrorInvalidValue;
  if (FileServer::get().isOwn(Handle.File))
    return cudaErrorDeviceUninitialized; // as for memory
  std::optional<NotedFile> File = FileServer::fetch(Handle.File);
  if (!File) {
    fmt::print(stderr, "gridspan: processes cannot share the event: the "
                       "process that has it does not answer, or has destroyed "
                       "it\n");
    return cudaErrorMapBufferObjectFailed;
  }
  std::unique_ptr<Event> E;
  if (cudaError_t Error = R.backend().importEvent(std::move(File->File), E))
    return Error;
  R.noteSharedEvent();
  *Out = E->native();
  R.events().insert(*Out, std::move(E));
  return cudaSuccess;
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaIpcOpenEventHandle(
    cudaEvent_t *Out, cudaIpcEventHandle_t Native) {
  return apiCall([=](Runtime &R) -> cudaError_t {
    if (!Out)
      return cudaErrorInvalidValue;
    if (hasVendorMemory(R)) {
      R.noteSharedEvent();
      return cudaIpcOpenEventHandle(Out, Native);
    }
    EventHandle Handle;
    std::memcpy(&Handle, &Native, sizeof(Handle));
    return openHandle(R, Out, Handle);
  });
}
