//===- ReportPrinter.cpp - The report for people and for programs ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both forms print a record and look at nothing else. The JSON form is
// Counters.def, row by row: each type of a value has a jsonOf(). Its keys never
// change their meaning. The table shows what most readers ask first, and a line
// for each further fact that is not as usual.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/ReportPrinter.h"
#include "runtime/report/KernelNames.h"
#include "runtime/support/ReasonTexts.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

namespace gridspan {

static const char *const DirectionNames[NumCopyDirections] = {
    "host_to_device", "device_to_host", "device_to_device", "host_to_host"};

using Json = nlohmann::ordered_json;

template <typename T>
  requires std::is_arithmetic_v<T>
static Json jsonOf(T Value) {
  return Value;
}

static Json jsonOf(const std::string &Text) {
  return Text.empty() ? Json(nullptr) : Json(Text);
}

static Json jsonOf(const std::vector<int> &List) { return List; }

static Json jsonOf(const CopyRecord &C) {
  return {{"count", C.Count}, {"bytes", C.Bytes}};
}

static Json jsonOf(const std::vector<InPlaceParam> &List) {
  Json Out = Json::array();
  for (const InPlaceParam &P : List)
    Out.push_back({{"parameter", P.Param < 0 ? Json(nullptr) : Json(P.Param)},
                   {"why", nameOf(P.Why)}});
  return Out;
}

Json argumentJson(const ScalarArgument &A) {
  Json Out = {{"index", A.Index}};
  const size_t Size = A.Bytes.size();
  if (Size == 1 || Size == 2 || Size == 4 || Size == 8) {
    uint64_t Word = 0;
    std::memcpy(&Word, A.Bytes.data(), Size);
    const unsigned Unused = 64 - 8 * static_cast<unsigned>(Size);
    Out["value"] = static_cast<int64_t>(Word << Unused) >> Unused;
    return Out;
  }
  std::string Digits;
  for (std::byte Byte : A.Bytes)
    Digits += fmt::format("{:02x}", static_cast<unsigned>(Byte));
  Out["bytes"] = Digits;
  return Out;
}

static Json jsonOf(const LaunchHistogram &Common) {
  if (Common.Launches == 0)
    return nullptr;
  Json Arguments = Json::array();
  for (const ScalarArgument &A : Common.Arguments)
    Arguments.push_back(argumentJson(A));
  return {{"launches", Common.Launches},
          {"grid", Common.Grid},
          {"block", Common.Block},
          {"shared_bytes", Common.SharedBytes},
          {"arguments", std::move(Arguments)}};
}

static Json jsonOf(const std::vector<MeasuredDivision> &Rows) {
  Json Out = Json::array();
  for (const MeasuredDivision &R : Rows)
    Out.push_back({{"block_threads", R.BlockThreads},
                   {"least_blocks", R.LeastBlocks},
                   {"own_scalars", R.HasOwnScalars},
                   {"devices", R.Devices},
                   {"axis", R.Axis},
                   {"spread", R.IsSpread},
                   {"dynamic", R.IsDynamic},
                   {"present", R.IsPresent},
                   {"shares", R.Shares},
                   {"private_copies", R.HasPrivates},
                   {"launches", R.Launches},
                   {"times", R.Times},
                   {"restored", R.IsRestored},
                   {"seconds", R.Seconds},
                   {"predicted_seconds", R.PredictedSeconds},
                   {"device_seconds", R.DeviceSeconds},
                   {"move_seconds", R.MoveSeconds}});
  return Out;
}

static Json jsonOf(const KernelRecord &K) {
  Json Out;
#define GRIDSPAN_SUM(Name, Key) Out[Key] = jsonOf(K.Name);
#define GRIDSPAN_MOST(Type, None, Name, Key) Out[Key] = jsonOf(K.Name);
#define GRIDSPAN_LAST(Type, None, Name, Key) Out[Key] = jsonOf(K.Name);
#define GRIDSPAN_WHY(Name, Key) Out[Key] = jsonOf(K.Name);
#define GRIDSPAN_DETAIL(Name, Key) Out[Key] = jsonOf(K.Name);
#include "runtime/report/Counters.def"
  return Out;
}

namespace {
/// What out-of-core launches of all kernels moved over the bus, and the least
/// that they had to. Launches of a chain bring frames for each other, so that
/// the two cannot be held against each other by kernel.
struct BusTotals {
  uint64_t In = 0, Out = 0, LeastIn = 0, LeastOut = 0;
  unsigned Kernels = 0;
};
} // namespace

static BusTotals busTotals(const ReportRecord &Record) {
  BusTotals Sum;
  for (const KernelRecord &K : Record.Kernels) {
    Sum.In += K.OutOfCoreBytesIn;
    Sum.Out += K.OutOfCoreBytesOut;
    Sum.LeastIn += K.LeastBytesIn;
    Sum.LeastOut += K.LeastBytesOut;
    Sum.Kernels += K.OutOfCoreLaunches != 0;
  }
  return Sum;
}

Json reportJson(const ReportRecord &Record) {
  Json Out;
  Out["version"] = ReportVersion;
  Out["devices"] = Json::array();
  for (const DeviceRecord &D : Record.Devices)
    Out["devices"].push_back(
        {{"name", D.Name}, {"memory_bytes", D.MemoryBytes}});
  Out["kernels"] = Json::array();
  for (const KernelRecord &K : Record.Kernels)
    Out["kernels"].push_back(jsonOf(K));
  Json Copies;
  for (unsigned I = 0; I < NumCopyDirections; ++I)
    Copies[DirectionNames[I]] = jsonOf(Record.Copies[I]);
#define GRIDSPAN_COPIES(Name, Key, Title) Copies[Key] = jsonOf(Record.Name);
#include "runtime/report/Counters.def"
  Out["copies"] = std::move(Copies);
  Out["calls"] = Json::array();
  for (const TakenCallRecord &C : Record.Calls)
    Out["calls"].push_back({{"function", C.Function},
                            {"calls", C.Calls},
                            {"taken", C.WhyNot.empty()},
                            {"why_not", jsonOf(C.WhyNot)}});
  const BusTotals Bus = busTotals(Record);
  Out["bus"] = {{"in_bytes", Bus.In},
                {"out_bytes", Bus.Out},
                {"in_least_bytes", Bus.LeastIn},
                {"out_least_bytes", Bus.LeastOut}};
  Out["shortage"] = {{"other_device_bytes", Record.DisplacedBytes},
                     {"host_bytes", Record.HostBytes}};
  Out["ranges"] = {{"mapped", Record.MappedRanges},
                   {"reused", Record.ReusedRanges},
                   {"unmapped", Record.UnmappedRanges}};
  return Out;
}

static std::string humanBytes(uint64_t Bytes) {
  static const char *const Units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto Value = static_cast<double>(Bytes);
  unsigned Unit = 0;
  while (Value >= 1024 && Unit + 1 < std::size(Units)) {
    Value /= 1024;
    ++Unit;
  }
  return Unit == 0 ? fmt::format("{} B", Bytes)
                   : fmt::format("{:.1f} {}", Value, Units[Unit]);
}

static std::string humanSeconds(double Seconds) {
  return Seconds < 1e-3 ? fmt::format("{:.1f} us", Seconds * 1e6)
         : Seconds < 1  ? fmt::format("{:.2f} ms", Seconds * 1e3)
                        : fmt::format("{:.2f} s", Seconds);
}

/// Returns what was measured of launches of a kernel that ran one way.
static std::string measuredLine(const MeasuredDivision &R) {
  std::string Out = fmt::format(
      "from {} blocks of {}{}, {} device{}{}{}{}{}: {} launches", R.LeastBlocks,
      R.BlockThreads, R.HasOwnScalars ? " with scalars of their own" : "",
      R.Devices, R.Devices == 1 ? "" : "s",
      R.Devices == 1 ? "" : fmt::format(" along {}", "xyz"[R.Axis]),
      R.IsDynamic ? ", handed out" : "", R.IsSpread ? ", pages elsewhere" : "",
      R.HasPrivates ? ", private copies" : "", R.Launches);
  if (R.Times || R.IsRestored)
    Out += fmt::format(", {} each in {} measured{}, {} predicted",
                       humanSeconds(R.Seconds), R.Times,
                       R.IsRestored ? " and earlier runs" : "",
                       humanSeconds(R.PredictedSeconds));
  for (size_t I = 0; I != R.DeviceSeconds.size(); ++I)
    Out += (I == 0 ? ", tiles " : " + ") + humanSeconds(R.DeviceSeconds[I]);
  for (size_t I = 0; I != R.Shares.size(); ++I)
    Out += fmt::format("{}{:.1f}%", I == 0 ? " of " : " + ", 100 * R.Shares[I]);
  if (R.IsPresent)
    Out += ", the last way";
  if (R.MoveSeconds > 0)
    Out += ", moves " + humanSeconds(R.MoveSeconds);
  return Out;
}

/// Returns the share of accesses that were local, with a mark where ranges were
/// unknown and the bytes are upper bounds.
static std::string localShare(const KernelRecord &K) {
  const uint64_t All = K.LocalBytes + K.RemoteBytes;
  if (All == 0)
    return "-";
  return fmt::format("{:.1f}%{}",
                     100 * static_cast<double>(K.LocalBytes) /
                         static_cast<double>(All),
                     K.UnknownRanges ? "?" : "");
}

static const char *whyOf(const KernelRecord &K) {
  if (!K.Refusal.empty())
    return K.Refusal.c_str();
  return K.SplitLaunches < K.Launches ? K.WhyUnsplit.c_str() : "";
}

/// Returns the kernels' names as lines have them: short, and as
/// "k.cu: own(int *)" where several sources have a kernel of that name, with as
/// much of the path as tells the sources apart.
static std::vector<std::string>
namesOf(const std::vector<KernelRecord> &Kernels) {
  auto File = [](const std::string &Path) {
    return Path.substr(Path.rfind('/') + 1);
  };
  std::vector<std::string> Names;
  for (const KernelRecord &K : Kernels)
    Names.push_back(K.Name);
  Names = shortNames(Names);
  for (const KernelRecord &K : Kernels) {
    bool IsShared = false, IsFileShared = false;
    for (const KernelRecord &Other : Kernels) {
      if (&Other == &K || Other.Name != K.Name)
        continue;
      IsShared = true;
      IsFileShared |= File(Other.Source) == File(K.Source);
    }
    std::string &Name = Names[&K - Kernels.data()];
    if (IsShared && !K.Source.empty())
      Name = (IsFileShared ? K.Source : File(K.Source)) + ": " + Name;
  }
  return Names;
}

/// Returns what the columns and the reasons of the table mean, as far as they
/// occur in it.
static std::string legend(const ReportRecord &Record) {
  const std::vector<KernelRecord> &Kernels = Record.Kernels;
  std::string Out =
      "  split: launches that ran on several devices; devices: the most that "
      "one ran on\n"
      "  local, remote: bytes that blocks touched on their own device, and on "
      "others or the host\n";
  if (std::any_of(Kernels.begin(), Kernels.end(),
                  [](const KernelRecord &K) { return K.UnknownRanges; }))
    Out += "  %?: some bytes of the kernel could not be counted\n";
  std::set<std::string> Said;
  auto Explain = [&](const std::string &Why) {
    if (const char *Text = reasonText(Why); *Text && Said.insert(Why).second)
      Out += fmt::format("  {}: {}\n", Why, Text);
  };
  // The compiler's text has a line of its own, with the place.
  for (const KernelRecord &K : Kernels)
    if (K.RefusalText.empty())
      Explain(whyOf(K));
  for (const TakenCallRecord &C : Record.Calls)
    Explain(C.WhyNot);
  return Out;
}

std::string reportTable(const ReportRecord &Record) {
  const std::vector<std::string> Names = namesOf(Record.Kernels);
  auto Name = [&](const KernelRecord &K) -> const std::string & {
    return Names[&K - Record.Kernels.data()];
  };
  std::string Out = fmt::format("gridspan: {} device{}", Record.Devices.size(),
                                Record.Devices.size() == 1 ? "" : "s");
  for (const DeviceRecord &D : Record.Devices)
    Out += fmt::format(", {} ({})", D.Name, humanBytes(D.MemoryBytes));
  size_t Width = 6;
  for (const KernelRecord &K : Record.Kernels)
    Width = std::max(Width, Name(K).size());
  Out += fmt::format("\n  {:<{}} {:>9} {:>9} {:>7} {:>11} {:>11} {:>7}  {}\n",
                     "kernel", Width, "launches", "split", "devices", "local",
                     "remote", "local%", "not split because");
  for (const KernelRecord &K : Record.Kernels)
    Out += fmt::format("  {:<{}} {:>9} {:>9} {:>7} {:>11} {:>11} {:>7}  {}\n",
                       Name(K), Width, K.Launches, K.SplitLaunches,
                       K.DevicesMax, humanBytes(K.LocalBytes),
                       humanBytes(K.RemoteBytes), localShare(K), whyOf(K));
  for (const KernelRecord &K : Record.Kernels)
    if (!K.RefusalText.empty())
      Out += fmt::format("  {}: {}\n", Name(K), K.RefusalText);
  for (const KernelRecord &K : Record.Kernels) {
    if (!K.WhyMayAlias.empty())
      Out += fmt::format("  {}: {} of {} launches knew that their arguments do "
                         "not overlap, others: {}\n",
                         Name(K), K.NoAliasLaunches, K.Launches, K.WhyMayAlias);
    if (K.FormedLaunches)
      Out +=
          fmt::format("  {}: {} of {} launches found arrays of records as an "
                      "array for each field\n",
                      Name(K), K.FormedLaunches, K.Launches);
    if (!K.WhyNotFormed.empty())
      Out += fmt::format("  {}: arrays of records stayed as they are: {}\n",
                         Name(K), K.WhyNotFormed);
    if (K.PrivateLaunches)
      Out += fmt::format("  {}: {} of {} launches reduced into private copies "
                         "of each device\n",
                         Name(K), K.PrivateLaunches, K.Launches);
    if (K.DynamicLaunches)
      Out += fmt::format("  {}: handed out {} of {} launches in {} packets\n",
                         Name(K), K.DynamicLaunches, K.Launches, K.Packets);
    if (!K.WhyStatic.empty())
      Out += fmt::format("  {}: blocks were not handed out: {}\n", Name(K),
                         K.WhyStatic);
    if (K.OutOfCoreLaunches)
      Out += fmt::format(
          "  {}: streamed {} of {} launches in {} chunks, {} in, {} out; at "
          "least {} and {} had to cross the bus\n",
          Name(K), K.OutOfCoreLaunches, K.Launches, K.Chunks,
          humanBytes(K.OutOfCoreBytesIn), humanBytes(K.OutOfCoreBytesOut),
          humanBytes(K.LeastBytesIn), humanBytes(K.LeastBytesOut));
    if (K.ChainedLaunches)
      Out += fmt::format("  {}: {} of these in chains with other launches\n",
                         Name(K), K.ChainedLaunches);
    if (!K.WhyNotChained.empty())
      Out += fmt::format("  {}: streamed by itself: {}\n", Name(K),
                         K.WhyNotChained);
    if (K.OutOfCoreBytesOnHost)
      Out += fmt::format("  {}: {} that were to come to devices stayed on the "
                         "host, for lack of room\n",
                         Name(K), humanBytes(K.OutOfCoreBytesOnHost));
    for (const InPlaceParam &P : K.InPlace)
      Out +=
          fmt::format("  {}: {} is read and written on the host: {}\n", Name(K),
                      P.Param < 0 ? std::string("whatever it reaches there")
                                  : fmt::format("parameter {}", P.Param + 1),
                      nameOf(P.Why));
    for (int Param : K.Packed)
      Out +=
          fmt::format("  {}: rows of parameter {} are packed for each chunk\n",
                      Name(K), Param + 1);
    if (!K.WhyFibers.empty())
      Out += fmt::format("  {}: has a fiber for each thread: {}: {}\n", Name(K),
                         K.WhyFibers, K.WhyFibersText);
    for (const MeasuredDivision &R : K.Measured)
      Out += fmt::format("  {}: {}\n", Name(K), measuredLine(R));
    if (K.ReplicaParam >= 0)
      Out += fmt::format("  {}: chunks read copies of parameter {} that their "
                         "devices have\n",
                         Name(K), K.ReplicaParam + 1);
    if (!K.WhyLinked.empty())
      Out += fmt::format("  {}: devices read parameter {} from each other: "
                         "{}\n",
                         Name(K), K.LinkedParam + 1, K.WhyLinked);
    if (K.Inspected)
      Out +=
          fmt::format("  {}: planned by the indices that it loads\n", Name(K));
    if (!K.WhyNotInspected.empty())
      Out += fmt::format("  {}: loads indices that are not inspected: {}\n",
                         Name(K), K.WhyNotInspected);
  }
  for (const TakenCallRecord &C : Record.Calls)
    Out += C.WhyNot.empty()
               ? fmt::format("  {}: {} calls ran as Gridspan's primitive\n",
                             C.Function, C.Calls)
               : fmt::format("  {}: {} calls on large data ran as the "
                             "library's: {}\n",
                             C.Function, C.Calls, C.WhyNot);
  if (const BusTotals Bus = busTotals(Record); Bus.Kernels > 1)
    Out += fmt::format("  streamed in all: {} in, {} out; at least {} and {} "
                       "had to cross the bus\n",
                       humanBytes(Bus.In), humanBytes(Bus.Out),
                       humanBytes(Bus.LeastIn), humanBytes(Bus.LeastOut));
  if (Record.DisplacedBytes)
    Out += fmt::format("  {} went to other devices than meant, for lack of "
                       "room\n",
                       humanBytes(Record.DisplacedBytes));
  if (Record.HostBytes)
    Out += fmt::format("  {} of device memory are kept on the host, for lack "
                       "of room on devices\n",
                       humanBytes(Record.HostBytes));
  if (Record.ReusedRanges)
    Out += fmt::format("  ranges of device memory: {} mapped, {} reused, {} "
                       "unmapped for others\n",
                       Record.MappedRanges, Record.ReusedRanges,
                       Record.UnmappedRanges);
  Out += "  copies:";
  auto Add = [&](const char *Name, const CopyRecord &C) {
    if (C.Count)
      Out += fmt::format(" {} {} in {},", Name, humanBytes(C.Bytes), C.Count);
  };
  Add("host to device", Record.Copies[0]);
  Add("device to host", Record.Copies[1]);
  Add("device to device", Record.Copies[2]);
  Add("host to host", Record.Copies[3]);
#define GRIDSPAN_COPIES(Name, Key, Title) Add(Title, Record.Name);
#include "runtime/report/Counters.def"
  Out.back() = Out.back() == ',' ? '\n' : ' ';
  if (Out.back() != '\n')
    Out += "none\n";
  if (!Record.Kernels.empty())
    Out += legend(Record);
  return Out;
}

} // namespace gridspan
