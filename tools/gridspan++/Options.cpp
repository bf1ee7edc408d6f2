//===- Options.cpp - Command lines of nvcc and clang, as data -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the arguments once. NvccOptions.def says for each of nvcc's spellings
// whether it takes a value and which handler receives it. Everything else is
// clang's and passes through, with its value where clang's option has one.
//
// Those of which the order matters are added after all others.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Options.h"
#include "tools/gridspan++/OptionSyntax.h"
#include "tools/gridspan++/PassOptions.h"
#include "tools/gridspan++/RequestBuilder.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gridspan;

namespace {

enum ValueKind { Nothing, Value };

class OptionParser : RequestBuilder {
public:
  explicit OptionParser(ArrayRef<StringRef> Args) : Args(Args) {}

  Request parse() {
    while (Next < Args.size() && R.Error.empty())
      parseOne(Args[Next++]);
    // After every -O.
    if (DeviceDebug)
      deviceOption("-O0");
    if (R.Error.empty())
      finish();
    for (const std::string &Option : givePassOptions(R))
      note(Option + ": ignored where Gridspan's passes do not run");
    return std::move(R);
  }

private:
  ArrayRef<StringRef> Args;
  size_t Next = 0;

  //===--- Handlers of NvccOptions.def ------------------------------------===//

  void onArch(StringRef V) {
    // clang accepts a list here.
    SmallVector<StringRef> Parts;
    V.split(Parts, ',');
    for (StringRef Part : Parts)
      if (std::string Why = R.Architectures.addArch(Part); !Why.empty())
        fail(Why);
  }
  void onCode(StringRef V) {
    if (std::string Why = R.Architectures.addCode(V); !Why.empty())
      fail(Why);
  }
  void onGencode(StringRef V) {
    if (std::string Why = R.Architectures.addGencode(V); !Why.empty())
      fail(Why);
  }
  void onLineInfo(StringRef) { deviceOption("-gline-tables-only"); }
  void onDeviceDebug(StringRef) {
    DeviceDebug = true;
    option("-D__CUDACC_DEBUG__");
    R.DeviceOptimized = false;
    deviceOption("-g");
  }
  // As nvcc documents --use_fast_math; host code is not meant.
  void onFastMath(StringRef) {
    option("-fgpu-approx-transcendentals");
    onFtz("true");
    onPrecDiv("false");
    onPrecSqrt("false");
    onFmad("true");
  }
  void onFtz(StringRef V) {
    option(flagValue(V) ? "-fgpu-flush-denormals-to-zero"
                        : "-fno-gpu-flush-denormals-to-zero");
  }
  void onPrecDiv(StringRef V) {
    deviceOption(Twine("-mllvm=--nvptx-prec-divf32=") +
                 (flagValue(V) ? "2" : "0"));
  }
  void onPrecSqrt(StringRef V) {
    deviceOption(Twine("-mllvm=--nvptx-prec-sqrtf32=") +
                 (flagValue(V) ? "1" : "0"));
  }
  void onFmad(StringRef V) {
    deviceOption(flagValue(V) ? "-ffp-contract=fast" : "-ffp-contract=off");
  }
  void onMaxRegisters(StringRef V) {
    option("-Xcuda-ptxas");
    option("--maxrregcount=" + V);
  }
  void onPtxas(StringRef V) {
    for (const std::string &Part : splitList(V)) {
      option("-Xcuda-ptxas");
      option(Part);
    }
  }
  void onResourceUsage(StringRef) { onPtxas("-v"); }
  // clang has both anyway; programs and headers ask for the macros.
  void onRelaxedConstexpr(StringRef) {
    option("-D__CUDACC_RELAXED_CONSTEXPR__");
  }
  void onExtendedLambda(StringRef) { option("-D__CUDACC_EXTENDED_LAMBDA__"); }
  void onDeviceSyntaxOnly(StringRef) {
    option("--cuda-device-only");
    clangOption("-fsyntax-only");
  }
  // expandOptionsFiles leaves none.
  void onOptionsFile(StringRef V) { fail("cannot read '" + V + "'"); }
  void onDefaultStream(StringRef V) {
    if (V == "legacy" || V == "null")
      return;
    if (V != "per-thread")
      return fail("expected legacy or per-thread, not '" + V + "'");
    // The macro is for the headers, the option for clang's launch stubs.
    option("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    option("-Xclang");
    option("-fgpu-default-stream=per-thread");
  }
  void onRelocatable(StringRef V) { R.Relocatable = flagValue(V); }
  void onGpuRdc(StringRef) { R.Relocatable = true; }
  void onDeviceObjects(StringRef) {
    R.Relocatable = true;
    clangOption("-c");
  }
  void onWholeObjects(StringRef) {
    R.Relocatable = false;
    clangOption("-c");
  }
  void onDeviceLink(StringRef) { R.DeviceLink = R.Relocatable = true; }
  void onLibrary(StringRef) { R.Library = true; }
  void onPtx(StringRef) {
    R.DeviceOnly = R.StopsBeforeLink = true;
    option("--cuda-device-only");
    option("-S");
  }
  void onCubin(StringRef) {
    R.DeviceOnly = R.StopsBeforeLink = true;
    option("--cuda-device-only");
    option("-c");
  }
  void onFatbin(StringRef) {
    R.Fatbin = R.DeviceOnly = R.StopsBeforeLink = true;
    option("--cuda-device-only");
  }
  void onIntermediate(StringRef) { R.Intermediate = R.StopsBeforeLink = true; }
  void onKeepFolder(StringRef V) { R.KeepFolder = V.str(); }
  void onWrapAssembly(StringRef V) {
    R.Action = RequestedAction::WrapAssembly;
    R.Assembly = V.str();
  }
  void onLanguage(StringRef V) {
    Language = V == "cu" ? "cuda" : V;
    // Not for the C sources, which have their own command.
    R.Args.push_back({"-x", Argument::Source});
    R.Args.push_back({Language.str(), Argument::Source});
  }
  void onCompiler(StringRef V) {
    if (V.starts_with("-Wl,"))
      return linkInput(V);
    std::vector<std::string> Parts = splitList(V);
    for (size_t I = 0; I < Parts.size(); ++I) {
      StringRef Part = Parts[I];
      // These also matter when linking, or take a value that -Xarch_host
      // cannot carry.
      if (takesNextArgument(Part) && I + 1 < Parts.size()) {
        option(Part);
        option(Parts[++I]);
      } else if (Part.starts_with("-l") || Part.starts_with("-L") ||
                 Part.starts_with("-Wl,"))
        linkInput(Part);
      else if (Part == "-pthread" || Part == "-rdynamic" || Part == "-static" ||
               Part == "-pie" || Part == "-no-pie" || Part == "-shared" ||
               (Part.starts_with("-fopenmp") && Part != "-fopenmp-simd") ||
               Part.starts_with("-fsanitize"))
        option(Part);
      // nvcc runs the host's preprocessor over device code too.
      else if (isPreprocessorOption(Part))
        option(Part);
      // -Xarch_host cannot carry the levels between.
      else if (Part.starts_with("-O"))
        hostOption(Part == "-O0" ? "-O0" : "-O3");
      // The program is without gcc's warnings, not without clang's.
      else if (Part == "-Werror")
        note("-Xcompiler -Werror: warnings stay warnings, as clang has others "
             "than gcc");
      else {
        hostOption(Part);
        // Such as only gcc has.
        if (Part.starts_with("-W"))
          hostOption("-Wno-unknown-warning-option");
      }
    }
  }
  void onStandard(StringRef V) {
    if (V == "c++03") {
      note("-std=c++03: clang takes CUDA from C++11 on, which it is compiled "
           "as");
      V = "c++11";
    }
    option("-std=" + V);
  }
  void onOptimize(StringRef V) { clangOption(("-O" + V).str()); }
  /// Tells the plugin what calls of host functions by kernels are.
  void hostCalls(StringRef Treatment) {
    for (StringRef Part :
         {StringRef("-plugin-arg-gridspan-host-calls"), Treatment}) {
      option("-Xclang");
      option(Part);
    }
  }
  /// Of nvcc's kinds clang has these, and the plugin one.
  void onErrorKinds(StringRef V) {
    for (const std::string &Kind : splitList(V))
      if (Kind == "all-warnings")
        option("-Werror");
      else if (Kind == "reorder" || Kind == "deprecated-declarations")
        option("-Werror=" + Kind);
      else if (Kind == "cross-execution-space-call")
        hostCalls("error");
  }
  /// nvcc has two numbers for one warning, the second for templates.
  void onSuppress(StringRef V) {
    for (const std::string &Number : splitList(V))
      if (Number == "20014")
        hostCalls("silent");
      else if (Number != "20011")
        note(Spelling + " has no meaning here and is ignored, but for 20014");
  }
  void onMachine(StringRef V) {
    if (V != "64")
      fail("only 64-bit programs are supported");
  }
  void onLinker(StringRef V) {
    for (const std::string &Part : splitList(V)) {
      linkInput("-Xlinker");
      linkInput(Part);
    }
  }
  void onCudart(StringRef V) {
    if (V == "static")
      R.Cudart = CudartKind::Static;
    else if (V == "shared")
      R.Cudart = CudartKind::Shared;
    else if (V == "none")
      R.Cudart = CudartKind::None;
    else
      fail("expected static, shared or none, not '" + V + "'");
  }
  void onRuntime(StringRef V) {
    if (V == "static")
      R.AskedRuntime = RuntimeKind::Static;
    else if (V == "shared")
      R.AskedRuntime = RuntimeKind::Shared;
    else
      fail("expected static or shared, not '" + V + "'");
  }
  void onRun(StringRef) { R.Run = true; }
  void onRunArguments(StringRef V) {
    append_range(R.RunArguments, splitList(V));
  }
  void onOutputFolder(StringRef V) { R.OutputFolder = V.str(); }
  void onListCodes(StringRef) {
    R.Action = RequestedAction::ListArchitectures;
    R.ListCodes = true;
  }
  void onListArchitectures(StringRef) {
    R.Action = RequestedAction::ListArchitectures;
    R.ListArchitectures = true;
  }
  void onDryRun(StringRef) { R.DryRun = true; }
  void onPrintFlags(StringRef) { R.Action = RequestedAction::PrintFlags; }
  void onPrintLinkFlags(StringRef) {
    R.Action = RequestedAction::PrintLinkFlags;
  }
  void onPrintToolkit(StringRef) { R.Action = RequestedAction::PrintToolkit; }
  void onPrintCompileInputs(StringRef) {
    R.Action = RequestedAction::PrintCompileInputs;
  }
  void onNoGridspan(StringRef) { R.Plugin = false; }
  void onNoPrecompiledHeaders(StringRef) { R.PrecompiledHeaders = false; }
  void onNoPrimitives(StringRef) { R.Primitives = false; }
  void onToolkit(StringRef V) { R.ToolkitPath = V.str(); }
  void onHelp(StringRef) { R.Action = RequestedAction::Help; }
  void onVersion(StringRef) { R.Action = RequestedAction::Version; }

  //===--- The rest is clang's --------------------------------------------===//

  void parseOne(StringRef Text) {
    if (!Text.starts_with("-") || Text == "-")
      return input(Text);
    if (parseNvccOption(Text))
      return;
    Spelling = Text.take_front(2);
    if (is_contained({"-D", "-U", "-I", "-L", "-l"}, Spelling))
      return listed(Spelling, Text.drop_front(2));
    if (Text.starts_with("-o") && !Text.starts_with("-object"))
      R.Output = Text.substr(2).str();
    // clang's joined -xcuda, as --print-flags has it; not ptxas's -x....
    else if (Text.starts_with("-x") && Text.size() > 2)
      onLanguage(Text.substr(2));
    // nvcc's "-O 3", "-O=3" and "-t4".
    else if (Text == "-O" && Next < Args.size() && isLevel(Args[Next]))
      clangOption(("-O" + Args[Next++]).str());
    else if (Text.starts_with("-O=") && isLevel(Text.substr(3)))
      clangOption(("-O" + Text.substr(3)).str());
    else if (Text.starts_with("-t") && isLevel(Text.substr(2)))
      return;
    // nvcc's "-Werror all-warnings", which is no input.
    else if (Text == "-Werror" && Next < Args.size() &&
             areErrorKinds(Args[Next]))
      onErrorKinds(Args[Next++]);
    else if (StringRef Kinds = Text;
             Kinds.consume_front("-Werror=") && areErrorKinds(Kinds))
      onErrorKinds(Kinds);
    else {
      clangOption(Text);
      if (takesNextArgument(Text) && Next < Args.size())
        option(Args[Next++]);
    }
  }

  static bool isLevel(StringRef Text) {
    return !Text.empty() && all_of(Text, isDigit);
  }
  static bool areErrorKinds(StringRef Text) {
    return all_of(splitList(Text), isErrorKind);
  }
  static bool isErrorKind(StringRef Text) {
    return Text == "all-warnings" || Text == "cross-execution-space-call" ||
           Text == "reorder" || Text == "deprecated-declarations" ||
           Text == "default-stream-launch" || Text == "missing-launch-bounds" ||
           Text == "ext-lambda-captures-this";
  }

  struct NvccOption {
    StringRef Spelling;
    ValueKind Takes;
    enum { Handle, Ignore, IgnoreSaid, Refuse, Rename, List } Treatment;
    void (OptionParser::*Handler)(StringRef);
    StringRef Text; ///< why refused, or the new name
  };
  static const NvccOption Table[];
  static ArrayRef<NvccOption> table();

  bool parseNvccOption(StringRef Text) {
    auto [Name, Inline] = Text.split('=');
    bool HasInline = Text.contains('=');
    const NvccOption *Found = nullptr;
    for (const NvccOption &O : table())
      if (O.Spelling == Text || (O.Takes == Value && O.Spelling == Name)) {
        Found = &O;
        break;
      }
    if (!Found)
      return false;
    Spelling = Found->Spelling;
    StringRef V;
    if (Found->Takes == Value) {
      if (HasInline)
        V = Inline;
      else if (Next < Args.size())
        V = Args[Next++];
      else {
        fail("expects a value");
        return true;
      }
    }
    switch (Found->Treatment) {
    case NvccOption::Handle:
      (this->*Found->Handler)(V);
      break;
    case NvccOption::Ignore:
      break;
    case NvccOption::IgnoreSaid:
      note(Spelling + " has no meaning here and is ignored");
      break;
    case NvccOption::Refuse:
      fail(Found->Text);
      break;
    case NvccOption::Rename:
      renamed(Found->Text, V, Found->Takes == Value);
      break;
    case NvccOption::List:
      listed(Found->Text, V);
      break;
    }
    return true;
  }
};

const OptionParser::NvccOption OptionParser::Table[] = {
#define NVCC_OPTION(Spelling, Takes, Handler)                                  \
  {Spelling, Takes, NvccOption::Handle, &OptionParser::Handler, ""},
#define NVCC_IGNORED(Spelling, Takes)                                          \
  {Spelling, Takes, NvccOption::Ignore, nullptr, ""},
#define NVCC_IGNORED_SAID(Spelling, Takes)                                     \
  {Spelling, Takes, NvccOption::IgnoreSaid, nullptr, ""},
#define NVCC_REFUSED(Spelling, Takes, Why)                                     \
  {Spelling, Takes, NvccOption::Refuse, nullptr, Why},
#define NVCC_RENAMED(Spelling, Takes, To)                                      \
  {Spelling, Takes, NvccOption::Rename, nullptr, To},
#define NVCC_LIST(Spelling, To)                                                \
  {Spelling, Value, NvccOption::List, nullptr, To},
#include "tools/gridspan++/NvccOptions.def"
};

ArrayRef<OptionParser::NvccOption> OptionParser::table() { return Table; }

} // namespace

Request gridspan::parseOptions(ArrayRef<StringRef> Args) {
  return OptionParser(Args).parse();
}
