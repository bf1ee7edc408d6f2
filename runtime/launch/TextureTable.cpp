//===- TextureTable.cpp - Texture objects on all devices ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of an array is good while it has the array's version, and the number
// of launches and graphs that may have written anything is still the same. Both
// are counted up after a write has been enqueued, and are read before a copy is
// filled behind all that any stream holds. So the copy has all writes that its
// numbers count. A kernel that writes a surface is such a launch: where a
// handle leads is not known.
//
// A level of a mipmapped array has a handle of its own, and may have several,
// so a write to one is a write to all arrays.
//
// Memory is read where it is. That is sound because a split launch needs
// devices that reach all memory: reads of textures are reads of unknown memory
// (analysis/nvptx/MemoryOps.h). What the launch writes is not read by textures,
// whose caches do not see writes of the same launch.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/TextureTable.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/report/Tracing.h"
#include <algorithm>

namespace gridspan {

TextureTable::TextureTable(Backend &B, MemoryManager &Memory,
                           StreamTable &Streams, Report &Out)
    : B(B), Memory(Memory), Streams(Streams), Out(Out) {}

TextureTable::~TextureTable() {
  if (!OldCopies.empty() || !Table.empty())
    (void)B.synchronizeAll();
}

//===--- For the program's calls ----------------------------------------===//

/// Returns the bytes that a texture over rows of memory reaches.
static uint64_t bytesOf(const cudaResourceDesc &Resource) {
  if (Resource.resType == cudaResourceTypeLinear)
    return Resource.res.linear.sizeInBytes;
  const auto &P = Resource.res.pitch2D;
  const uint64_t Element =
      (static_cast<uint64_t>(P.desc.x) + P.desc.y + P.desc.z + P.desc.w) / 8;
  return P.height ? (P.height - 1) * P.pitchInBytes + P.width * Element : 0;
}

void TextureTable::add(cudaTextureObject_t Texture,
                       const cudaResourceDesc &Resource) {
  if (B.system().numDevices() < 2)
    return;
  auto T = std::make_shared<TrackedTexture>();
  T->Handle = Texture;
  const void *Array = nullptr;
  switch (Resource.resType) {
  case cudaResourceTypeArray:
    Array = Resource.res.array.array;
    break;
  case cudaResourceTypeMipmappedArray:
    Array = Resource.res.mipmap.mipmap;
    break;
  case cudaResourceTypeLinear:
    T->Memory = static_cast<const std::byte *>(Resource.res.linear.devPtr);
    T->Bytes = bytesOf(Resource);
    break;
  case cudaResourceTypePitch2D:
    T->Memory = static_cast<const std::byte *>(Resource.res.pitch2D.devPtr);
    T->Bytes = bytesOf(Resource);
    break;
  }
  MutexLock Guard(TableLock);
  if (Array) {
    std::weak_ptr<TrackedArray> &Known = Arrays[Array];
    T->Array = Known.lock();
    if (!T->Array || T->Array->IsFreed)
      Known = T->Array = std::make_shared<TrackedArray>();
  }
  Table[Texture] = std::move(T);
  Generation.fetch_add(1);
}

/// Sets events behind all work that may use the copies. Returns false if some
/// stream takes none now.
bool TextureTable::mark(Retired &Old) {
  Old.After.clear();
  for (const std::shared_ptr<ProgramStream> &S : Streams.all()) {
    if (B.isCapturing(S->main()))
      return false;
    if (B.query(S->main()) == cudaSuccess)
      continue;
    std::unique_ptr<Event> End;
    if (B.createEvent(0, cudaEventDisableTiming, End) ||
        B.record(*End, S->main()))
      return false;
    Old.After.push_back(std::move(End));
  }
  return true;
}

/// Destroys the copies that no work uses any more.
void TextureTable::collect() {
  std::erase_if(OldCopies, [&](Retired &Old) NO_THREAD_SAFETY_ANALYSIS {
    if (!Old.IsMarked)
      Old.IsMarked = mark(Old);
    return Old.IsMarked && std::all_of(Old.After.begin(), Old.After.end(),
                                       [&](const std::unique_ptr<Event> &E) {
                                         return B.query(*E) == cudaSuccess;
                                       });
  });
}

void TextureTable::retire(TrackedTexture &T, Retired &Old) {
  std::move(T.Copies.begin(), T.Copies.end(), std::back_inserter(Old.Textures));
  T.Copies.clear();
}

void TextureTable::remove(cudaTextureObject_t Texture) {
  std::shared_ptr<TrackedTexture> T;
  bool IsLast = false;
  {
    MutexLock Guard(TableLock);
    const auto It = Table.find(Texture);
    if (It == Table.end())
      return;
    T = std::move(It->second);
    Table.erase(It);
    Generation.fetch_add(1);
    IsLast = T->Array &&
             std::none_of(Table.begin(), Table.end(), [&](const auto &Other) {
               return Other.second->Array == T->Array;
             });
    if (IsLast)
      std::erase_if(Arrays, [&](const auto &Known) {
        return Known.second.lock() == T->Array;
      });
  }
  MutexLock Use(UseLock);
  Retired Old;
  retire(*T, Old);
  if (IsLast)
    Old.Arrays = std::move(T->Array->Copies);
  if (!Old.Textures.empty() || !Old.Arrays.empty())
    OldCopies.push_back(std::move(Old));
  collect();
}

void TextureTable::arrayFreed(const void *Array) {
  std::shared_ptr<TrackedArray> A;
  std::vector<std::shared_ptr<TrackedTexture>> Readers;
  {
    MutexLock Guard(TableLock);
    Levels.erase(Array);
    if (const auto It = Arrays.find(Array); It != Arrays.end()) {
      A = It->second.lock();
      Arrays.erase(It);
    }
    if (A) {
      A->IsFreed = true;
      Generation.fetch_add(1);
      for (const auto &[Handle, T] : Table)
        if (T->Array == A)
          Readers.push_back(T);
    }
  }
  MutexLock Use(UseLock);
  Retired Old;
  for (const std::shared_ptr<TrackedTexture> &T : Readers)
    retire(*T, Old);
  if (A)
    Old.Arrays = std::move(A->Copies);
  if (!Old.Textures.empty() || !Old.Arrays.empty())
    OldCopies.push_back(std::move(Old));
  if (OldCopies.empty())
    return;
  // As CUDA does; what fails here fails again when the array is freed.
  Use.unlock();
  (void)B.synchronizeAll();
  Use.lock();
  collect();
}

void TextureTable::clear() {
  MutexLock Use(UseLock);
  MutexLock Guard(TableLock);
  OldCopies.clear();
  for (const auto &[Handle, T] : Table)
    T->Copies.clear();
  Table.clear();
  Arrays.clear();
  Levels.clear();
  Generation.fetch_add(1);
}

void TextureTable::addLevel(const void *Array) {
  if (B.system().numDevices() < 2)
    return;
  MutexLock Guard(TableLock);
  Levels.insert(Array);
}

void TextureTable::arrayWritten(const void *Array) {
  MutexLock Guard(TableLock);
  const bool IsLevel = Levels.count(Array) != 0;
  for (const auto &[Handle, Known] : Arrays)
    if (IsLevel || Handle == Array)
      if (const std::shared_ptr<TrackedArray> A = Known.lock())
        A->Version.fetch_add(1);
}

//===--- For launches ---------------------------------------------------===//

/// Returns true if the launch may write what T reads.
bool TextureTable::mayWrite(const GridspanKernel &Kernel, void *const *Args,
                            const TrackedTexture &T) const {
  if (Kernel.Flags & (GridspanUnknownWrite | GridspanNotAnalysed))
    return true;
  const std::shared_ptr<Allocation> Read = Memory.find(T.Memory);
  for (uint32_t I = 0; I != Kernel.NumPointers; ++I) {
    const GridspanPointer &P = Kernel.Pointers[I];
    if ((P.Modes & (GridspanWrite | GridspanAtomic)) &&
        Memory.find(pointerArgument(Kernel, P, Args)) == Read)
      return true;
  }
  return false;
}

LaunchReason TextureTable::find(const GridspanKernel &Kernel, void *const *Args,
                                Found &Textures) const {
  Textures.clear();
  for (uint32_t I = 0; I != Kernel.NumTextures; ++I) {
    const cudaTextureObject_t Handle = handleArgument(Kernel.Textures[I], Args);
    std::shared_ptr<TrackedTexture> T;
    if (Handle) {
      MutexLock Guard(TableLock);
      const auto It = Table.find(Handle);
      if (It == Table.end() ||
          (It->second->Array && It->second->Array->IsFreed))
        return LaunchReason::TextureUnknown;
      T = It->second;
    }
    if (T && !T->Array) {
      const std::shared_ptr<Allocation> A = Memory.find(T->Memory);
      if (!A || A->Paged || A->kind() == AllocationKind::Managed ||
          T->Memory + T->Bytes > A->base() + A->bytes())
        return LaunchReason::TextureOfOtherMemory;
      if (mayWrite(Kernel, Args, *T))
        return LaunchReason::TextureOfWrittenMemory;
    }
    Textures.push_back(std::move(T));
  }
  return LaunchReason::None;
}

cudaError_t TextureTable::makeCopy(TrackedTexture &T, int Device) {
  T.Copies.resize(B.system().numDevices());
  ArrayCopy *Array = nullptr;
  if (T.Array) {
    T.Array->Copies.resize(B.system().numDevices());
    TrackedArray::Copy &Copy = T.Array->Copies[Device];
    if (!Copy.Ready)
      if (cudaError_t Error =
              B.createEvent(Device, cudaEventDisableTiming, Copy.Ready))
        return Error;
    if (!Copy.Array)
      if (cudaError_t Error = B.createArray(Device, T.Handle, Copy.Array))
        return Error;
    Array = Copy.Array.get();
  }
  return T.Copies[Device]
             ? cudaSuccess
             : B.createTexture(Device, T.Handle, Array, T.Copies[Device]);
}

LaunchReason TextureTable::makeCopies(const Found &Textures,
                                      const std::vector<TilePlan> &Tiles) {
  collect();
  for (const std::shared_ptr<TrackedTexture> &T : Textures)
    for (const TilePlan &Tile : Tiles)
      if (T && Tile.Device && makeCopy(*T, Tile.Device)) {
        return LaunchReason::TextureNotCopied;
      }
  return LaunchReason::None;
}

Expected<cudaTextureObject_t>
TextureTable::bring(TrackedTexture &T, Stream &On, const ArrayContents &Now,
                    const std::function<cudaError_t()> &WaitForOthers) {
  const cudaTextureObject_t Handle = T.Copies[On.device()]->handle();
  if (!T.Array)
    return Handle;
  TrackedArray::Copy &Copy = T.Array->Copies[On.device()];
  // Behind what others have brought: Ready will stand for that as well.
  if (cudaError_t Error = B.wait(On, *Copy.Ready))
    return Error;
  const uint64_t Version = T.Array->Version;
  if (Now.Trusted && Copy.Version == Version && Copy.AnyWrites == Now.AnyWrites)
    return Handle;
  TraceScope Scope(Activity::Replica);
  // Until all is there, nothing is.
  Copy.Version = 0;
  if (cudaError_t Error = WaitForOthers())
    return Error;
  if (cudaError_t Error = B.copyArray(On, *Copy.Array, T.Handle))
    return Error;
  Out.Replicas.count(Copy.Array->bytes());
  if (cudaError_t Error = B.record(*Copy.Ready, On))
    return Error;
  Copy.Version = Version;
  Copy.AnyWrites = Now.AnyWrites;
  return Handle;
}

} // namespace gridspan
