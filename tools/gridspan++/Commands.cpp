//===- Commands.cpp - Command lines of clang for a request ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One clang++ command compiles and links everything that nvcc would take for
// C++ or CUDA. C sources get a command of their own before it, since clang
// cannot compile C and CUDA in one, and so do sources of relocatable device
// code (RelocatableJob.h). Objects that call the CUDA runtime are
// replaced by redirected copies first (RedirectObjects.h).
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Commands.h"
#include "tools/gridspan++/BuildSystems.h"
#include "tools/gridspan++/Config.h"
#include "tools/gridspan++/DeviceInputs.h"
#include "tools/gridspan++/FatbinJob.h"
#include "tools/gridspan++/IntermediateJob.h"
#include "tools/gridspan++/ProgramParts.h"
#include "tools/gridspan++/PtxJob.h"
#include "tools/gridspan++/RedirectObjects.h"
#include "tools/gridspan++/RelocatableJob.h"
#include "tools/gridspan++/SeparateOutputs.h"
#include "tools/gridspan++/ToolkitLibraries.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gridspan;

static void append(CommandLine &To, const CommandLine &From) {
  To.insert(To.end(), From.begin(), From.end());
}

static bool usesPasses(const Request &R) { return R.Plugin && !R.DeviceOnly; }

static void appendPlugin(const Request &R, const Setting &S,
                         CommandLine &Flags) {
  if (!usesPasses(R))
    return;
  // The first makes the plugin's -mllvm options known.
  append(Flags, {"-fplugin=" + S.Gridspan.Plugin,
                 "-fpass-plugin=" + S.Gridspan.Plugin});
  const std::string Ptxas = "-gridspan-ptxas=" + S.Cuda.Root + "/bin/ptxas";
  // clang's assembler, which runs alone with -save-temps, takes -mllvm too, and
  // loads no plugin. Printed flags are joined: build systems drop repetitions.
  if (R.Action == RequestedAction::Compile)
    append(Flags, {"-Xclang", "-mllvm", "-Xclang", Ptxas});
  else
    Flags.push_back("-mllvm=" + Ptxas);
}

/// Macros that nvcc predefines for all sources, and Gridspan's own.
static CommandLine predefines(const Request &R, const Setting &S) {
  const std::string Major = utostr(S.Cuda.Version / 1000);
  const std::string Minor = utostr(S.Cuda.Version % 1000 / 10);
  CommandLine Flags = {"-D__CUDACC_VER_MAJOR__=" + Major,
                       "-D__CUDACC_VER_MINOR__=" + Minor,
                       "-D__CUDACC_VER_BUILD__=0",
                       "-D__CUDA_API_VER_MAJOR__=" + Major,
                       "-D__CUDA_API_VER_MINOR__=" + Minor,
                       "-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1"};
  if (!S.ArchitectureList.empty())
    Flags.push_back("-D__CUDA_ARCH_LIST__=" + S.ArchitectureList);
  // Kernels cannot launch kernels.
  if (R.Relocatable)
    append(Flags, {"-D__CUDACC_RDC__", "-DCUB_DISABLE_CDP"});
  if (R.Plugin)
    Flags.emplace_back("-D__GRIDSPAN__=" GRIDSPAN_VERSION_NUMBER);
  // For gridspan_nvcc_compat.h.
  if (usesPasses(R))
    Flags.emplace_back("-D__GRIDSPAN_PASSES__");
  return Flags;
}

/// Returns true for an option that has overflow looked for.
static bool looksForOverflow(const Argument &A) {
  StringRef Checks = A.Text;
  if (!Checks.consume_front("-fsanitize="))
    return A.Text == "-ftrapv";
  return any_of(split(Checks, ','), [](StringRef Check) {
    return Check == "undefined" || Check == "integer" ||
           Check == "signed-integer-overflow" || Check == "pointer-overflow";
  });
}

/// Returns true if numbers are to wrap in host code: unless something looks for
/// those that do, which -fwrapv would tell it is right.
static bool wraps(const Request &R) {
  return none_of(R.Args, looksForOverflow);
}

CommandLine gridspan::compileFlags(const Request &R, const Setting &S) {
  CommandLine Flags = {"--cuda-path=" + S.Overlay};
  // Beside -fopenmp an architecture means OpenMP's own offloading, unless a
  // source is CUDA's.
  if (R.hasCudaSources() || R.Action == RequestedAction::PrintFlags)
    append(Flags, ArchitectureSet::flags(S.Architectures));
  append(Flags, predefines(R, S));
  // As nvcc: a register variable is a warning in C++17 too, and a loop that is
  // not unrolled is nothing to say. (clang would say it of CUDA's headers.)
  append(Flags, {"-Wno-error=register", "-Wno-pass-failed"});
  // Errors of clang that are warnings of nvcc: a number that is narrowed within
  // braces, "a"MACRO, a number that an enumeration has not, X.template f(1),
  // enum class X Y.
  append(Flags, {"-Wno-error=c++11-narrowing",
                 "-Wno-error=reserved-user-defined-literal",
                 "-Wno-error=enum-constexpr-conversion",
                 "-Wno-error=missing-template-arg-list-after-template-kw",
                 "-Wno-error=elaborated-enum-class"});
  // nvcc knows typeof with any -std, and takes #pragma unroll (4).
  if (R.hasCudaSources() || R.Action == RequestedAction::PrintFlags)
    append(Flags, {"-fgnu-keywords", "-Wno-cuda-compat"});
  // Programs are tested with nvcc and gcc, where an int that overflows wraps
  // but in loops. What clang makes of it is often another result. In kernels it
  // stays undefined, as for nvcc. Printed flags leave it: build systems drop
  // the first half of a second pair.
  if (R.Action == RequestedAction::Compile && wraps(R))
    append(Flags, {"-Xarch_host", "-fwrapv"});
  // The toolkit is newer than the last one that clang has heard of.
  Flags.emplace_back("-Wno-unknown-cuda-version");
  // One compiler invocation sees options of both compilations.
  Flags.emplace_back("-Wno-unused-command-line-argument");
  // nvcc includes and declares this before any source. The CUDA headers come
  // after the program's own folders and the system's, for host sources too.
  // Joined spellings: build systems drop repeated arguments.
  append(Flags, {"-include" + S.Gridspan.Headers + "/gridspan_nvcc_compat.h",
                 "-iquote" + S.Gridspan.Headers + "/quoted",
                 "-isystem" + S.Gridspan.Headers + "/first",
                 "-idirafter" + S.Cuda.Root + "/include/cccl",
                 "-idirafter" + S.Cuda.Root + "/include",
                 "-idirafter" + S.Gridspan.Headers});
  // Before CUB's own headers, wherever these come from.
  if (R.Plugin && R.Primitives)
    Flags.push_back("-I" + S.Gridspan.Headers + "/cccl");
  // nvcc optimizes kernels unless told otherwise. Printed flags leave that to
  // whoever uses them.
  if (R.Action == RequestedAction::Compile && !R.OptimizationGiven &&
      R.DeviceOptimized) {
    // clang takes -O0 and -O3 after -Xarch_device, but not -O1 and -O2.
    if (R.HostDebug)
      append(Flags, {"-Xarch_device", "-O3"});
    else
      Flags.emplace_back("-O2");
  }
  append(Flags, identificationFlags(R, S));
  if (R.Plugin)
    Flags.push_back("-fplugin=" + S.Gridspan.ClangPlugin);
  appendPlugin(R, S, Flags);
  // Advice has the names of the source where the compiler keeps them.
  if (R.Plugin && any_of(R.Args, [](const Argument &A) {
        return StringRef(A.Text).contains("-gridspan-advice=") ||
               StringRef(A.Text).starts_with("-Rpass-analysis=");
      }))
    Flags.emplace_back("-fno-discard-value-names");
  return Flags;
}

/// Links the runtime. A process has one runtime however many of its modules
/// bring a copy (runtime/api/OneRuntime.h), so any mix of the two kinds will
/// do.
static void appendRuntime(const Request &R, const Setting &S,
                          CommandLine &Flags) {
  if (R.runtime() == RuntimeKind::Shared) {
    // Where it is now. What the CUDA runtime needs to be found is there as
    // well.
    append(Flags, {S.Gridspan.SharedRuntime,
                   "-Wl,-rpath," +
                       sys::path::parent_path(S.Gridspan.SharedRuntime).str(),
                   "-Wl,-rpath," + S.Cuda.library()});
  } else {
    // A library exports its own functions, not those of the runtime.
    std::string Names;
    for (const std::string &Archive :
         {S.Gridspan.Runtime, S.Gridspan.Ranges, S.Gridspan.Fibers}) {
      Flags.push_back(Archive);
      Names += (Names.empty() ? "" : ":") + sys::path::filename(Archive).str();
    }
    Flags.push_back("-Wl,--exclude-libs," + Names);
  }
  if (StringRef(GRIDSPAN_SANITIZERS).size())
    Flags.emplace_back("-fsanitize=" GRIDSPAN_SANITIZERS);
}

static bool namesDriver(const Argument &A) {
  return A.Kind == Argument::LinkInput && A.Text == "-lcuda";
}

CommandLine gridspan::linkFlags(const Request &R, const Setting &S) {
  CommandLine Flags;
  if (R.Plugin)
    appendRuntime(R, S, Flags);
  append(Flags, {"-L" + S.Cuda.library(), "-L" + S.Cuda.library() + "/stubs"});
  if (R.Cudart == CudartKind::Static)
    Flags.emplace_back("-lcudart_static");
  if (R.Cudart == CudartKind::Shared)
    Flags.emplace_back("-lcudart");
  // What names the driver and does not call it also starts where there is none.
  // Only behind all that may call it does the linker know.
  if (llvm::any_of(R.Args, namesDriver))
    Flags.emplace_back("-Wl,--push-state,--as-needed,-lcuda,--pop-state");
  append(Flags, {"-ldl", "-lrt", "-lpthread"});
  // Named, the shared library would be linked beside the static one.
  if (llvm::none_of(R.Args, [](const Argument &A) {
        return A.Text == "-static-libstdc++";
      }))
    Flags.emplace_back("-lstdc++");
  Flags.emplace_back("-lm");
  return Flags;
}

static bool isCppOnly(StringRef Option) {
  return Option.starts_with("-std=c++") || Option.starts_with("-std=gnu++") ||
         Option == "-fno-rtti" || Option == "-fno-exceptions";
}

/// clang for one C source, without CUDA. The plugin sees its calls of CUDA.
static CommandLine compileC(const Request &R, const Setting &S,
                            StringRef Source, StringRef Output) {
  CommandLine Command = {S.Gridspan.Clang, "--driver-mode=gcc",
                         "-Wno-unused-command-line-argument"};
  if (wraps(R))
    Command.emplace_back("-fwrapv");
  for (const Argument &A : R.Args)
    if (A.Kind == Argument::Option && !isCppOnly(A.Text))
      Command.push_back(A.Text);
  append(Command, {"-idirafter", S.Cuda.Root + "/include"});
  appendPlugin(R, S, Command);
  if (!R.StopsBeforeLink)
    Command.emplace_back("-c");
  Command.push_back(Source.str());
  if (!Output.empty())
    append(Command, {"-o", Output.str()});
  return Command;
}

/// nvcc's name of the output of -ptx and -cubin when there is no -o.
static std::string deviceOutput(const Request &R) {
  bool Ptx = any_of(R.Args, [](const Argument &A) { return A.Text == "-S"; });
  const std::vector<size_t> Sources = R.sources();
  if (Sources.empty())
    return "";
  return R.inOutputFolder(R.Args[Sources.front()].Text, Ptx ? "ptx" : "cubin");
}

/// Takes out the CUDA runtime of overlays, which build systems name, and
/// remember when another Gridspan has replaced the one that made it. It is for
/// other drivers; this one links the runtime itself, after the program.
static void dropOverlayRuntime(Request &R, const Setting &S) {
  const std::string Own = S.Overlay + "/lib64";
  // Links may lead to the overlay under other names.
  auto IsOverlays = [&](StringRef Folder) {
    if (sys::path::filename(Folder) == "stubs")
      Folder = sys::path::parent_path(Folder);
    return Folder == Own || sys::fs::equivalent(Folder, Own) ||
           hasToolkitLibraries(Folder);
  };
  llvm::erase_if(R.Args, [&](const Argument &A) {
    StringRef Text = A.Text;
    if (A.Kind != Argument::LinkInput)
      return false;
    if (Text.consume_front("-L"))
      return IsOverlays(Text);
    return isCudaRuntime(Text) && IsOverlays(sys::path::parent_path(Text));
  });
}

/// Adds what has clang itself compile and link relocatable device code. It runs
/// the fatbinary of the toolkit that it is told, which is the overlay's.
static Error appendPlainRelocatable(const Request &R, const Setting &S,
                                    CommandLine &Main) {
  if (R.Relocatable && R.hasCudaSources())
    append(Main, {"-fgpu-rdc", "--offload-new-driver"});
  if (R.StopsBeforeLink || R.PrintsText)
    return Error::success();
  bool Links = R.Relocatable;
  if (!Links) {
    Expected<bool> Found = hasPlainDeviceCode(R.Args);
    if (!Found)
      return Found.takeError();
    Links = *Found;
  }
  if (Links)
    append(Main, {"--offload-link", "-Wl,--cuda-path=" + S.Overlay});
  return Error::success();
}

/// nvcc links with all inputs in a group: archives may come before what needs
/// them, and may need each other. Not every linker nests groups.
static bool groupsItself(const Request &R) {
  return any_of(R.Args, [](const Argument &A) {
    return A.Kind == Argument::LinkInput &&
           (A.Text == "-(" || StringRef(A.Text).contains("-start-group"));
  });
}

/// Objects of clang with OpenMP may be linked as gcc's would be. Their runtime
/// is another one.
static CommandLine openMpFlags(const Request &R, const Setting &S) {
  if (none_of(R.Args, [](const Argument &A) {
        return A.Kind == Argument::LinkInput && A.Text == "-lgomp";
      }))
    return {};
  SmallString<128> Library = sys::path::parent_path(S.Gridspan.Clang);
  sys::path::append(Library, "..", "lib", "libomp.so");
  if (!sys::fs::exists(Library))
    return {};
  return {("-Wl,--push-state,--as-needed," + Library + ",--pop-state").str()};
}

/// Has clang keep its files in the folder of --keep-dir. It writes them beside
/// its output, which is moved from there. Returns the command that moves it, or
/// none where several outputs are made, or rules are that name the output.
static CommandLine keepInFolder(const Request &R, CommandLine &Main) {
  const auto Keep = llvm::find(Main, "-save-temps");
  const std::vector<size_t> Sources = R.sources();
  ErrorOr<std::string> Mv = sys::findProgramByName("mv");
  if (R.KeepFolder.empty() || Keep == Main.end() || !Mv ||
      is_contained(Main, "-MD") || is_contained(Main, "-MMD") ||
      (R.StopsBeforeLink && (!R.ObjectsOnly || Sources.size() != 1)))
    return {};
  const std::string Output =
      R.Output        ? *R.Output
      : R.ObjectsOnly ? R.inOutputFolder(R.Args[Sources.front()].Text, "o")
                      : R.inOutputFolder("a.out");
  *Keep = "-save-temps=obj";
  const StringRef Folder = sys::path::parent_path(Output);
  if (sys::fs::equivalent(R.KeepFolder, Folder.empty() ? "." : Folder))
    return {};
  SmallString<128> There(R.KeepFolder);
  sys::path::append(There, sys::path::filename(Output));
  if (const auto At = llvm::find(Main, "-o"); At != Main.end())
    At[1] = There.str().str();
  else
    append(Main, {"-o", There.str().str()});
  return {*Mv, "-f", There.str().str(), Output};
}

/// Plans each request and joins what they do.
static Expected<Job> planAll(ArrayRef<Request> Requests, const Setting &S) {
  Job All;
  for (const Request &R : Requests) {
    Expected<Job> One = planJob(R, S);
    if (!One)
      return One.takeError();
    append_range(All.Commands, One->Commands);
    All.Files.take(One->Files);
  }
  return All;
}

Expected<Job> gridspan::planJob(const Request &Asked, const Setting &S) {
  if (const std::vector<Request> Each = separateOutputs(Asked); !Each.empty())
    return planAll(Each, S);
  if (hasDeviceCode(Asked))
    return planDeviceCode(Asked, S);
  if (Asked.Library)
    return planLibrary(Asked, S);
  if (Asked.DeviceLink)
    return planDeviceLink(Asked, S);
  if (Asked.Fatbin)
    return planFatbin(Asked, S);
  if (Asked.Intermediate)
    return planIntermediate(Asked, S);
  Job Result;
  Request R = Asked;
  dropOverlayRuntime(R, S);
  bool Links = !R.StopsBeforeLink;
  if (R.Relocatable)
    if (Error E = compileRelocatable(R, S, Result))
      return std::move(E);
  if (Links)
    if (Error E = addDeviceLink(R, S, Result))
      return std::move(E);
  if (Links && R.Plugin)
    redirectObjects(R.Args, Result.Files);
  CommandLine Main = {S.Gridspan.Clang};
  if (R.hasSources())
    append(Main, compileFlags(R, S));
  else
    Main.emplace_back("-Wno-unused-command-line-argument");
  if (!R.Plugin)
    if (Error E = appendPlainRelocatable(R, S, Main))
      return std::move(E);
  const bool Groups = Links && R.hasInputs() && !groupsItself(R);
  if (Groups)
    Main.emplace_back("-Wl,--start-group");
  bool NeedsMain = false;
  for (const Argument &A : R.Args) {
    if (namesDriver(A)) {
      NeedsMain = true;
      continue;
    }
    if (A.Kind != Argument::CSource) {
      Main.push_back(A.Text);
      // -x and its value are no inputs.
      NeedsMain |= A.Kind != Argument::Option && A.Text != "-x" &&
                   Main[Main.size() - 2] != "-x";
      continue;
    }
    if (!Links) {
      Result.Commands.push_back(compileC(R, S, A.Text, R.Output.value_or("")));
      continue;
    }
    Expected<std::string> Object =
        Result.Files.add(sys::path::stem(A.Text), "o");
    if (!Object)
      return Object.takeError();
    Result.Commands.push_back(compileC(R, S, A.Text, *Object));
    // Under -x, which is for sources, the object needs its own.
    Main.push_back(*Object);
    NeedsMain = true;
  }
  if (!NeedsMain && !Result.Commands.empty())
    return Result;
  // clang takes no -o for the texts of several compilations, but prints them.
  if (R.PrintsText && R.Output != "-")
    Result.Output = R.Output;
  else if (R.Output && !R.PrintsText)
    append(Main, {"-o", *R.Output});
  else if (R.DeviceOnly)
    append(Main, {"-o", deviceOutput(R)});
  if (Links && R.hasInputs()) {
    append(Main, {"-x", "none"});
    append(Main, openMpFlags(R, S));
    append(Main, isLinkProbe(R) ? probedLinkFlags(S) : linkFlags(R, S));
    if (Groups)
      Main.emplace_back("-Wl,--end-group");
    // See runtime/support/UntrackedCode.h.
    if (knowsAllParts(R))
      Main.emplace_back("-Wl,--defsym=__gridspan_knows_all_parts=1");
  }
  CommandLine Move = keepInFolder(R, Main);
  Result.Commands.push_back(Main);
  if (!Move.empty())
    Result.Commands.push_back(std::move(Move));
  return Result;
}

std::vector<std::string> gridspan::compileInputs(const Setting &S) {
  return {S.Gridspan.Clang,
          S.Gridspan.Plugin,
          S.Gridspan.ClangPlugin,
          S.Gridspan.Fatbinary,
          S.Gridspan.Ptxas,
          S.Cuda.Root + "/bin/ptxas",
          S.Cuda.Root + "/bin/fatbinary"};
}

std::string gridspan::printable(const CommandLine &Command) {
  std::string Text;
  raw_string_ostream OS(Text);
  ListSeparator Blank(" ");
  for (const std::string &Part : Command) {
    OS << Blank;
    sys::printArg(OS, Part, /*Quote=*/false);
  }
  return Text;
}
