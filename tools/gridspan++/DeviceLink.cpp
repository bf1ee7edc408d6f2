//===- DeviceLink.cpp - What -dlink does ----------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each architecture the units' bitcode is joined (DeviceProgram.h) and goes
// through clang's pipeline with the plugin, as the device compilation of a
// whole program does; then through ptxas. fatbinary packs the results, and a
// host module with the fat binary (LinkModule.h) is compiled with the plugin,
// as the host compilation of a whole program is. So analyses, clones, payloads
// and descriptors come about in the same way.
//
// Options of the link and, where all units agree, of their compilations hold.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/DeviceLink.h"
#include "tools/gridspan++/DeviceInputs.h"
#include "tools/gridspan++/DeviceProgram.h"
#include "tools/gridspan++/LinkModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gridspan;

static Error failure(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

namespace {

/// Options, apart by whom they concern.
struct LinkOptions {
  CommandLine Both;   ///< of the two compilations of IR
  CommandLine Device; ///< of the device compilation only
  CommandLine Host;
  CommandLine Ptxas;
  bool LineTables = false;
  bool DebugInfo = false; ///< -G
  bool Verbose = false;
};

class DeviceLinker {
public:
  DeviceLinker(const Request &R, const Setting &S);
  Error link();

private:
  Expected<std::vector<Architecture>> architectures() const;
  void takeUnitOptions();
  Error run(const CommandLine &Command);
  Expected<std::string> compileDevice(const Architecture &A,
                                      std::vector<std::string> &Images);
  Error assemble(const Architecture &A, StringRef Ptx, bool UsesRuntime,
                 StringRef Cubin);
  Expected<std::string> makeFatbin();
  Error compileHost(StringRef Fatbin);
  CommandLine compileIr(StringRef Input, StringRef Output) const;

  const Request &R;
  const Setting &S;
  LinkOptions Options;
  std::vector<DeviceInput> Inputs;
  StringMap<std::string> Names;
  Temporaries Files;
};

} // namespace

/// Options that mean something for the compilation of IR.
static bool concernsIr(StringRef Option) {
  for (StringRef Prefix : {"-mllvm=", "-R", "-O", "-W", "-fdiagnostics",
                           "-fsave-optimization-record", "-ftime-report",
                           "-foptimization-record", "-fcolor-diagnostics"})
    if (Option.starts_with(Prefix))
      return !Option.starts_with("-Wl,");
  return Option == "-w";
}

static LinkOptions sortOptions(const Request &R) {
  LinkOptions Result;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    if (R.Args[I].Kind != Argument::Option)
      continue;
    StringRef Text = R.Args[I].Text;
    const bool HasNext = I + 1 < R.Args.size();
    if (Text == "-Xclang" && HasNext) {
      // What clang's front end is told concerns no IR, but for -mllvm, whose
      // value has an -Xclang of its own.
      StringRef Value = R.Args[++I].Text;
      if (Value == "-mllvm" && I + 2 < R.Args.size()) {
        I += 2;
        Result.Both.push_back("-mllvm=" + R.Args[I].Text);
      }
    } else if (Text == "-Xarch_device" && HasNext) {
      StringRef Value = R.Args[++I].Text;
      Result.LineTables |= Value == "-gline-tables-only";
      Result.DebugInfo |= Value == "-g";
      if (concernsIr(Value) || Value.starts_with("-ffp-contract"))
        Result.Device.push_back(Value.str());
    } else if (Text == "-Xarch_host" && HasNext) {
      StringRef Value = R.Args[++I].Text;
      if (concernsIr(Value) || Value.starts_with("-m"))
        Result.Host.push_back(Value.str());
    } else if (Text == "-Xcuda-ptxas" && HasNext) {
      Result.Ptxas.push_back(R.Args[++I].Text);
    } else if (Text == "-mllvm" && HasNext) {
      Result.Both.push_back("-mllvm=" + R.Args[++I].Text);
    } else if (concernsIr(Text)) {
      Result.Both.push_back(Text.str());
    } else if (Text.starts_with("-march=") || Text.starts_with("-mtune=")) {
      Result.Host.push_back(Text.str());
    }
    Result.Verbose |= Text == "-v";
    Result.LineTables |= Text == "-g" || Text == "-gline-tables-only";
  }
  return Result;
}

DeviceLinker::DeviceLinker(const Request &R, const Setting &S)
    : R(R), S(S), Options(sortOptions(R)) {}

Error DeviceLinker::run(const CommandLine &Command) {
  if (R.DryRun || Options.Verbose)
    errs() << "#$ " << printable(Command) << "\n";
  if (R.DryRun)
    return Error::success();
  SmallVector<StringRef> Args(Command.begin(), Command.end());
  std::string Message;
  const int Status = sys::ExecuteAndWait(Command.front(), Args, std::nullopt,
                                         {}, 0, 0, &Message);
  if (!Message.empty())
    return failure(Message);
  if (Status)
    return failure("device link: '" + sys::path::filename(Command.front()) +
                   "' failed");
  return Error::success();
}

/// Returns the architectures of the link: those asked for, else all that the
/// first input has. The others must have them, or there is no program for one.
Expected<std::vector<Architecture>> DeviceLinker::architectures() const {
  std::vector<Architecture> Wanted;
  if (!R.Architectures.isDefault())
    Wanted = S.Architectures;
  else
    for (const auto &[Name, Images] : Inputs.front().Images)
      Wanted.push_back({Name, /*Ptx=*/true});
  for (const Architecture &A : Wanted)
    for (const DeviceInput &Input : Inputs)
      if (!Input.Images.count(A.Name)) {
        std::vector<std::string> Has;
        for (const auto &[Name, Images] : Input.Images)
          Has.push_back(Name);
        return failure(Input.Name + " holds no device code for " + A.Name +
                       ", only for " + join(Has, ", "));
      }
  return Wanted;
}

/// Returns an option without its value.
static StringRef optionName(StringRef Option) {
  return Option.rsplit('=').first;
}

/// Adds what the units were compiled with and this link was not told.
void DeviceLinker::takeUnitOptions() {
  const std::string *Common = nullptr;
  for (const DeviceInput &Input : Inputs)
    for (const auto &[Name, Images] : Input.Images)
      for (const DeviceImage &Image : Images) {
        if (Common && *Common != Image.CodeOptions) {
          errs() << "gridspan++: note: " << Inputs.front().Name << " and "
                 << Input.Name
                 << " were compiled with different options for code "
                    "generation; those of the device link hold for both\n";
          return;
        }
        Common = &Image.CodeOptions;
      }
  SmallVector<StringRef> Parts;
  StringRef(*Common).split(Parts, '|', -1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    CommandLine &To =
        Part.consume_front("ptxas:") ? Options.Ptxas : Options.Device;
    if (none_of(To, [&](StringRef Given) {
          return optionName(Given) == optionName(Part);
        }))
      To.push_back(Part.str());
  }
}

/// Returns what is common to both compilations of IR.
CommandLine DeviceLinker::compileIr(StringRef Input, StringRef Output) const {
  CommandLine Command = {S.Gridspan.Clang,
                         "-Wno-unused-command-line-argument",
                         "-Wno-override-module",
                         "-Wno-unknown-cuda-version",
                         "-Wno-pass-failed",
                         "-fplugin=" + S.Gridspan.Plugin,
                         "-fpass-plugin=" + S.Gridspan.Plugin,
                         "-mllvm=-gridspan-ptxas=" + S.Cuda.Root +
                             "/bin/ptxas"};
  if (!R.OptimizationGiven)
    Command.emplace_back(R.DeviceOptimized ? "-O2" : "-O0");
  append_range(Command, Options.Both);
  append_range(Command,
               CommandLine{"-x", "ir", Input.str(), "-o", Output.str()});
  return Command;
}

/// The level that clang gives ptxas for its own.
static std::string ptxasLevel(const CommandLine &Clang) {
  std::string Level = "-O2";
  for (StringRef Option : Clang)
    if (Option == "-O0" || Option == "-O1" || Option == "-O2" ||
        Option == "-O3")
      Level = Option.str();
  return Level;
}

/// Makes machine code. The CUDA runtime of devices is an archive that nvlink
/// links.
Error DeviceLinker::assemble(const Architecture &A, StringRef Ptx,
                             bool UsesRuntime, StringRef Cubin) {
  std::string Object = Cubin.str();
  if (UsesRuntime) {
    Expected<std::string> Unlinked = Files.add("device-" + A.Name, "o");
    if (!Unlinked)
      return Unlinked.takeError();
    Object = *Unlinked;
  }
  CommandLine Command = {S.Overlay + "/bin/ptxas", "-m64"};
  if (!R.DeviceOptimized) {
    Command.emplace_back("-O0");
  } else {
    CommandLine All = Options.Both;
    append_range(All, Options.Device);
    Command.push_back(ptxasLevel(All));
  }
  if (Options.DebugInfo)
    Command.emplace_back("-g");
  else if (Options.LineTables)
    Command.emplace_back("-lineinfo");
  if (UsesRuntime)
    Command.emplace_back("-c");
  append_range(Command, CommandLine{"--gpu-name", A.Name, "--output-file",
                                    Object, Ptx.str()});
  append_range(Command, Options.Ptxas);
  if (Error E = run(Command); E || !UsesRuntime)
    return E;
  return run({S.Cuda.Root + "/bin/nvlink", "-m64", "--arch=" + A.Name,
              "-L" + S.Cuda.library(), "-lcudadevrt", Object, "-o",
              Cubin.str()});
}

/// Makes the code of one architecture; adds it to Images for fatbinary.
Expected<std::string>
DeviceLinker::compileDevice(const Architecture &A,
                            std::vector<std::string> &Images) {
  Expected<std::string> Program = Files.add("device-" + A.Name, "bc");
  Expected<std::string> Ptx = Files.add("device-" + A.Name, "ptx");
  Expected<std::string> Cubin = Files.add("device-" + A.Name, "cubin");
  if (!Program || !Ptx || !Cubin)
    return joinErrors(joinErrors(Program.takeError(), Ptx.takeError()),
                      Cubin.takeError());
  Expected<bool> UsesRuntime =
      writeDeviceProgram(Inputs, A.Name, Names, *Program);
  if (!UsesRuntime)
    return UsesRuntime.takeError();
  CommandLine Compile = compileIr(*Program, *Ptx);
  append_range(Compile,
               CommandLine{"--target=nvptx64-nvidia-cuda", "-march=" + A.Name,
                           "--cuda-path=" + S.Overlay, "-nogpulib", "-S"});
  // Where clang may fuse what the front end has not marked, as in CUDA sources.
  if (none_of(Options.Device, [](StringRef Option) {
        return Option.starts_with("-ffp-contract");
      }))
    Compile.emplace_back("-ffp-contract=fast");
  append_range(Compile, Options.Device);
  if (Error E = run(Compile))
    return std::move(E);
  if (Error E = assemble(A, *Ptx, *UsesRuntime, *Cubin))
    return std::move(E);
  Images.push_back("--image=profile=" + A.Name + ",file=" + *Cubin);
  // PTX is not linked with the runtime of devices.
  if (A.Ptx && !*UsesRuntime)
    Images.push_back("--image=profile=compute_" +
                     A.Name.substr(StringRef("sm_").size()) + ",file=" + *Ptx);
  return *Cubin;
}

/// Returns the contents of the fat binary; nothing if no input needs one.
Expected<std::string> DeviceLinker::makeFatbin() {
  if (all_of(Inputs, [](const DeviceInput &Input) {
        return all_of(Input.Units, [](const DeviceUnit &Unit) {
          return Unit.Entries.empty();
        });
      }))
    return std::string();
  Expected<std::vector<Architecture>> Wanted = architectures();
  if (!Wanted)
    return Wanted.takeError();
  takeUnitOptions();
  std::vector<std::string> Images;
  for (const Architecture &A : *Wanted)
    if (Expected<std::string> Code = compileDevice(A, Images); !Code)
      return Code.takeError();
  Expected<std::string> Fatbin = Files.add("device", "fatbin");
  if (!Fatbin)
    return Fatbin.takeError();
  CommandLine Command = {S.Overlay + "/bin/fatbinary", "-64", "--create",
                         *Fatbin};
  append_range(Command, Images);
  if (Error E = run(Command))
    return std::move(E);
  if (R.DryRun)
    return std::string();
  auto Contents = MemoryBuffer::getFile(*Fatbin, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
  if (!Contents)
    return createStringError(Contents.getError(), "cannot read " + *Fatbin);
  return (*Contents)->getBuffer().str();
}

Error DeviceLinker::compileHost(StringRef Fatbin) {
  Expected<std::string> Module = Files.add("device-link", "bc");
  if (!Module)
    return Module.takeError();
  if (Error E = writeLinkModule(Inputs, Names, Fatbin, *Module))
    return E;
  CommandLine Command = compileIr(*Module, *R.Output);
  // It fits every program.
  append_range(Command, CommandLine{"-c", "-fPIC"});
  append_range(Command, Options.Host);
  return run(Command);
}

/// No linker comes after a device link to say what is missing.
static Error checkInputsExist(const Request &R) {
  for (size_t I = 0; I < R.Args.size(); ++I) {
    StringRef Text = R.Args[I].Text;
    if (R.Args[I].Kind != Argument::LinkInput)
      continue;
    if (Text == "-Xlinker" || Text == "-x")
      ++I; // its value
    else if (!Text.starts_with("-") && !sys::fs::exists(Text))
      return failure(Text + ": No such file or directory");
  }
  return Error::success();
}

Error DeviceLinker::link() {
  if (Error E = checkInputsExist(R))
    return E;
  Expected<std::vector<DeviceInput>> Read = readDeviceInputs(R.Args);
  if (!Read)
    return Read.takeError();
  Inputs = std::move(*Read);
  Names = plainNames(Inputs);
  Expected<std::string> Fatbin = makeFatbin();
  if (!Fatbin)
    return Fatbin.takeError();
  return compileHost(*Fatbin);
}

int gridspan::linkDeviceCode(const Request &R, const Setting &S) {
  DeviceLinker Linker(R, S);
  Error E = Linker.link();
  if (!E)
    return 0;
  errs() << "gridspan++: error: " << toString(std::move(E)) << "\n";
  return 1;
}
