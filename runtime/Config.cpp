//===- Config.cpp - The variables of the environment ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each variable has a parser and a sentence that says what is expected. The
// first one that is wrong ends the reading, so that a user sees one message at
// a time.
//
//===----------------------------------------------------------------------===//

#include "runtime/Config.h"
#include "runtime/Environment.h"
#include <cassert>
#include <charconv>
#include <fmt/format.h>

namespace gridspan {

template <typename T>
static std::optional<T> parseNumber(std::string_view Text) {
  T Value;
  auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Value);
  if (Error != std::errc() || End != Text.data() + Text.size())
    return std::nullopt;
  return Value;
}

std::optional<uint64_t> parseBytes(std::string_view Text) {
  const size_t Digits = Text.find_first_not_of("0123456789");
  if (Digits == 0 || Digits == std::string_view::npos)
    return std::nullopt;
  auto Number = parseNumber<uint64_t>(Text.substr(0, Digits));
  const std::string_view Unit = Text.substr(Digits);
  unsigned Shift;
  if (Unit == "B")
    Shift = 0;
  else if (Unit == "KiB")
    Shift = 10;
  else if (Unit == "MiB")
    Shift = 20;
  else if (Unit == "GiB")
    Shift = 30;
  else if (Unit == "TiB")
    Shift = 40;
  else
    return std::nullopt;
  if (!Number || *Number == 0 || *Number > (UINT64_MAX >> Shift))
    return std::nullopt;
  return *Number << Shift;
}

/// More CPU devices, or devices of one GPU, are a mistake, not a machine.
static constexpr unsigned MaxDevices = 64;

static constexpr unsigned MaxCopyThreads = 1024;

static constexpr unsigned MaxCpuThreads = 1024;

static bool parseDevices(std::string_view Text, Config &Out) {
  const size_t Colon = Text.find(':');
  const std::string_view Kind = Text.substr(0, Colon);
  const bool HasList = Colon != std::string_view::npos;
  std::string_view List = HasList ? Text.substr(Colon + 1) : "";
  if (Kind == "cpu") {
    Out.Kind = DeviceKind::Cpu;
    if (!HasList)
      return true;
    auto Count = parseNumber<unsigned>(List);
    if (!Count || *Count == 0 || *Count > MaxDevices)
      return false;
    Out.NumCpuDevices = *Count;
    return true;
  }
  if (Kind != "gpu")
    return false;
  Out.Kind = DeviceKind::Gpu;
  while (HasList) {
    const size_t Comma = List.find(',');
    const std::string_view Entry = List.substr(0, Comma);
    const size_t Star = Entry.find('*');
    auto Ordinal = parseNumber<int>(Entry.substr(0, Star));
    auto Times = Star == std::string_view::npos
                     ? 1u
                     : parseNumber<unsigned>(Entry.substr(Star + 1));
    if (!Ordinal || *Ordinal < 0 || !Times || *Times == 0 ||
        *Times > MaxDevices)
      return false;
    for (int Other : Out.Gpus)
      if (Other == *Ordinal)
        return false;
    Out.Gpus.insert(Out.Gpus.end(), *Times, *Ordinal);
    if (Comma == std::string_view::npos)
      break;
    List = List.substr(Comma + 1);
  }
  return true;
}

/// Parses "0.7" or "70%" into a share of 1.
static std::optional<double> parseShare(std::string_view Text) {
  const bool IsPercent = Text.ends_with('%');
  std::optional<double> Share =
      parseNumber<double>(Text.substr(0, Text.size() - IsPercent));
  if (Share && IsPercent)
    *Share /= 100;
  if (!Share || !(*Share >= 0 && *Share <= 1))
    return std::nullopt;
  return Share;
}

static bool parseSchedule(std::string_view Text, Config &Out) {
  static constexpr std::pair<std::string_view, Schedule> Names[] = {
      {"auto", Schedule::Auto},
      {"single", Schedule::Single},
      {"static", Schedule::Static},
      {"dynamic", Schedule::Dynamic},
      {"hybrid", Schedule::Hybrid}};
  for (const auto &[Name, Sched] : Names)
    if (Text == Name) {
      Out.Sched = Sched;
      return true;
    }
  constexpr std::string_view WithShare = "hybrid:";
  if (!Text.starts_with(WithShare))
    return false;
  Out.Sched = Schedule::Hybrid;
  const std::optional<double> Share = parseShare(Text.substr(WithShare.size()));
  Out.StaticShare = Share.value_or(DefaultStaticShare);
  return Share.has_value();
}

static bool parseSwitch(std::string_view Text, bool &Out) {
  if (Text != "0" && Text != "1")
    return false;
  Out = Text == "1";
  return true;
}

/// Parses "1,0.25".
static bool parseSpeeds(std::string_view Text, std::vector<double> &Out) {
  for (size_t At = 0; At <= Text.size();) {
    const size_t Comma = std::min(Text.find(',', At), Text.size());
    double Speed = 0;
    const auto [End, Error] =
        std::from_chars(Text.data() + At, Text.data() + Comma, Speed);
    if (Error != std::errc() || End != Text.data() + Comma || !(Speed > 0) ||
        Speed > 1 || Out.size() == MaxDevices)
      return false;
    Out.push_back(Speed);
    At = Comma + 1;
  }
  return true;
}

static bool parseVectors(std::string_view Text, VectorLevel &Out) {
  if (Text == "0")
    Out = VectorLevel::Program;
  else if (Text == "avx2")
    Out = VectorLevel::Avx2;
  else if (Text == "avx512" || Text == "1")
    Out = VectorLevel::Avx512;
  else
    return false;
  return true;
}

static bool parseReport(std::string_view Text, Config &Out) {
  if (parseSwitch(Text, Out.ReportTable))
    return true;
  if (!Text.ends_with(".json"))
    return false;
  Out.ReportFile = Text;
  return true;
}

std::optional<Config> parseConfig(const Environment &Env,
                                  std::string &Message) {
  Config Out;
  // An empty value is as good as none.
  auto Read = [&](const char *Name, const char *Expected, auto Parse) {
    assert(isKnownVariable(Name));
    const char *Text = Env(Name);
    if (!Text || !*Text || !Message.empty() || Parse(std::string_view(Text)))
      return;
    Message = fmt::format("{}={}: expected {}", Name, Text, Expected);
  };
  Message.clear();
  Read("GRIDSPAN_DEVICES", "gpu, gpu:0,2, gpu:0*2 or cpu:4",
       [&](std::string_view Text) { return parseDevices(Text, Out); });
  Read("GRIDSPAN_DEVICE_MEMORY", "a size such as 512MiB or 4GiB",
       [&](std::string_view Text) {
         auto Bytes = parseBytes(Text);
         Out.DeviceMemory = Bytes.value_or(0);
         return Bytes.has_value();
       });
  Read("GRIDSPAN_SCHEDULE",
       "auto, single, static, dynamic, hybrid, or hybrid with a static share "
       "such as hybrid:0.7 or hybrid:70%",
       [&](std::string_view Text) { return parseSchedule(Text, Out); });
  Read("GRIDSPAN_LEARN", "0, 1 or process", [&](std::string_view Text) {
    Out.KeepsTimes = Text == "1";
    return Text == "process" || parseSwitch(Text, Out.Learns);
  });
  Read("GRIDSPAN_KEEP_FREED", "0 or 1", [&](std::string_view Text) {
    return parseSwitch(Text, Out.KeepsFreed.emplace());
  });
  Read("GRIDSPAN_CPU_SPEEDS", "numbers above 0 and up to 1, such as 1,0.25",
       [&](std::string_view Text) { return parseSpeeds(Text, Out.CpuSpeeds); });
  Read("GRIDSPAN_CPU_THREADS", "a number from 1 to 1024",
       [&](std::string_view Text) {
         Out.CpuThreads = parseNumber<unsigned>(Text).value_or(0);
         return Out.CpuThreads != 0 && Out.CpuThreads <= MaxCpuThreads;
       });
  Read("GRIDSPAN_CPU_WIDE", "0, 1, avx2 or avx512", [&](std::string_view Text) {
    return parseVectors(Text, Out.CpuVectors);
  });
  Read("GRIDSPAN_CHAIN", "0 or 1",
       [&](std::string_view Text) { return parseSwitch(Text, Out.Chains); });
  Read("GRIDSPAN_PRIMITIVES", "0 or 1", [&](std::string_view Text) {
    return parseSwitch(Text, Out.TakesCalls);
  });
  Read("GRIDSPAN_PEER", "0 or 1",
       [&](std::string_view Text) { return parseSwitch(Text, Out.Peer); });
  Read("GRIDSPAN_LAYOUT", "0 or 1",
       [&](std::string_view Text) { return parseSwitch(Text, Out.Forms); });
  Read("GRIDSPAN_PRIVATE_COPIES", "auto, integer, never or always",
       [&](std::string_view Text) {
         if (Text == "integer")
           Out.Privates = PrivateCopyUse::Integers;
         else if (Text == "never")
           Out.Privates = PrivateCopyUse::Never;
         else if (Text == "always")
           Out.Privates = PrivateCopyUse::Always;
         else
           return Text == "auto";
         return true;
       });
  Read("GRIDSPAN_REPORT", "1, 0 or the name of a .json file",
       [&](std::string_view Text) { return parseReport(Text, Out); });
  Read("GRIDSPAN_PROGRESS", "0 or 1", [&](std::string_view Text) {
    return parseSwitch(Text, Out.Progress.emplace());
  });
  Read("GRIDSPAN_TRACE", "the name of a .json file",
       [&](std::string_view Text) {
         Out.TraceFile = Text;
         return Text.ends_with(".json");
       });
  Read("GRIDSPAN_PROFILE", "the name of a .json file",
       [&](std::string_view Text) {
         Out.ProfileFile = Text;
         return Text.ends_with(".json");
       });
  Read("GRIDSPAN_COPY_THREADS", "a number from 0 to 1024",
       [&](std::string_view Text) {
         Out.CopyThreads = parseNumber<unsigned>(Text);
         return Out.CopyThreads && *Out.CopyThreads <= MaxCopyThreads;
       });
  Read("GRIDSPAN_TRACE_ACCESS", "a file name", [&](std::string_view Text) {
    Out.TraceAccessFile = Text;
    return true;
  });
  Read("GRIDSPAN_CHECK", "0, 1 or uninitialized", [&](std::string_view Text) {
    Out.CheckContents = Text == "uninitialized";
    Out.Check = Out.CheckContents;
    return Out.Check || parseSwitch(Text, Out.Check);
  });
  const char *NeedsCpu = !Out.TraceAccessFile.empty() ? "GRIDSPAN_TRACE_ACCESS"
                         : Out.Check                  ? "GRIDSPAN_CHECK"
                                                      : nullptr;
  if (Message.empty() && NeedsCpu && Out.Kind == DeviceKind::Gpu)
    Message = fmt::format("{} needs the CPU device: set GRIDSPAN_DEVICES=cpu:1",
                          NeedsCpu);
  if (!Message.empty())
    return std::nullopt;
  if (NeedsCpu) {
    Out.Kind = DeviceKind::Cpu;
    // Addresses are to be those of the program's memory.
    Out.Privates = PrivateCopyUse::Never;
    Out.Replicas = false;
    Out.Forms = false;
    // A trace has each chunk's own arguments beside its addresses.
    if (Out.Check)
      Out.MovesPointers = Out.Chains = false;
  }
  return Out;
}

} // namespace gridspan
