//===- TimelineWriter.cpp - A timeline as a file --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events are written one by one: a long run has millions.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/TimelineWriter.h"
#include "runtime/support/Demangle.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace gridspan {

const char *nameOf(Activity What) {
  switch (What) {
  case Activity::Kernel:
    return "kernel";
  case Activity::Copy:
    return "copy";
  case Activity::Fill:
    return "fill";
  case Activity::Migration:
    return "migration";
  case Activity::Replica:
    return "replica";
  case Activity::Combine:
    return "combine";
  case Activity::StreamIn:
    return "stream-in";
  case Activity::WriteBack:
    return "write-back";
  case Activity::Create:
    return "create";
  case Activity::Map:
    return "map";
  case Activity::Unmap:
    return "unmap";
  case Activity::Pin:
    return "pin";
  case Activity::Unpin:
    return "unpin";
  case Activity::Plan:
    return "plan";
  }
  return "?";
}

static std::string quoted(const std::string &Text) {
  return nlohmann::json(Text).dump(-1, ' ', true,
                                   nlohmann::json::error_handler_t::replace);
}

namespace {
/// Writes the commas between events.
class EventLines {
public:
  explicit EventLines(std::ostream &Out) : Out(Out) {}
  void add(const std::string &Event) {
    Out << (First ? "\n" : ",\n") << Event;
    First = false;
  }
  void name(const char *What, int Process, unsigned Thread,
            const std::string &Name) {
    add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},)"
                    R"("args":{{"name":{}}}}})",
                    What, Process, Thread, quoted(Name)));
  }

private:
  std::ostream &Out;
  bool First = true;
};

/// Names are demangled once.
class SpanNames {
public:
  const std::string &operator()(const TimelineSpan &S) {
    const char *Key = S.Name ? S.Name : nameOf(S.What);
    auto [It, New] = Known.try_emplace(Key);
    if (New)
      It->second = quoted(S.What == Activity::Kernel ? demangled(Key) : Key);
    return It->second;
  }

private:
  std::map<std::string, std::string> Known;
};
} // namespace

static std::string arguments(const TimelineSpan &S) {
  std::string Out;
  auto Add = [&](const char *Name, uint64_t Value) {
    if (Value)
      Out += fmt::format("{}\"{}\":{}", Out.empty() ? "" : ",", Name, Value);
  };
  Add("bytes", S.Bytes);
  Add("blocks", S.Blocks);
  Add("launch", S.Launch);
  return Out;
}

void writeTimeline(std::ostream &Out, const Timeline &T) {
  // Processes are numbered from 0, the host's.
  auto Process = [](int Device) { return Device + 1; };
  Out << R"({"displayTimeUnit":"ms","traceEvents":[)";
  EventLines Events(Out);
  Events.name("process_name", 0, 0, "host");
  for (size_t D = 0; D < T.Devices.size(); ++D)
    Events.name("process_name", Process(static_cast<int>(D)), 0,
                fmt::format("device {}: {}", D, T.Devices[D]));
  for (size_t I = 0; I < T.Tracks.size(); ++I)
    Events.name("thread_name", Process(T.Tracks[I].Process),
                static_cast<unsigned>(I), T.Tracks[I].Name);

  std::vector<const TimelineSpan *> Sorted;
  for (const TimelineSpan &S : T.Spans)
    Sorted.push_back(&S);
  std::sort(Sorted.begin(), Sorted.end(),
            [](const TimelineSpan *L, const TimelineSpan *R) {
              return std::tuple(L->Begin, L->Track, L->End, L->What) <
                     std::tuple(R->Begin, R->Track, R->End, R->What);
            });
  SpanNames Name;
  for (const TimelineSpan *S : Sorted)
    Events.add(fmt::format(
        R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.3f},)"
        R"("dur":{:.3f},"args":{{{}}}}})",
        Name(*S), nameOf(S->What), Process(T.Tracks[S->Track].Process),
        S->Track, S->Begin, std::max(0.0, S->End - S->Begin), arguments(*S)));
  Out << fmt::format("\n],\"otherData\":{{\"lost\":{}}}}}\n", T.Lost);
}

} // namespace gridspan
