//===- PrecompiledHeaders.cpp - What every source begins with -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache holds, for each set of options, named by their hash:
//   pch-HASH.seen      the options were used; "failed" in it: not again
//   pch-HASH.inputs    the headers that were read, a line each
//   pch-HASH-STAMP/    the precompiled headers; STAMP hashes size and time of
//                      the inputs
// Folders are made aside and renamed into place, and never changed.
//
// Why results are the same: the hash holds every option but those that name
// outputs, remarks, or what LLVM does (-mllvm), the variables that add folders
// to search, clang and its plugin, and the working folder where options may be
// relative to it. So clang would read the same headers in the same way. It
// includes what is precompiled before it reads a source in any case, so no
// macro of the source changes it. A header that has changed gives another
// stamp. clang itself compares the options of the two compilations and takes
// only a file whose options are the same; that it finds one for each
// compilation is tried before the folder is used.
//
// Sources with headers of their own before the first line (-include) do
// without, because warnings about these would be seen once only.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/PrecompiledHeaders.h"
#include "tools/gridspan++/OptionSyntax.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LockFileManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <utility>

using namespace llvm;
using namespace gridspan;

/// CUDA sources have no modules; without them clang 19 may declare functions of
/// precompiled headers again under C++20 too, with other names of parameters.
static constexpr StringLiteral NoModules[] = {"-Xclang", "-fno-cxx-modules"};

/// Bumped when the same options give other files.
static constexpr StringLiteral Format = "1";

/// Folders that are kept, and for how long more are.
static constexpr size_t KeptFolders = 16;
static constexpr std::chrono::hours KeptTime{1};

static constexpr StringLiteral Failed = "failed";
static constexpr StringLiteral Relocatable = "-fgpu-rdc";

/// Options that only say what is written, alone or with a value behind them.
static bool namesOutput(StringRef Option) {
  return Option == "-c" || Option == "-S" || Option == "-emit-llvm" ||
         Option == "-fsyntax-only" || Option == "-v" || Option == "-MD" ||
         Option == "-MMD" || Option == "-MP";
}
static bool namesOutputNext(StringRef Option) {
  return Option == "-MF" || Option == "-MT" || Option == "-MQ";
}

/// Options whose output is not what the compiler makes of a source, and those
/// that add to what is precompiled.
static bool goesWithout(StringRef Option) {
  return Option.starts_with("-save-temps") || Option.starts_with("-include") ||
         Option.starts_with("-imacros") || Option.starts_with("--include") ||
         Option.starts_with("-fmodule") || Option.starts_with("-verify") ||
         Option == "-###" || Option == "-H" || Option.contains("-emit-pch");
}

static bool compilesOnlyCuda(const Request &R) {
  StringRef Language;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    if (A.Kind == Argument::CSource)
      return false;
    if (A.Kind != Argument::Source)
      continue;
    if (A.Text == "-x" && I + 1 < R.Args.size())
      Language = R.Args[++I].Text;
    else if (Language.empty() || Language == "none"
                 ? sys::path::extension(A.Text) != ".cu"
                 : Language != "cuda")
      return false;
  }
  return R.hasCudaSources();
}

std::optional<CommandLine> gridspan::headerOptions(const Request &R,
                                                   const Setting &S) {
  if (!R.PrecompiledHeaders || R.PrintsText || R.Fatbin || R.Intermediate ||
      (R.Relocatable && !(R.ObjectsOnly && R.Plugin)) || R.Library ||
      !compilesOnlyCuda(R))
    return std::nullopt;
  CommandLine Options = compileFlags(R, S);
  // As RelocatableJob has it.
  if (R.Relocatable)
    Options.emplace_back(Relocatable);
  bool IsValue = false;
  for (size_t I = 0; I < R.Args.size(); ++I) {
    const Argument &A = R.Args[I];
    if (A.Kind != Argument::Option)
      continue;
    if (goesWithout(A.Text))
      return std::nullopt;
    // What code is made of the headers is no matter of parsing them.
    if (!IsValue && !StringRef(Options.back()).starts_with("-Xarch_")) {
      if (A.Text == "-mllvm") {
        ++I;
        continue;
      }
      // As those of Gridspan's own are written by now.
      if (A.Text == "-Xclang" && I + 3 < R.Args.size() &&
          R.Args[I + 1].Text == "-mllvm" && R.Args[I + 2].Text == "-Xclang") {
        I += 3;
        continue;
      }
      if (StringRef(A.Text).starts_with("-Rpass"))
        continue;
    }
    // A value may look like an option that only says what is written.
    if (std::exchange(IsValue, !IsValue && takesNextArgument(A.Text) &&
                                   !namesOutputNext(A.Text)) &&
        !StringRef(Options.back()).starts_with("-Xarch_")) {
      Options.push_back(A.Text);
      continue;
    }
    // Its argument would be missing, or another one.
    if (StringRef(Options.back()).starts_with("-Xarch_") &&
        (namesOutput(A.Text) || namesOutputNext(A.Text)))
      return std::nullopt;
    if (namesOutputNext(A.Text))
      ++I;
    else if (!namesOutput(A.Text) && !StringRef(A.Text).starts_with("-MF") &&
             A.Text != "--cuda-device-only")
      Options.push_back(A.Text);
  }
  return Options;
}

/// Appends what tells one version of a file from another.
static void appendVersion(StringRef Path, std::string &Key) {
  sys::fs::file_status Status;
  Key += Path;
  if (!sys::fs::status(Path, Status))
    Key += ":" + utostr(Status.getSize()) + ":" +
           itostr(Status.getLastModificationTime().time_since_epoch().count());
  Key += '\n';
}

static std::string hashOf(StringRef Key) {
  return utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, 16);
}

static std::string optionsHash(const CommandLine &Options, const Setting &S) {
  std::string Key = (Format + "\n").str();
  for (const std::string &File : {S.Gridspan.Clang, S.Gridspan.ClangPlugin})
    appendVersion(File, Key);
  for (const Architecture &A : S.Architectures)
    Key += A.Name + '\n';
  for (const char *Variable :
       {"CPATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH"})
    Key += sys::Process::GetEnv(Variable).value_or("") + '\n';
  Key += join(Options, "\n") + '\n';
  // Folders that are relative to where clang runs.
  if (any_of(Options, [](StringRef Text) {
        return !Text.starts_with("-")
                   ? !sys::path::is_absolute(Text)
                   : Text.starts_with("-I") || Text.starts_with("-i") ||
                         Text.starts_with("-F") || Text.starts_with("-B") ||
                         Text.starts_with("--sysroot");
      })) {
    SmallString<256> Folder;
    if (!sys::fs::current_path(Folder))
      Key += Folder;
  }
  return hashOf(Key);
}

static bool writeFile(StringRef Path, StringRef Text) {
  std::error_code Code;
  raw_fd_ostream OS(Path, Code);
  if (Code)
    return false;
  OS << Text;
  OS.close();
  bool Wrote = !OS.has_error();
  OS.clear_error();
  return Wrote;
}

/// Returns the folder for the inputs as they are, or "" if they are not known.
static std::string folderOf(StringRef Base) {
  auto Inputs = MemoryBuffer::getFile(Base + ".inputs");
  if (!Inputs)
    return "";
  SmallVector<StringRef> Paths;
  (*Inputs)->getBuffer().split(Paths, '\n', -1, /*KeepEmpty=*/false);
  std::string Key;
  for (StringRef Path : Paths)
    appendVersion(Path, Key);
  return (Base + "-" + hashOf(Key)).str();
}

/// Runs clang for one of the compilations. What it says is not the user's.
static bool runQuietly(const CommandLine &Options, const Setting &S,
                       const CommandLine &More) {
  std::vector<StringRef> Args = {S.Gridspan.Clang};
  append_range(Args, NoModules);
  Args.insert(Args.end(), Options.begin(), Options.end());
  Args.insert(Args.end(), More.begin(), More.end());
  const std::string Source = S.Gridspan.Headers + "/gridspan_precompiled.h";
  for (StringRef Text : {StringRef("-fsyntax-only"), StringRef("-x"),
                         StringRef("cuda"), StringRef(Source)})
    Args.push_back(Text);
  const std::optional<StringRef> Nowhere[] = {StringRef(), StringRef(),
                                              StringRef()};
  return sys::ExecuteAndWait(Args[0], Args, std::nullopt, Nowhere) == 0;
}

/// Reads the paths of a file of dependencies, which escapes blanks.
static bool readDependencies(StringRef Path, std::string &Inputs) {
  auto File = MemoryBuffer::getFile(Path);
  if (!File)
    return false;
  StringRef Text = (*File)->getBuffer().split(": ").second;
  std::string Word;
  auto End = [&] {
    if (!Word.empty())
      Inputs += Word + '\n';
    Word.clear();
  };
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '\\' && I + 1 < Text.size() && Text[I + 1] == '\n')
      ++I;
    else if (Text[I] == '\\' && I + 1 < Text.size() && Text[I + 1] == ' ')
      Word += Text[++I];
    else if (isSpace(Text[I]))
      End();
    else
      Word += Text[I];
  }
  End();
  return true;
}

/// The options for each compilation of a source.
static std::vector<CommandLine> compilations(const CommandLine &Options,
                                             const Setting &S) {
  std::vector<CommandLine> All = {{"--cuda-host-only"}};
  if (is_contained(Options, Relocatable))
    All.front().emplace_back("--offload-new-driver");
  for (const Architecture &A : S.Architectures)
    All.push_back({"--cuda-device-only", "--no-offload-arch=all",
                   "--offload-arch=" + A.Name});
  return All;
}

/// Fills Folder and returns the names of what was read, or nothing.
static std::optional<std::string>
precompile(const CommandLine &Options, const Setting &S, StringRef Folder) {
  std::string Inputs;
  unsigned Number = 0;
  const std::string Dependencies = (Folder + "/dependencies").str();
  for (const CommandLine &Which : compilations(Options, S)) {
    CommandLine Make = Which;
    for (const std::string &Text :
         {std::string("-emit-pch"), std::string("-o"),
          (Folder + "/" + utostr(Number++) + ".pch").str(),
          std::string("-dependency-file"), Dependencies, std::string("-MT"),
          std::string("pch"), std::string("-sys-header-deps")}) {
      Make.emplace_back("-Xclang");
      Make.push_back(Text);
    }
    if (!runQuietly(Options, S, Make) ||
        !readDependencies(Dependencies, Inputs))
      return std::nullopt;
  }
  sys::fs::remove(Dependencies);
  for (const CommandLine &Which : compilations(Options, S)) {
    CommandLine Try = Which;
    for (const std::string &Text :
         {std::string("-include-pch"), Folder.str()}) {
      Try.emplace_back("-Xclang");
      Try.push_back(Text);
    }
    if (!runQuietly(Options, S, Try))
      return std::nullopt;
  }
  return Inputs;
}

/// Removes folders that have not been used for long, the oldest first.
static void removeOld(StringRef Cache) {
  std::vector<std::pair<sys::TimePoint<>, std::string>> Folders;
  std::error_code Code;
  for (sys::fs::directory_iterator I(Cache, Code), End; I != End && !Code;
       I.increment(Code)) {
    sys::fs::file_status Status;
    if (sys::path::filename(I->path()).starts_with("pch-") &&
        !sys::fs::status(I->path(), Status) && sys::fs::is_directory(Status))
      Folders.emplace_back(Status.getLastModificationTime(), I->path());
  }
  llvm::sort(Folders);
  const auto Oldest = std::chrono::system_clock::now() - KeptTime;
  while (Folders.size() > KeptFolders && Folders.front().first < Oldest) {
    sys::fs::remove_directories(Folders.front().second);
    Folders.erase(Folders.begin());
  }
}

/// Makes the folder of Base and returns its name, or "".
static std::string makeFolder(StringRef Base, const CommandLine &Options,
                              const Setting &S) {
  LockFileManager Lock(Base);
  if (Lock.getState() != LockFileManager::LFS_Owned)
    return "";
  SmallString<256> Temporary;
  if (sys::fs::createUniqueDirectory(Base + "-making", Temporary))
    return "";
  std::optional<std::string> Inputs = precompile(Options, S, Temporary);
  std::string Folder;
  if (Inputs && writeFile((Base + ".inputs").str(), *Inputs)) {
    Folder = folderOf(Base);
    if (sys::fs::rename(Temporary, Folder))
      Folder.clear();
  } else
    writeFile((Base + ".seen").str(), Failed);
  sys::fs::remove_directories(Temporary);
  removeOld(sys::path::parent_path(Base));
  return Folder;
}

/// Returns the flags with which clang uses the headers, empty if there are
/// none.
static CommandLine useFlags(const Request &R, const Setting &S) {
  std::optional<CommandLine> Options = headerOptions(R, S);
  if (!Options)
    return {};
  const std::string Base =
      (sys::path::parent_path(S.Overlay) + "/pch-" + optionsHash(*Options, S))
          .str();
  std::string Folder = folderOf(Base);
  if (Folder.empty() || !sys::fs::is_directory(Folder)) {
    auto Seen = MemoryBuffer::getFile(Base + ".seen");
    if (!Seen) {
      writeFile(Base + ".seen", "");
      return {};
    }
    if ((*Seen)->getBuffer() == Failed)
      return {};
    Folder = makeFolder(Base, *Options, S);
    if (Folder.empty())
      return {};
  }
  // Says that the folder is in use.
  int Handle = 0;
  if (!sys::fs::openFileForRead(Folder, Handle)) {
    sys::fs::setLastAccessAndModificationTime(Handle,
                                              std::chrono::system_clock::now());
    sys::Process::SafelyCloseFileDescriptor(Handle);
  }
  CommandLine Flags(std::begin(NoModules), std::end(NoModules));
  for (const std::string &Text :
       {std::string("-Xclang"), std::string("-include-pch"),
        std::string("-Xclang"), Folder})
    Flags.push_back(Text);
  return Flags;
}

void gridspan::usePrecompiledHeaders(const Request &R, const Setting &S,
                                     Job &J) {
  const CommandLine Flags = useFlags(R, S);
  if (Flags.empty())
    return;
  for (CommandLine &Command : J.Commands)
    if (R.Relocatable ? is_contained(Command, Relocatable)
                      : &Command == &J.Commands.back())
      Command.insert(Command.begin() + 1, Flags.begin(), Flags.end());
}
