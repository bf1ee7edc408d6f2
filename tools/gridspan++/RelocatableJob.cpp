//===- RelocatableJob.cpp - Commands of -rdc, -dlink and -lib -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A relocatable object holds device code as clang's front end leaves it: for
// each architecture, bitcode to which no pass has been applied. The device link
// optimizes all files' code at once and sees what a whole program shows, so
// there is nothing that a pass could do earlier without a loss. The host
// compilation embeds the bitcode, as clang's new offload driver would, and the
// plugin describes the unit (passes/host/RelocatableUnit.h).
//
// Both compilations get the same unit ID, from which clang makes the names of
// static kernels and variables.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/RelocatableJob.h"
#include "tools/gridspan++/DeviceInputs.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gridspan;

static Error failure(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

/// Returns the options of R without those that write dependencies, or with.
static CommandLine optionsOf(const Request &R, bool Dependencies) {
  CommandLine Result;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    if (R.Args[I].Kind != Argument::Option || R.Args[I].Text == "-c")
      continue;
    StringRef Text = R.Args[I].Text;
    if (!Dependencies && Text.starts_with("-M")) {
      if (Text == "-MF" || Text == "-MT" || Text == "-MQ")
        ++I;
      continue;
    }
    Result.push_back(Text.str());
  }
  return Result;
}

/// Returns the options that matter when code is generated, at the device link;
/// those for ptxas are marked.
static std::string codeOptions(const Request &R) {
  std::string Result;
  for (size_t I = 0; I + 1 < R.Args.size(); ++I) {
    StringRef Text = R.Args[I].Text, Value = R.Args[I + 1].Text;
    if (R.Args[I].Kind != Argument::Option || Value.contains(','))
      continue;
    if (Text == "-Xcuda-ptxas")
      Result += ("ptxas:" + Value + "|").str();
    else if (Text == "-Xarch_device" && (Value.starts_with("-mllvm=--nvptx") ||
                                         Value == "-ffp-contract=off"))
      Result += (Value + "|").str();
  }
  return Result;
}

/// Returns what tells a unit from all others.
static std::string unitId(const Request &R, StringRef Source) {
  SmallString<256> Path = Source;
  sys::fs::make_absolute(Path);
  std::string Key = Path.str().str();
  for (const std::string &Option : optionsOf(R, /*Dependencies=*/false))
    Key += " " + Option;
  return utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, /*Width=*/16);
}

/// Returns a program that is installed beside clang.
static std::string besideClang(const Setting &S, StringRef Name) {
  SmallString<256> Path;
  if (sys::fs::real_path(S.Gridspan.Clang, Path))
    Path = S.Gridspan.Clang;
  sys::path::remove_filename(Path);
  sys::path::append(Path, Name);
  return Path.str().str();
}

/// Returns true if a file of dependencies is written beside an object.
static bool writesDependencies(const CommandLine &Options) {
  return any_of(Options, [](StringRef Option) {
    return Option == "-MD" || Option == "-MMD";
  });
}

/// Adds the commands that compile Source to Output, a temporary file where the
/// request links.
static Error compileOne(const Request &R, const Setting &S, StringRef Source,
                        StringRef Output, Job &J) {
  const std::string Id = unitId(R, Source);
  const StringRef Stem = sys::path::stem(Source);
  const CommandLine Unit = {"-fgpu-rdc",   "-cuid=" + Id, "-Xclang",
                            "-cuid=" + Id, "-x",          "cuda",
                            Source.str()};
  Expected<std::string> Package = J.Files.add(Stem, "package");
  if (!Package)
    return Package.takeError();
  CommandLine Pack = {besideClang(S, "clang-offload-packager"), "-o", *Package};
  for (const Architecture &A : S.Architectures) {
    Expected<std::string> Code = J.Files.add(Stem, "bc");
    if (!Code)
      return Code.takeError();
    if (StringRef(*Code).contains(','))
      return failure("clang-offload-packager takes no file whose name has a "
                     "comma: " +
                     *Code);
    Setting One = S;
    One.Architectures = {A};
    CommandLine Device = {S.Gridspan.Clang};
    append_range(Device, compileFlags(R, One));
    append_range(Device, optionsOf(R, /*Dependencies=*/false));
    append_range(Device, CommandLine{"--cuda-device-only", "-emit-llvm", "-c",
                                     "-Xclang", "-disable-llvm-passes"});
    append_range(Device, Unit);
    append_range(Device, CommandLine{"-o", *Code});
    J.Commands.push_back(std::move(Device));
    Pack.push_back("--image=file=" + *Code +
                   ",triple=nvptx64-nvidia-cuda,arch=" + A.Name +
                   ",kind=cuda,gridspan=" + codeOptions(R));
  }
  J.Commands.push_back(std::move(Pack));
  CommandLine Host = {S.Gridspan.Clang};
  append_range(Host, compileFlags(R, S));
  append_range(Host, optionsOf(R, /*Dependencies=*/true));
  append_range(Host, CommandLine{"--cuda-host-only", "--offload-new-driver",
                                 "-Xclang",
                                 "-fembed-offload-object=" + *Package, "-c"});
  // Beside a temporary object nobody would find them.
  if (!R.ObjectsOnly && writesDependencies(Host) && !is_contained(Host, "-MF"))
    append_range(Host, CommandLine{"-MF", (Stem + ".d").str(), "-MT",
                                   R.Output.value_or("a.out")});
  append_range(Host, Unit);
  append_range(Host, CommandLine{"-o", Output.str()});
  J.Commands.push_back(std::move(Host));
  return Error::success();
}

static std::string objectName(StringRef Source) {
  SmallString<128> Name = sys::path::filename(Source);
  sys::path::replace_extension(Name, "o");
  return Name.str().str();
}

Error gridspan::compileRelocatable(Request &R, const Setting &S, Job &J) {
  if (!R.Plugin)
    return Error::success(); // clang's own way
  if (R.StopsBeforeLink && !R.ObjectsOnly)
    return Error::success(); // -E, -M: what clang prints needs no device link
  std::vector<Argument> Rest;
  StringRef Language;
  unsigned Sources = 0;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    const StringRef Text = A.Text;
    if (A.Kind == Argument::Source && Text == "-x" && I + 1 < R.Args.size()) {
      Rest.push_back(A);
      Rest.push_back(R.Args[++I]);
      Language = R.Args[I].Text;
      continue;
    }
    const bool IsCuda = Language.empty() || Language == "none"
                            ? sys::path::extension(Text) == ".cu"
                            : Language == "cuda";
    if (A.Kind != Argument::Source || !IsCuda) {
      Rest.push_back(A);
      continue;
    }
    if (R.ObjectsOnly) {
      if (R.Output && Sources++)
        return failure("-o: several sources cannot have one output");
      if (Error E =
              compileOne(R, S, Text, R.Output.value_or(objectName(Text)), J))
        return E;
      continue;
    }
    Expected<std::string> Object = J.Files.add(sys::path::stem(Text), "o");
    if (!Object)
      return Object.takeError();
    if (Error E = compileOne(R, S, Text, *Object, J))
      return E;
    // Not under a -x for sources.
    if (!Language.empty())
      append_range(Rest, ArrayRef<Argument>{{"-x", Argument::LinkInput},
                                            {"none", Argument::LinkInput}});
    Rest.push_back({*Object, Argument::OwnObject});
    if (!Language.empty())
      append_range(Rest,
                   ArrayRef<Argument>{{"-x", Argument::LinkInput},
                                      {Language.str(), Argument::LinkInput}});
  }
  R.Args = std::move(Rest);
  return Error::success();
}

/// Returns nvcc's spellings of the architectures that were asked for.
static CommandLine architectureOptions(const Request &R, const Setting &S) {
  CommandLine Result;
  if (R.Architectures.isDefault())
    return Result;
  for (const Architecture &A : S.Architectures) {
    std::string Number = A.Name.substr(StringRef("sm_").size());
    Result.push_back("-gencode=arch=compute_" + Number + ",code=[sm_" + Number +
                     (A.Ptx ? ",compute_" + Number : "") + "]");
  }
  return Result;
}

/// Returns the command that links the device code of R's inputs.
static CommandLine deviceLinkCommand(const Request &R, const Setting &S,
                                     StringRef Output) {
  CommandLine Command = {S.Gridspan.Driver, "-dlink", "-o", Output.str(),
                         "--cuda-path=" + S.Cuda.Root};
  append_range(Command, architectureOptions(R, S));
  append_range(Command, optionsOf(R, /*Dependencies=*/false));
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    const StringRef Text = A.Text;
    if (A.Kind == Argument::LinkInput && (Text == "-Xlinker" || Text == "-x"))
      ++I; // its value
    else if (A.Kind == Argument::OwnObject ||
             (A.Kind == Argument::LinkInput &&
              (!Text.starts_with("-") || Text.starts_with("-l") ||
               Text.starts_with("-L"))))
      Command.push_back(Text.str());
  }
  return Command;
}

Error gridspan::addDeviceLink(Request &R, const Setting &S, Job &J) {
  if (!R.Plugin)
    return Error::success();
  if (!R.Relocatable) {
    Expected<std::vector<DeviceInput>> Units = readDeviceInputs(R.Args);
    if (!Units)
      return Units.takeError();
    if (Units->empty())
      return Error::success();
  }
  Expected<std::string> Object = J.Files.add("device-link", "o");
  if (!Object)
    return Object.takeError();
  J.Commands.push_back(deviceLinkCommand(R, S, *Object));
  // Before the archives, which it refers to.
  R.Args.insert(R.Args.begin(), {*Object, Argument::OwnObject});
  return Error::success();
}

Expected<Job> gridspan::planDeviceLink(const Request &Asked, const Setting &S) {
  Job J;
  Request R = Asked;
  if (Error E = compileRelocatable(R, S, J))
    return std::move(E);
  J.Commands.push_back(deviceLinkCommand(R, S, *R.Output));
  return J;
}

Expected<Job> gridspan::planLibrary(const Request &R, const Setting &S) {
  ErrorOr<std::string> Ar = sys::findProgramByName("ar");
  ErrorOr<std::string> Rm = sys::findProgramByName("rm");
  if (!Ar || !Rm)
    return failure("-lib: no 'ar' or no 'rm' in PATH");
  Job J;
  CommandLine Archive = {*Ar, "rcs", *R.Output};
  StringRef Language;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    if (A.Kind == Argument::Option)
      continue;
    if (A.Text == "-x" && I + 1 < R.Args.size()) {
      Language = R.Args[++I].Text;
      continue;
    }
    if (A.Kind == Argument::LinkInput) {
      // Options of the linker do not concern an archive.
      if (A.Text == "-Xlinker")
        ++I;
      else if (!StringRef(A.Text).starts_with("-"))
        Archive.push_back(A.Text);
      continue;
    }
    Expected<std::string> Object = J.Files.add(sys::path::stem(A.Text), "o");
    if (!Object)
      return Object.takeError();
    CommandLine Compile = {S.Gridspan.Driver, "-c", "-o", *Object,
                           "--cuda-path=" + S.Cuda.Root};
    if (R.Relocatable)
      Compile.emplace_back("-rdc=true");
    if (!R.Plugin)
      Compile.emplace_back("-fno-gridspan");
    append_range(Compile, architectureOptions(R, S));
    append_range(Compile, optionsOf(R, /*Dependencies=*/true));
    if (!Language.empty())
      append_range(Compile, CommandLine{"-x", Language.str()});
    Compile.push_back(A.Text);
    J.Commands.push_back(std::move(Compile));
    Archive.push_back(*Object);
  }
  // As nvcc does: ar would keep what an archive of that name holds.
  J.Commands.push_back({*Rm, "-f", *R.Output});
  J.Commands.push_back(std::move(Archive));
  return J;
}
