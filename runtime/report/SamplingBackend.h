//===- SamplingBackend.h - Runs clones that record --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend around the other: where a launch is to be recorded it runs the
// kernel's recording clone, and hands the sums over what that wrote to the
// profile. Planners and executors know nothing of it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_SAMPLINGBACKEND_H
#define GRIDSPAN_RUNTIME_REPORT_SAMPLINGBACKEND_H

#include "runtime/backend/ForwardingBackend.h"
#include "runtime/report/LaunchProfile.h"
#include "runtime/support/ThreadSafety.h"
#include <vector>

namespace gridspan {

/// The warps of a launch, or of a tile, that are recorded.
struct RecordedWarps {
  GridspanRecorder Recorder = {}; ///< but for Records
  uint64_t Records = 0; ///< that it needs room for, all of the launch's
  double Sampled = 0;   ///< of the tile
  double Warps = 0;     ///< that the tile has
};

/// Chooses warps of a grid for a kernel with NumProbes, with room for
/// MostRecords; a tile has the blocks of Shape.Grid from Tile.Origin on.
/// Records is 0 if there is no room for one warp.
RecordedWarps chooseWarps(const LaunchShape &Shape, const GridspanTile &Tile,
                          uint32_t NumProbes, uint64_t MostRecords,
                          const RecordingLimits &Limits = {});

/// An allocation.
struct ArrayBytes {
  uint64_t Base = 0;
  uint64_t Bytes = 0; ///< 0: not known
};

class SamplingBackend : public ForwardingBackend {
public:
  SamplingBackend(std::unique_ptr<Backend> Inner, LaunchProfile &Profile);
  ~SamplingBackend() override;

  /// Finds the allocation that has an address.
  using FindArray = std::function<ArrayBytes(const void *Address)>;
  /// Sets how allocations are found; before that, none is known.
  void setArrays(FindArray Find) { Arrays = std::move(Find); }

  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override;

  /// Takes the samples of launches that are done.
  void collect();
  /// The devices' work is done and they are about to go: takes what is left,
  /// and records no more.
  void finish();

private:
  /// The memory for one sample at a time on a device.
  struct Buffer;

  bool makeBuffer(Buffer &Of, int Device) REQUIRES(Lock);
  bool isFree(Buffer &Of) REQUIRES(Lock);
  void take(Buffer &From) REQUIRES(Lock);
  void end(Buffer &Of) REQUIRES(Lock);
  ProfileReason recordLaunch(Stream &S, const LaunchTarget &Target,
                             const LaunchShape &Shape, void *const *Args,
                             const GridspanTile *Tile,
                             std::vector<ArrayBytes> Reached) REQUIRES(Lock);

  LaunchProfile &Profile;
  const RecordingLimits Limits;
  FindArray Arrays = [](const void *) { return ArrayBytes(); };
  Mutex Lock;
  /// By device.
  std::vector<std::vector<std::unique_ptr<Buffer>>> Buffers GUARDED_BY(Lock);
  bool IsFinished GUARDED_BY(Lock) = false;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_SAMPLINGBACKEND_H
