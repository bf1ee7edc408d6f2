//===- TimelineWriter.h - A timeline as a file ------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Chrome trace event format ("Trace Event Format", Duc and others, Google,
// 2016: complete events "X" and metadata events "M"), which Perfetto and
// chrome://tracing open. A device is a process, a stream a thread of it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_REPORT_TIMELINEWRITER_H
#define GRIDSPAN_RUNTIME_REPORT_TIMELINEWRITER_H

#include "runtime/report/Timeline.h"
#include <ostream>

namespace gridspan {

/// {"traceEvents": [...]}: processes 0 (the host) and 1 + device; each span
/// with args {"bytes", "blocks", "launch"}, of which those that are 0 are left
/// out. Spans are sorted by begin, then track. "otherData": {"lost"} counts
/// spans that are missing.
void writeTimeline(std::ostream &Out, const Timeline &T);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_REPORT_TIMELINEWRITER_H
