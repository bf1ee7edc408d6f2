//===- AdviceOptions.cpp - Options of the advice --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line of advice. A name in front of a value says that it is about
// that kernel only.
//
//===----------------------------------------------------------------------===//

#include "passes/advice/AdviceOptions.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <set>

using namespace llvm;

namespace gridspan {

static cl::list<std::string>
    BlockOption("gridspan-block", cl::value_desc("[kernel:]32x8"),
                cl::desc("Threads of a block, for the advice"));
static cl::list<std::string>
    GridOption("gridspan-grid", cl::value_desc("[kernel:]128x512"),
               cl::desc("Blocks of the grid, for the advice"));
static cl::list<std::string>
    SharedOption("gridspan-shared", cl::value_desc("[kernel=]bytes"),
                 cl::desc("Dynamic shared memory of a block, for the advice"));
static cl::list<std::string>
    ParamOption("gridspan-param", cl::value_desc("[kernel:]index[+byte]=value"),
                cl::desc("Value of a parameter, for the advice"));
static cl::list<std::string>
    BaseOption("gridspan-base", cl::value_desc("[[kernel:]index[+byte]=]bytes"),
               cl::desc("Base addresses modulo 256, of all pointers or of a "
                        "parameter, for the advice"));
static cl::opt<unsigned>
    RequestsOption("gridspan-requests", cl::init(TrafficOptions().MaxRequests),
                   cl::desc("Warp requests evaluated for an access, about"));

static cl::opt<std::string> KernelOption(
    "gridspan-kernel", cl::value_desc("text"),
    cl::desc("Advice only on kernels whose demangled name has this in it"));
static cl::opt<unsigned> LayoutLaunchesOption(
    "gridspan-layout-launches", cl::init(0),
    cl::desc("Launches for which data is converted to another layout at run "
             "time; 0: the source is changed"));
static cl::opt<std::string>
    MachineOption("gridspan-machine", cl::value_desc("file.json"),
                  cl::desc("Machine model to predict times with"));
static cl::list<std::string>
    RegistersOption("gridspan-registers", cl::value_desc("kernel=number"),
                    cl::desc("Registers of a thread, to predict times with"));

static cl::opt<std::string>
    PtxasOption("gridspan-ptxas", cl::ZeroOrMore, cl::value_desc("path"),
                cl::desc("Program that is asked for the registers of kernels "
                         "where times are predicted"));

[[noreturn]] static void malformed(StringRef Option, StringRef Text,
                                   StringRef Expected) {
  report_fatal_error("-" + Option + "=" + Text + ": expected " + Expected,
                     /*gen_crash_diag=*/false);
}

using Shape = std::array<uint32_t, 3>;

static void parseShapes(const cl::list<std::string> &Option,
                        uint64_t MaxProduct, OfKernels<Shape> &Out) {
  for (StringRef Text : Option) {
    StringRef Kernel, Numbers = Text;
    if (Text.contains(':'))
      std::tie(Kernel, Numbers) = Text.rsplit(':');
    Shape S = {1, 1, 1};
    SmallVector<StringRef, 3> Parts;
    Numbers.split(Parts, 'x');
    if (Parts.size() > 3)
      malformed(Option.ArgStr, Text, "at most three numbers, like 32x8");
    for (size_t I = 0; I != Parts.size(); ++I)
      if (Parts[I].getAsInteger(10, S[I]) || S[I] == 0)
        malformed(Option.ArgStr, Text, "positive numbers, like 32x8");
    if (MaxProduct && uint64_t(S[0]) * S[1] * S[2] > MaxProduct)
      malformed(Option.ArgStr, Text, "at most 1024 threads");
    Out.ByName[Kernel.str()] = S;
  }
}

namespace {
/// "[kernel:]index[+byte]=value"
struct ParamText {
  std::string Kernel;
  std::pair<unsigned, unsigned> Place;
  int64_t Value;
};
} // namespace

static std::optional<ParamText> parseParam(StringRef Text) {
  auto [Left, Value] = Text.rsplit('=');
  StringRef Kernel, Index = Left;
  if (Left.contains(':'))
    std::tie(Kernel, Index) = Left.rsplit(':');
  auto [Param, Byte] = Index.split('+');
  unsigned Number, Offset = 0;
  int64_t Number64;
  if (Param.getAsInteger(10, Number) || Value.getAsInteger(10, Number64) ||
      (Index.contains('+') && Byte.getAsInteger(10, Offset)))
    return std::nullopt;
  return ParamText{Kernel.str(), {Number, Offset}, Number64};
}

LaunchAssumptions launchAssumptions() {
  LaunchAssumptions Known;
  parseShapes(BlockOption, 1024, Known.Block);
  parseShapes(GridOption, 0, Known.Grid);
  for (StringRef Text : SharedOption) {
    auto [Kernel, Bytes] =
        Text.contains('=') ? Text.rsplit('=') : std::pair(StringRef(), Text);
    uint64_t Number;
    if (Bytes.getAsInteger(10, Number))
      malformed(SharedOption.ArgStr, Text, "[kernel=]bytes");
    Known.DynamicShared.ByName[Kernel.str()] = Number;
  }
  for (StringRef Text : ParamOption) {
    std::optional<ParamText> P = parseParam(Text);
    if (!P)
      malformed(ParamOption.ArgStr, Text, "[kernel:]index[+byte]=value");
    Known.Params[P->Place].ByName[P->Kernel] = P->Value;
  }
  for (StringRef Text : BaseOption) {
    if (!Text.contains('='))
      continue;
    std::optional<ParamText> P = parseParam(Text);
    if (!P || P->Value < 0)
      malformed(BaseOption.ArgStr, Text, "[kernel:]index[+byte]=bytes");
    Known.Bases[P->Place].ByName[P->Kernel] = unsigned(P->Value % 256);
  }
  return Known;
}

bool isKernelSelected(const Function &Kernel) {
  return KernelOption.empty() ||
         demangle(Kernel.getName()).find(KernelOption) != std::string::npos;
}

LayoutOptions layoutOptions() {
  return {double(LayoutLaunchesOption), givenMachine()};
}

TrafficOptions trafficOptions() {
  unsigned Base = 0;
  for (StringRef Text : BaseOption)
    if (!Text.contains('=') && Text.getAsInteger(10, Base))
      malformed(BaseOption.ArgStr, Text, "a number of bytes");
  return {RequestsOption, Base % 256};
}

const MachineModel *givenMachine() {
  if (MachineOption.empty())
    return nullptr;
  // Passes are made once for each pipeline, and refer to it.
  static std::map<std::string, MachineModel> Models;
  auto [It, IsNew] = Models.try_emplace(MachineOption);
  if (!IsNew)
    return &It->second;
  auto Buffer = MemoryBuffer::getFile(MachineOption);
  if (!Buffer)
    report_fatal_error(Twine("cannot read ") + MachineOption + ": " +
                           Buffer.getError().message(),
                       /*gen_crash_diag=*/false);
  Expected<MachineModel> Read = machineModelFromJSON((*Buffer)->getBuffer());
  if (!Read)
    report_fatal_error(Twine(MachineOption) + ": " + toString(Read.takeError()),
                       /*gen_crash_diag=*/false);
  It->second = std::move(*Read);
  return &It->second;
}

std::vector<std::string> givenAdviceOptions() {
  std::vector<std::string> Out;
  auto Add = [&](const cl::Option &Option, const Twine &Value) {
    if (Option.getNumOccurrences())
      Out.push_back(("-" + Option.ArgStr + "=" + Value).str());
  };
  auto AddAll = [&](const cl::list<std::string> &List) {
    for (const std::string &Value : List)
      Add(List, Value);
  };
  AddAll(BlockOption);
  AddAll(GridOption);
  AddAll(SharedOption);
  AddAll(ParamOption);
  AddAll(BaseOption);
  AddAll(RegistersOption);
  Add(RequestsOption, Twine(RequestsOption.getValue()));
  Add(LayoutLaunchesOption, Twine(LayoutLaunchesOption.getValue()));
  Add(KernelOption, KernelOption.getValue());
  Add(PtxasOption, PtxasOption.getValue());
  // The folder of the compilation is not that of later readers.
  SmallString<128> Machine(MachineOption.getValue());
  sys::fs::make_absolute(Machine);
  Add(MachineOption, Machine.str());
  return Out;
}

/// Returns the kernel in front of the separator: an option's text without is
/// about all kernels.
static StringRef kernelIn(StringRef Text, char Separator) {
  return Text.contains(Separator) ? Text.rsplit(Separator).first : StringRef();
}

std::vector<std::string> optionsOfOtherKernels(ArrayRef<Function *> Kernels) {
  std::set<std::string, std::less<>> Names;
  for (const Function *Kernel : Kernels)
    for (std::string &Name : kernelNames(Kernel->getName().str()))
      Names.insert(std::move(Name));
  std::vector<std::string> Out;
  auto Check = [&](const cl::list<std::string> &Option, char Separator) {
    for (StringRef Text : Option) {
      const StringRef Kernel = kernelIn(Text, Separator);
      if (!Kernel.empty() && !Names.contains(Kernel))
        Out.push_back(("-" + Option.ArgStr + "=" + Text).str());
    }
  };
  Check(BlockOption, ':');
  Check(GridOption, ':');
  Check(SharedOption, '=');
  Check(ParamOption, ':');
  Check(BaseOption, ':');
  Check(RegistersOption, '=');
  if (!KernelOption.empty() &&
      none_of(Kernels, [](Function *F) { return isKernelSelected(*F); }))
    Out.push_back("-gridspan-kernel=" + KernelOption);
  return Out;
}

CostOptions costOptions() {
  CostOptions Out;
  Out.Machine = givenMachine();
  Out.Ptxas = PtxasOption;
  for (StringRef Text : RegistersOption) {
    auto [Kernel, Number] = Text.rsplit('=');
    unsigned Registers;
    if (Number.getAsInteger(10, Registers) || Registers == 0)
      malformed(RegistersOption.ArgStr, Text, "kernel=number");
    Out.Registers.ByName[Kernel.str()] = Registers;
  }
  return Out;
}

} // namespace gridspan
