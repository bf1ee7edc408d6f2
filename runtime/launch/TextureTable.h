//===- TextureTable.h - Texture objects on all devices ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texture objects that the program has made on device 0, and what stands
// for them on the other devices: objects of their own, which read a copy of the
// array, or the same memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_LAUNCH_TEXTURETABLE_H
#define GRIDSPAN_RUNTIME_LAUNCH_TEXTURETABLE_H

#include "runtime/memory/MemoryManager.h"
#include "runtime/plan/Plan.h"
#include "runtime/report/Report.h"
#include "runtime/stream/StreamTable.h"
#include "runtime/support/Expected.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace gridspan {

/// An array that textures read.
struct TrackedArray {
  /// A copy, by device. Ready is behind the work that filled it last, and the
  /// numbers say with what: see ArrayContents.
  struct Copy {
    std::unique_ptr<ArrayCopy> Array;
    std::unique_ptr<Event> Ready;
    uint64_t Version = 0; ///< 0: with nothing
    uint64_t AnyWrites = 0;
  };
  /// Counts up after a write has been enqueued.
  std::atomic<uint64_t> Version{1};
  std::atomic<bool> IsFreed{false};
  std::vector<Copy> Copies;
};

/// A texture object of the program.
struct TrackedTexture {
  cudaTextureObject_t Handle = 0;
  std::shared_ptr<TrackedArray> Array; ///< null: it reads memory
  const std::byte *Memory = nullptr;
  uint64_t Bytes = 0;
  std::vector<std::unique_ptr<TextureCopy>> Copies; ///< by device
};

/// What copies of arrays are compared with.
struct ArrayContents {
  /// False if something may write arrays unseen: no copy stays good.
  bool Trusted = false;
  uint64_t AnyWrites = 0; ///< Executor::anyWrites()
};

/// Thread-safe.
class TextureTable {
public:
  TextureTable(Backend &B, MemoryManager &Memory, StreamTable &Streams,
               Report &Out);
  ~TextureTable();

  //===--- For the program's calls
  //-----------------------------------------===//

  void add(cudaTextureObject_t Texture, const cudaResourceDesc &Resource);
  /// Destroys the texture's copies when no work uses them any more.
  void remove(cudaTextureObject_t Texture) EXCLUDES(UseLock);
  /// Waits for all work and destroys the copies of an array, or a mipmapped
  /// one, that is about to be freed.
  void arrayFreed(const void *Array) EXCLUDES(UseLock);
  /// Forgets all textures. Precondition: no device has work.
  void clear() EXCLUDES(UseLock);
  /// Notes that Array is a level of a mipmapped array.
  void addLevel(const void *Array);
  /// Notes that a write to Array has been enqueued.
  void arrayWritten(const void *Array);
  /// Counts up whenever another launch may have other textures.
  uint64_t generation() const { return Generation; }

  //===--- For launches
  //----------------------------------------------------===//

  /// Held while a launch that uses copies is enqueued: what fills a copy again
  /// waits for launches by their order in streams.
  Mutex &lock() RETURN_CAPABILITY(UseLock) { return UseLock; }

  /// The textures of a launch, one for each of GridspanKernel::Textures; null
  /// for a handle that is 0.
  using Found = std::vector<std::shared_ptr<TrackedTexture>>;

  /// Finds the textures of a launch. Returns why it cannot be split for their
  /// sake, or None.
  LaunchReason find(const GridspanKernel &Kernel, void *const *Args,
                    Found &Out) const;
  /// Makes what all devices of the tiles need that is not there yet. Returns
  /// why that fails, or None.
  LaunchReason makeCopies(const Found &Textures,
                          const std::vector<TilePlan> &Tiles) REQUIRES(UseLock);
  /// Returns the handle for work that is enqueued next in On, with the array's
  /// present contents. WaitForOthers makes On wait for what all streams hold.
  /// Precondition: makeCopies() for On's device.
  Expected<cudaTextureObject_t>
  bring(TrackedTexture &T, Stream &On, const ArrayContents &Now,
        const std::function<cudaError_t()> &WaitForOthers) REQUIRES(UseLock);

private:
  cudaError_t makeCopy(TrackedTexture &T, int Device) REQUIRES(UseLock);
  bool mayWrite(const GridspanKernel &Kernel, void *const *Args,
                const TrackedTexture &T) const;

  /// Copies that no launch finds any more, until no work uses them.
  struct Retired {
    // Objects go before the arrays that they read.
    std::vector<TrackedArray::Copy> Arrays;
    std::vector<std::unique_ptr<TextureCopy>> Textures;
    std::vector<std::unique_ptr<Event>> After;
    bool IsMarked = false; ///< After is behind all that may use them
  };
  static void retire(TrackedTexture &T, Retired &Old);
  bool mark(Retired &Old);
  void collect() REQUIRES(UseLock);

  Backend &B;
  MemoryManager &Memory;
  StreamTable &Streams;
  Report &Out;
  std::atomic<uint64_t> Generation{1};

  Mutex UseLock; ///< guards all copies
  std::vector<Retired> OldCopies GUARDED_BY(UseLock);

  mutable Mutex TableLock; ///< nothing is called with it held
  std::map<cudaTextureObject_t, std::shared_ptr<TrackedTexture>>
      Table GUARDED_BY(TableLock);
  /// Arrays live as long as a texture that reads them.
  std::map<const void *, std::weak_ptr<TrackedArray>>
      Arrays GUARDED_BY(TableLock);
  std::set<const void *> Levels GUARDED_BY(TableLock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_LAUNCH_TEXTURETABLE_H
