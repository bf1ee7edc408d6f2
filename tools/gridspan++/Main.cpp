//===- Main.cpp - gridspan++, the compiler driver -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A drop-in for `clang++ -x cuda` and for nvcc: translates the options,
// prepares the toolkit, and lets clang do the work with Gridspan's plugin and
// runtime.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/BuildSystems.h"
#include "tools/gridspan++/Commands.h"
#include "tools/gridspan++/DeviceLink.h"
#include "tools/gridspan++/IntermediateJob.h"
#include "tools/gridspan++/PrecompiledHeaders.h"
#include "tools/gridspan++/StandardInput.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <unistd.h>

using namespace llvm;
using namespace gridspan;

static int fail(const Twine &Message) {
  errs() << "gridspan++: error: " << Message << "\n";
  return 1;
}

static void note(const Twine &Message) {
  errs() << "gridspan++: note: " << Message << "\n";
}

static Expected<Setting> findSetting(const Request &R, const char *Argv0) {
  Setting S;
  // The address of any function of this program locates it.
  Expected<Installation> Found =
      findInstallation(Argv0, reinterpret_cast<void *>(&findSetting));
  if (!Found)
    return Found.takeError();
  S.Gridspan = *Found;
  Expected<Toolkit> Cuda = findToolkit(R.ToolkitPath);
  if (!Cuda)
    return Cuda.takeError();
  S.Cuda = *Cuda;
  Expected<std::string> Overlay = toolkitOverlay(S.Cuda, S.Gridspan);
  if (!Overlay)
    return Overlay.takeError();
  S.Overlay = *Overlay;
  std::vector<std::string> Notes;
  // Asking the driver takes time; a link needs no architecture.
  bool Compiles =
      R.hasSources() || R.DeviceLink || R.Action == RequestedAction::PrintFlags;
  std::vector<unsigned> Gpus;
  if (Compiles && R.Architectures.wantsNative())
    Gpus = detectGpus();
  S.Architectures = R.Architectures.targets(Gpus, Notes);
  S.ArchitectureList = ArchitectureSet::macroList(S.Architectures);
  if (Compiles)
    for (const std::string &Note : Notes)
      note(Note);
  return S;
}

/// Turns nvcc's "-optf a,b" into "@a @b", which are expanded with the others.
/// Returns what holds the new texts.
static std::vector<std::string>
expandOptionsFiles(SmallVectorImpl<const char *> &Args) {
  std::vector<std::string> Texts;
  for (size_t I = 0; I < Args.size(); ++I) {
    auto [Name, Inline] = StringRef(Args[I]).split('=');
    if (Name != "-optf" && Name != "--options-file")
      Texts.emplace_back(Args[I]);
    else if (Inline.empty() && I + 1 == Args.size())
      Texts.emplace_back(Args[I]); // the parser says what is missing
    else
      for (StringRef File :
           split(Inline.empty() ? StringRef(Args[++I]) : Inline, ','))
        Texts.push_back(("@" + File).str());
  }
  Args.clear();
  for (const std::string &Text : Texts)
    Args.push_back(Text.c_str());
  return Texts;
}

/// Adds the arguments of an environment variable before the one at Where, as
/// nvcc takes them.
static void insertFromEnvironment(SmallVectorImpl<const char *> &Args,
                                  size_t Where, const char *Variable,
                                  StringSaver &Saver) {
  SmallVector<const char *> Added;
  if (const char *Text = std::getenv(Variable))
    cl::TokenizeGNUCommandLine(Text, Saver, Added);
  Args.insert(Args.begin() + Where, Added.begin(), Added.end());
  // Commands of a job may be this program again.
  unsetenv(Variable);
}

/// Runs a command; its standard output goes to the file Output, if there is
/// one.
static int run(const CommandLine &Command,
               const std::optional<std::string> &Output) {
  SmallVector<StringRef> Args(Command.begin(), Command.end());
  std::optional<StringRef> Streams[3];
  if (Output)
    Streams[1] = *Output;
  std::string Message;
  int Status = sys::ExecuteAndWait(Command.front(), Args, std::nullopt, Streams,
                                   0, 0, &Message);
  if (!Message.empty())
    return fail(Message);
  return Status;
}

/// Replaces this process: nothing is left to do after it.
static int runLast(const CommandLine &Command) {
  std::vector<char *> Args;
  for (const std::string &Part : Command)
    Args.push_back(const_cast<char *>(Part.c_str()));
  Args.push_back(nullptr);
  errs().flush();
  outs().flush();
  execv(Args[0], Args.data());
  return fail("cannot run '" + Command.front() + "'");
}

/// The program that -run asks for.
static CommandLine builtProgram(const Request &R) {
  std::string Path = R.Output.value_or("a.out");
  if (!StringRef(Path).contains('/'))
    Path = "./" + Path;
  CommandLine Command = {Path};
  append_range(Command, R.RunArguments);
  return Command;
}

static int runJob(const Request &R, const Job &J) {
  if (J.Commands.size() == 1 && J.Files.empty() && !J.Output && !R.Run)
    return runLast(J.Commands.front());
  for (const CommandLine &Command : J.Commands)
    if (int Status = run(
            Command, &Command == &J.Commands.back() ? J.Output : std::nullopt))
      return Status;
  return R.Run ? run(builtProgram(R), std::nullopt) : 0;
}

int main(int Argc, char **Argv) {
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  SmallVector<const char *> Raw(Argv + 1, Argv + Argc);
  insertFromEnvironment(Raw, 0, "NVCC_PREPEND_FLAGS", Saver);
  insertFromEnvironment(Raw, Raw.size(), "NVCC_APPEND_FLAGS", Saver);
  std::vector<std::string> OptionsFiles = expandOptionsFiles(Raw);
  cl::ExpansionContext Files(Allocator, cl::TokenizeGNUCommandLine);
  if (Error E = Files.expandResponseFiles(Raw))
    return fail(toString(std::move(E)));
  SmallVector<StringRef> Args(Raw.begin(), Raw.end());

  Request R = parseOptions(Args);
  if (!R.Error.empty())
    return fail(R.Error);
  if (R.Action == RequestedAction::Help) {
    outs() << helpText();
    return 0;
  }
  if (R.Action == RequestedAction::ListArchitectures) {
    outs() << ArchitectureSet::list(R.ListCodes, R.ListArchitectures);
    return 0;
  }
  if (R.Action == RequestedAction::WrapAssembly) {
    Error E = wrapAssembly(R.Assembly, R.Output.value_or("a.ii"));
    return E ? fail(toString(std::move(E))) : 0;
  }
  if (R.Action == RequestedAction::Compile && !R.hasInputs())
    return fail("no input files");
  for (const std::string &Text : R.Notes)
    note(Text);

  Expected<Setting> S = findSetting(R, Argv[0]);
  if (!S)
    return fail(toString(S.takeError()));
  if (R.Action == RequestedAction::Version) {
    outs() << versionText(*S);
    return 0;
  }
  if (R.Action == RequestedAction::PrintFlags) {
    CommandLine Flags = {"-xcuda"};
    for (const std::string &Flag : compileFlags(R, *S))
      Flags.push_back(Flag);
    outs() << printable(Flags) << "\n";
    return 0;
  }
  if (R.Action == RequestedAction::PrintLinkFlags) {
    outs() << printable(linkFlags(R, *S)) << "\n";
    return 0;
  }
  if (R.Action == RequestedAction::PrintToolkit) {
    outs() << S->Overlay << "\n";
    return 0;
  }
  if (R.Action == RequestedAction::PrintCompileInputs) {
    outs() << join(compileInputs(*S), ":") << "\n";
    return 0;
  }
  if (R.Plugin && R.hasSources() && !R.DeviceOptimized)
    note("kernels are not optimized (-O0 or -G): they are not analysed, and "
         "nothing is split over several devices");

  if (R.DryRun || R.Verbose)
    errs() << environmentText(R, *S);
  if (R.DeviceLink && !R.hasSources())
    return linkDeviceCode(R, *S);

  Temporaries Sources;
  if (!R.DryRun)
    if (Error E = saveStandardInput(R, Sources))
      return fail(toString(std::move(E)));
  Expected<Job> J = planJob(R, *S);
  if (!J)
    return fail(toString(J.takeError()));
  J->Files.take(Sources);
  if (!R.DryRun) {
    usePrecompiledHeaders(R, *S, *J);
    return runJob(R, *J);
  }
  for (const CommandLine &Command : J->Commands)
    errs() << "#$ " << printable(Command) << "\n";
  if (R.Run)
    errs() << "#$ " << printable(builtProgram(R)) << "\n";
  return 0;
}
