//===- AdviceStore.cpp - Where advice files of a build are ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is read and written under a lock, in place: another name that replaces
// it would be another file to those that wait for the lock. What is there and
// is no advice is left alone, as is a file that a writer was stopped in.
//
//===----------------------------------------------------------------------===//

#include "passes/advice/AdviceStore.h"
#include "analysis/advice/AdviceFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <fcntl.h>
#include <map>
#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace gridspan {

/// The origin of a kernel or of a whole compilation; both have these members.
using Origin = std::tuple<StringRef, StringRef, StringRef>;

static Origin originOf(const json::Object &O) {
  return {O.getString("directory").value_or(""),
          O.getString("source").value_or(""),
          O.getString("target").value_or("")};
}

/// "folder/k.cu-0f3a2b1c.sm_90.json": sources of one name in several folders
/// have files of their own.
static std::string fileInFolder(StringRef Folder, const json::Object &Advice) {
  auto [Directory, Source, Target] = originOf(Advice);
  SmallString<128> Whole(Source);
  sys::fs::make_absolute(Directory, Whole);
  SmallString<128> Path(Folder);
  sys::path::append(Path,
                    formatv("{0}-{1}.{2}.json", sys::path::filename(Source),
                            utohexstr(xxh3_64bits(Whole), true, 8).substr(0, 8),
                            Target.empty() ? "any" : Target)
                        .str());
  return Path.str().str();
}

/// Returns true if the compilation Mine says what there is to say in place of
/// Old. One without device code does not know its architecture.
static bool replaces(const Origin &Mine, const Origin &Old) {
  return std::get<0>(Mine) == std::get<0>(Old) &&
         std::get<1>(Mine) == std::get<1>(Old) &&
         (std::get<2>(Mine).empty() || std::get<2>(Mine) == std::get<2>(Old));
}

/// What other compilations have in a file, by the lists that it is in.
using OthersParts = std::map<StringRef, json::Array>;

/// The lists of an advice file, each member of which has an origin.
static constexpr StringLiteral Lists[] = {"kernels", "modules"};

/// The parts of other compilations in the text of a file.
static Expected<OthersParts> othersIn(StringRef Text, const Origin &Mine) {
  OthersParts Out;
  if (Text.trim().empty())
    return Out;
  Expected<json::Value> Old = json::parse(Text);
  json::Object *Top = Old ? Old->getAsObject() : nullptr;
  bool IsAdvice = Top && Top->getArray("kernels") &&
                  Top->getString("tool") == "gridspan" &&
                  Top->getInteger("version") == AdviceVersion;
  if (!Old)
    consumeError(Old.takeError());
  if (!IsAdvice)
    return createStringError(
        "it is there already and is not advice of version " +
        Twine(AdviceVersion));
  for (StringRef List : Lists)
    if (json::Array *Parts = Top->getArray(List))
      for (json::Value &Part : *Parts)
        if (const json::Object *O = Part.getAsObject();
            O && !replaces(Mine, originOf(*O)))
          Out[List].push_back(std::move(Part));
  return Out;
}

/// Sorts by origin, so that the file is the same in whatever order the
/// compilations end.
static json::Array sorted(json::Array Parts) {
  std::multimap<std::tuple<std::string, std::string, std::string>, json::Value>
      Sorted;
  for (json::Value &Part : Parts) {
    auto Key = originOf(*Part.getAsObject());
    Sorted.emplace(std::move(Key), std::move(Part));
  }
  json::Array All;
  for (auto &[Key, Part] : Sorted)
    All.push_back(std::move(Part));
  return All;
}

/// Writes what Advice has in place of what the same compilation had. The caller
/// has locked the file, where the file system can.
static Error rewrite(int File, StringRef Path, json::Object Advice) {
  auto Old = MemoryBuffer::getOpenFile(sys::fs::convertFDToNativeFile(File),
                                       Path, /*FileSize=*/-1,
                                       /*RequiresNullTerminator=*/false,
                                       /*IsVolatile=*/true);
  if (!Old)
    return errorCodeToError(Old.getError());
  Expected<OthersParts> Others =
      othersIn((*Old)->getBuffer(), originOf(Advice));
  if (!Others)
    return Others.takeError();
  for (StringRef List : Lists) {
    json::Array Parts = std::move((*Others)[List]);
    if (json::Array *Mine = Advice.getArray(List))
      for (json::Value &Part : *Mine)
        Parts.push_back(std::move(Part));
    Advice[List] = sorted(std::move(Parts));
  }
  if (std::error_code Failed = sys::fs::resize_file(File, 0))
    return errorCodeToError(Failed);
  raw_fd_ostream OS(File, /*shouldClose=*/false);
  OS.seek(0);
  OS << formatv("{0:2}", json::Value(std::move(Advice))) << '\n';
  OS.flush();
  std::error_code Failed = OS.error();
  OS.clear_error();
  return errorCodeToError(Failed);
}

/// Writes the advice to a pipe or a terminal.
static Error writeTo(StringRef Path, json::Object Advice) {
  std::error_code Failed;
  raw_fd_ostream OS(Path, Failed);
  if (!Failed)
    OS << formatv("{0:2}", json::Value(std::move(Advice))) << '\n';
  return errorCodeToError(Failed);
}

Error storeAdvice(StringRef Path, json::Object Advice) {
  std::string File = Path.str();
  if (Path == "-" || (sys::fs::exists(Path) && !sys::fs::is_directory(Path) &&
                      !sys::fs::is_regular_file(Path)))
    return writeTo(Path, std::move(Advice));
  if (Path.ends_with("/") || sys::fs::is_directory(Path)) {
    if (std::error_code Failed = sys::fs::create_directories(Path))
      return errorCodeToError(Failed);
    File = fileInFolder(Path, Advice);
  }
  int FD = open(File.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (FD < 0)
    return errorCodeToError(errnoAsErrorCode());
  // Where a file system has no locks, one job at a time has to do. Closing the
  // file unlocks it.
  (void)sys::fs::lockFile(FD);
  Error Failed = rewrite(FD, File, std::move(Advice));
  close(FD);
  return Failed;
}

} // namespace gridspan
