//===- Timeline.h - Spans of time, as data ----------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans of time on tracks: one track per stream of a device, and one per host
// thread for what takes effect at once. TracingBackend fills it,
// TimelineWriter writes it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_TIMELINE_H
#define GRIDSPAN_RUNTIME_REPORT_TIMELINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace gridspan {

/// The purpose of a span of time.
enum class Activity {
  Kernel,
  Copy,      ///< of the program
  Fill,      ///< of the program
  Migration, ///< pages that get another home
  Replica,   ///< a copy for a device that reads
  Combine,   ///< a device's private copy, into what it is a copy of
  StreamIn,  ///< pages that a chunk of a launch needs
  WriteBack, ///< pages that a chunk of a launch has written
  Create,    ///< physical memory
  Map,
  Unmap,
  Pin, ///< memory of the host
  Unpin,
  Plan, ///< how launches larger than memory run
};

/// "kernel", "copy", ... "plan".
const char *nameOf(Activity What);

struct TimelineTrack {
  int Process; ///< a device's number, or -1 for the host
  std::string Name;
};

struct TimelineSpan {
  Activity What;
  unsigned Track; ///< index into Timeline::Tracks
  /// A kernel's name as the compiler mangled it, or a direction; may be null.
  /// Lives as long as the backend that wrote it.
  const char *Name;
  double Begin; ///< microseconds after the timeline's beginning
  double End;
  uint64_t Bytes;  ///< moved or mapped; 0 for kernels
  uint64_t Blocks; ///< of a kernel; else 0
  uint64_t Launch; ///< number of the launch that it belongs to; 0: none
};

struct Timeline {
  std::vector<std::string> Devices; ///< their names
  std::vector<TimelineTrack> Tracks;
  std::vector<TimelineSpan> Spans; ///< in no order
  /// The number of further spans that had not ended, or of which no time is
  /// known.
  uint64_t Lost = 0;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_TIMELINE_H
