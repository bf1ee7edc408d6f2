//===- AdviceOptions.cpp - Options of the advice -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gridspan/Passes/AdviceOptions.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace gridspan {

static cl::opt<std::string>
    BlockOption("gridspan-block", cl::value_desc("32x8"),
                cl::desc("Threads of a block, for the advice"));
static cl::opt<std::string>
    GridOption("gridspan-grid", cl::value_desc("128x512"),
               cl::desc("Blocks of the grid, for the advice"));
static cl::list<std::string>
    ParamOption("gridspan-param", cl::value_desc("[kernel:]index[+byte]=value"),
                cl::desc("Value of a parameter, for the advice"));
static cl::opt<unsigned>
    BaseOption("gridspan-base", cl::init(0), cl::value_desc("bytes"),
               cl::desc("Base addresses modulo 256, for the advice"));
static cl::opt<unsigned>
    RequestsOption("gridspan-requests", cl::init(TrafficOptions().MaxRequests),
                   cl::desc("Warp requests evaluated for an access, about"));

[[noreturn]] static void malformed(StringRef Option, StringRef Text,
                                   StringRef Expected) {
  report_fatal_error("-" + Option + "=" + Text + ": expected " + Expected,
                     /*gen_crash_diag=*/false);
}

static std::optional<std::array<uint32_t, 3>>
parseShape(const cl::opt<std::string> &Option) {
  if (Option.empty())
    return std::nullopt;
  std::array<uint32_t, 3> Shape = {1, 1, 1};
  SmallVector<StringRef, 3> Parts;
  StringRef(Option).split(Parts, 'x');
  if (Parts.size() > 3)
    malformed(Option.ArgStr, Option, "at most three numbers, like 32x8");
  for (size_t I = 0; I != Parts.size(); ++I)
    if (Parts[I].getAsInteger(10, Shape[I]) || Shape[I] == 0)
      malformed(Option.ArgStr, Option, "positive numbers, like 32x8");
  return Shape;
}

LaunchAssumptions launchAssumptions() {
  LaunchAssumptions Known;
  Known.Block = parseShape(BlockOption);
  if (Known.Block &&
      uint64_t((*Known.Block)[0]) * (*Known.Block)[1] * (*Known.Block)[2] >
          1024)
    malformed(BlockOption.ArgStr, BlockOption, "at most 1024 threads");
  Known.Grid = parseShape(GridOption);
  for (StringRef Text : ParamOption) {
    auto [Left, Value] = Text.rsplit('=');
    StringRef Kernel, Index = Left;
    if (Left.contains(':'))
      std::tie(Kernel, Index) = Left.rsplit(':');
    auto [Param, Byte] = Index.split('+');
    unsigned Number, Offset = 0;
    int64_t Number64;
    if (Param.getAsInteger(10, Number) || Value.getAsInteger(10, Number64) ||
        (Index.contains('+') && Byte.getAsInteger(10, Offset)))
      malformed(ParamOption.ArgStr, Text, "[kernel:]index[+byte]=value");
    Known.Params[{Kernel.str(), Number, Offset}] = Number64;
  }
  return Known;
}

TrafficOptions trafficOptions() { return {RequestsOption, BaseOption % 256}; }

} // namespace gridspan
