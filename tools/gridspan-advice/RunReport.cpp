//===- RunReport.cpp - Launches of a run, by kernel -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the report are matched by demangled name. Where the commonest
// launch is not the one that advice is about, the options for that launch are
// put together.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/RunReport.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

using nlohmann::json;

namespace gridspan {

static std::string shapeText(const Shape &S) {
  std::string Out = std::to_string(S[0]);
  if (S[1] > 1 || S[2] > 1)
    Out += fmt::format("x{}", S[1]);
  if (S[2] > 1)
    Out += fmt::format("x{}", S[2]);
  return Out;
}

std::string shapeText(const Shape &Grid, const Shape &Block) {
  std::string Blocks = shapeText(Grid);
  return fmt::format("{} block{} of {} threads", Blocks,
                     Blocks == "1" ? "" : "s", shapeText(Block));
}

std::string dynamicSharedText(uint64_t Bytes) {
  return fmt::format("{} dynamic shared memory",
                     Bytes ? fmt::format("{} bytes of", Bytes) : "no");
}

/// The bytes of an argument, the first one first.
static std::vector<uint8_t> bytesOf(const json &Argument) {
  std::vector<uint8_t> Out;
  if (Argument.contains("value")) {
    auto Value = static_cast<uint64_t>(Argument.at("value").get<int64_t>());
    for (unsigned I = 0; I < 8; ++I)
      Out.push_back(static_cast<uint8_t>(Value >> 8 * I));
    return Out;
  }
  std::string Digits = Argument.value("bytes", "");
  for (size_t I = 0; I + 1 < Digits.size(); I += 2)
    Out.push_back(
        static_cast<uint8_t>(std::stoul(Digits.substr(I, 2), nullptr, 16)));
  return Out;
}

/// Returns what the launch passed for the parameter, if the report has it.
static std::optional<int64_t> valueOf(const json &Arguments,
                                      const LaunchParameter &P) {
  for (const json &Argument : Arguments) {
    if (Argument.at("index") != P.Index)
      continue;
    std::vector<uint8_t> Bytes = bytesOf(Argument);
    unsigned Count = (P.Bits + 7) / 8; // a bool has one bit
    if (Count == 0 || Count > 8 || P.Byte + Count > Bytes.size())
      return std::nullopt;
    uint64_t Word = 0;
    for (unsigned I = 0; I < Count; ++I)
      Word |= static_cast<uint64_t>(Bytes[P.Byte + I]) << 8 * I;
    unsigned Unused = 64 - 8 * Count;
    return static_cast<int64_t>(Word << Unused) >> Unused;
  }
  return std::nullopt;
}

/// The kernel's name as options take it and shells leave it alone.
static std::string optionName(const Kernel &K) {
  std::string Plain = K.Name.substr(0, K.Name.find('('));
  bool IsPlain = !Plain.empty() &&
                 std::all_of(Plain.begin(), Plain.end(), [](unsigned char C) {
                   return std::isalnum(C) || C == '_' || C == ':';
                 });
  return IsPlain ? Plain : K.Mangled;
}

void compareLaunch(const json &Ran, uint64_t Launches, Kernel &K) {
  Shape Grid, Block;
  for (size_t Axis = 0; Axis < 3; ++Axis) {
    Grid[Axis] = Ran.at("grid").at(Axis);
    Block[Axis] = Ran.at("block").at(Axis);
  }
  std::string Name = optionName(K), Text = shapeText(Grid, Block), Options;
  // Same: what was assumed and is what ran. Other values may change what is
  // assumed, such as blocks that fill the GPU.
  std::vector<std::string> Exact, Same;
  auto Note = [&](std::vector<std::string> &In, const char *Option,
                  const std::string &Value, char Separator = ':') {
    In.push_back(fmt::format("-gridspan-{}={}{}{}", Option, K.Mangled,
                             Separator, Value));
  };
  auto Add = [&](const char *Option, const std::string &Value,
                 char Separator = ':') {
    Options +=
        fmt::format("{}-mllvm -gridspan-{}={}{}{}", Options.empty() ? "" : " ",
                    Option, Name, Separator, Value);
    Note(Exact, Option, Value, Separator);
  };
  // What the run had as well was not only assumed.
  LookedAt &L = K.Launch;
  if (Grid == L.Grid) {
    L.IsGridAssumed = false;
    Note(Same, "grid", shapeText(Grid));
  } else {
    Add("grid", shapeText(Grid));
  }
  if (Block == L.Block) {
    L.IsBlockAssumed = false;
    Note(Same, "block", shapeText(Block));
  } else {
    Add("block", shapeText(Block));
  }
  if (uint64_t Shared = Ran.value("shared_bytes", uint64_t(0));
      Shared == L.DynamicShared) {
    L.IsDynamicSharedAssumed = false;
    Note(Same, "shared", std::to_string(Shared), '=');
  } else {
    Add("shared", std::to_string(Shared), '=');
    Text += ", " + dynamicSharedText(Shared);
  }
  for (LaunchParameter &P : L.Parameters) {
    std::optional<int64_t> Value = valueOf(Ran.at("arguments"), P);
    if (!Value)
      continue;
    std::string Where = std::to_string(P.Index);
    if (P.Byte)
      Where += fmt::format("+{}", P.Byte);
    const std::string Pair = fmt::format("{}={}", Where, *Value);
    if (*Value == P.Value) {
      P.IsAssumed = false;
      Note(Same, "param", Pair);
      continue;
    }
    Add("param", Pair);
    Text += fmt::format(", {} = {}", P.Name, *Value);
  }
  std::string Share;
  if (uint64_t These = Ran.at("launches"); These < Launches)
    Share = fmt::format("{} of {} launches", These, Launches);
  if (Options.empty()) {
    K.Share = Share;
    return;
  }
  K.RanInstead = Text + (Share.empty() ? "" : " in " + Share);
  K.Options = Options;
  K.ExactOptions = std::move(Exact);
  K.ExactOptions.insert(K.ExactOptions.end(), Same.begin(), Same.end());
}

namespace {
/// Finds what ran of a kernel, by the lines of the report that are taken to be
/// it.
struct Runs {
  uint64_t Launches = 0, Commonest = 0;
  json Launch;
};
} // namespace

/// Static kernels of several files may have one name: a line is of the kernel
/// that has its source, or of all with its name if none has it, as for a
/// template, which is one kernel in whatever sources use it.
bool isLineOf(const json &Line, const Kernel &K,
              const std::vector<Kernel> &All) {
  if (Line.at("name") != K.Name)
    return false;
  const json Source = Line.value("source", json());
  return Source == K.Source ||
         std::none_of(All.begin(), All.end(), [&](const Kernel &Other) {
           return Other.Name == K.Name && Source == Other.Source;
         });
}

static Runs runsOf(const json &Lines, const Kernel &K,
                   const std::vector<Kernel> &All) {
  Runs Out;
  for (const json &Line : Lines) {
    if (!isLineOf(Line, K, All))
      continue;
    Out.Launches += Line.at("launches").get<uint64_t>();
    const json Launch = Line.value("commonest_launch", json());
    if (!Launch.is_object())
      continue;
    if (uint64_t Launches = Launch.at("launches"); Launches > Out.Commonest) {
      Out.Commonest = Launches;
      Out.Launch = Launch;
    }
  }
  return Out;
}

void applyReport(const std::string &Path, std::vector<Kernel> &Kernels) {
  json Report = readJson(Path);
  try {
    const json &Lines = Report.at("kernels");
    for (Kernel &K : Kernels) {
      Runs R = runsOf(Lines, K, Kernels);
      K.Launches = R.Launches;
      if (R.Commonest)
        compareLaunch(R.Launch, R.Launches, K);
    }
  } catch (const json::exception &) {
    throw std::runtime_error(fmt::format("{}: not the report of a run", Path));
  }
}

} // namespace gridspan
