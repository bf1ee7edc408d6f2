//===- Toolkit.cpp - The CUDA Toolkit, made fit for clang -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An overlay lies in the user's cache folder, or in a temporary one where there
// is none. Its name holds the toolkit's version and a hash of both paths and of
// the overlay's format. Another toolkit or another Gridspan therefore gets
// another overlay, and none is changed in place.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Toolkit.h"
#include "tools/gridspan++/Config.h"
#include "tools/gridspan++/ToolkitLibraries.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gridspan;

// Bumped when the overlay's contents change.
static constexpr char OverlayFormat[] = "4";

/// In an overlay, a link to the toolkit that it is of.
static constexpr char OriginName[] = "gridspan-toolkit";

static Error failure(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

static unsigned readVersion(StringRef Root) {
  auto Header = MemoryBuffer::getFile(Root + "/include/cuda.h");
  if (!Header)
    return 0;
  StringRef Text = (*Header)->getBuffer();
  unsigned Version = 0;
  Text.split("#define CUDA_VERSION ")
      .second.ltrim()
      .consumeInteger(10, Version);
  return Version;
}

Expected<Toolkit> gridspan::findToolkit(StringRef Asked) {
  SmallVector<std::string> Places;
  if (!Asked.empty())
    Places.push_back(Asked.str());
  else {
    for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
      if (auto Value = sys::Process::GetEnv(Variable);
          Value && !Value->empty()) {
        // A name that leads nowhere is a mistake, and no wish for another one.
        if (Places.empty() && !sys::fs::exists(*Value))
          return failure(Twine(Variable) + "='" + *Value + "' does not exist");
        Places.push_back(*Value);
      }
    Places.push_back(GRIDSPAN_CUDA_ROOT);
    Places.push_back("/usr/local/cuda");
  }
  for (const std::string &Place : Places) {
    SmallString<256> Root;
    if (sys::fs::real_path(Place, Root))
      continue;
    // Build systems hand an overlay back as the toolkit.
    if (SmallString<256> Origin;
        !sys::fs::real_path(Root + "/" + OriginName, Origin))
      Root = Origin;
    unsigned Version = readVersion(Root);
    if (!Version)
      return failure("no CUDA Toolkit in '" + Place + "' (no include/cuda.h)");
    if (!sys::fs::can_execute(Root + "/bin/ptxas"))
      return failure("the CUDA Toolkit in '" + Place + "' has no bin/ptxas");
    return Toolkit{Root.str().str(), Version};
  }
  return failure("no CUDA Toolkit found in '" + join(Places, "', '") +
                 "'; name it with --cuda-path or CUDA_PATH");
}

static Expected<std::string> cacheDirectory() {
  if (auto Value = sys::Process::GetEnv("GRIDSPAN_CACHE_DIR")) {
    if (std::error_code EC = sys::fs::create_directories(*Value))
      return failure("GRIDSPAN_CACHE_DIR '" + *Value + "': " + EC.message());
    return *Value;
  }
  SmallString<256> Path;
  if (sys::path::cache_directory(Path)) {
    sys::path::append(Path, "gridspan");
    if (!sys::fs::create_directories(Path) &&
        !sys::fs::access(Path, sys::fs::AccessMode::Write))
      return Path.str().str();
  }
  // No home, or a read-only one.
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Path);
  sys::path::append(Path, "gridspan-" + utostr(getuid()));
  if (std::error_code EC = sys::fs::create_directories(
          Path, /*IgnoreExisting=*/true, sys::fs::perms::owner_all))
    return failure("cannot create '" + Path + "': " + EC.message());
  return Path.str().str();
}

static Error link(const Twine &Target, const Twine &Name) {
  if (std::error_code EC = sys::fs::create_link(Target, Name))
    return failure("cannot create '" + Name + "': " + EC.message());
  return Error::success();
}

static Error fillOverlay(const Toolkit &T, const Installation &Gridspan,
                         StringRef Overlay, StringRef FinalPlace) {
  if (Error E =
          makeToolkitLibraries(T.library(), Gridspan, Overlay.str() + "/lib64",
                               FinalPlace.str() + "/lib64"))
    return E;
  for (StringRef Name : {"include", "nvvm"})
    if (Error E = link(T.Root + "/" + Name, Overlay + "/" + Name))
      return E;
  if (Error E = link("lib64", Overlay + "/lib"))
    return E;
  if (Error E = link(T.Root, Overlay + "/" + OriginName))
    return E;
  std::string Bin = (Overlay + "/bin").str();
  if (std::error_code EC = sys::fs::create_directory(Bin))
    return failure("cannot create '" + Bin + "': " + EC.message());
  std::error_code EC;
  for (sys::fs::directory_iterator I(T.Root + "/bin", EC), End; I != End && !EC;
       I.increment(EC)) {
    StringRef Name = sys::path::filename(I->path());
    if (Name != "fatbinary" && Name != "nvcc" && Name != "ptxas")
      if (Error E = link(I->path(), Bin + "/" + Name))
        return E;
  }
  // What stands for them finds the real ones beside itself by these names.
  for (StringRef Name : {"fatbinary", "ptxas"})
    if (Error E = link(T.Root + "/bin/" + Name, Bin + "/" + Name + ".toolkit"))
      return E;
  if (Error E = link(Gridspan.Ptxas, Bin + "/ptxas"))
    return E;
  if (Error E = link(Gridspan.Driver, Bin + "/nvcc"))
    return E;
  return link(Gridspan.Fatbinary, Bin + "/fatbinary");
}

Expected<std::string> gridspan::toolkitOverlay(const Toolkit &T,
                                               const Installation &Gridspan) {
  Expected<std::string> Cache = cacheDirectory();
  if (!Cache)
    return Cache.takeError();
  std::string Key =
      (Twine(OverlayFormat) + ":" + T.Root + ":" + Twine(T.Version) + ":" +
       Gridspan.Fatbinary + ":" + Gridspan.Ptxas + ":" + Gridspan.Driver + ":" +
       Gridspan.Renamed + ":" + takenOverNames())
          .str();
  std::string Overlay = *Cache + "/cuda-" + utostr(T.Version / 1000) + "." +
                        utostr(T.Version % 1000 / 10) + "-" +
                        utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, 16);
  if (sys::fs::exists(Overlay))
    return Overlay;
  SmallString<256> Temporary;
  if (std::error_code EC = sys::fs::createUniqueDirectory(Overlay, Temporary))
    return failure("cannot create '" + Overlay + "': " + EC.message());
  if (Error E = fillOverlay(T, Gridspan, Temporary, Overlay)) {
    sys::fs::remove_directories(Temporary);
    return std::move(E);
  }
  // Fails when another process was faster; its overlay is the same.
  if (sys::fs::rename(Temporary, Overlay)) {
    sys::fs::remove_directories(Temporary);
    if (!sys::fs::exists(Overlay))
      return failure("cannot create '" + Overlay + "'");
  }
  return Overlay;
}
