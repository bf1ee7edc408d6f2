//===- LoadedFiles.cpp - Places in libraries, on every rank ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dl_iterate_phdr(3) tells what is loaded, the program first, by the names that
// it was loaded by. Those may be relative to a folder that the program has left
// since, so paths come from what the kernel says of the addresses, proc(5).
// What was replaced while it is loaded has no checksum, as the file is another
// one. A library that a rank has loaded for rank 0 stays.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/LoadedFiles.h"
#include "runtime/support/FileDescriptor.h"
#include "runtime/support/ThreadSafety.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <map>
#include <memory>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace gridspan::ranks {

uint64_t checksumOfFile(const std::string &Path) {
  const FileDescriptor File(open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat Info;
  if (!File || fstat(File.get(), &Info) != 0 || Info.st_size <= 0)
    return 0;
  const auto Size = static_cast<size_t>(Info.st_size);
  void *Bytes = mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, File.get(), 0);
  if (Bytes == MAP_FAILED)
    return 0;
  // FNV-1a, by words.
  uint64_t Hash = 0xcbf29ce484222325ULL ^ Size;
  const auto *At = static_cast<const unsigned char *>(Bytes);
  for (size_t I = 0; I + 8 <= Size; I += 8) {
    uint64_t Word;
    __builtin_memcpy(&Word, At + I, 8);
    Hash = (Hash ^ Word) * 0x100000001b3ULL;
    Hash ^= Hash >> 29;
  }
  for (size_t I = Size / 8 * 8; I != Size; ++I)
    Hash = (Hash ^ At[I]) * 0x100000001b3ULL;
  munmap(Bytes, Size);
  return Hash;
}

/// The checksum of a library, which is computed once for each file that is or
/// was at the path.
static uint64_t checksumOfLibrary(const std::string &Path) {
  struct Version {
    std::string Path;
    dev_t Device;
    ino_t Node;
    off_t Size;
    int64_t Seconds, Nanoseconds;
    auto operator<=>(const Version &) const = default;
  };
  static Mutex Lock;
  static auto &Known = *new std::map<Version, uint64_t>;
  struct stat Info;
  if (stat(Path.c_str(), &Info))
    return 0;
  const Version Now = {Path,         Info.st_dev,         Info.st_ino,
                       Info.st_size, Info.st_mtim.tv_sec, Info.st_mtim.tv_nsec};
  MutexLock Guard(Lock);
  const auto [It, IsNew] = Known.try_emplace(Now, 0);
  if (IsNew)
    It->second = checksumOfFile(Path);
  return It->second;
}

static std::string realPath(const std::string &Name) {
  const std::unique_ptr<char, void (*)(void *)> Path(
      realpath(Name.c_str(), nullptr), [](void *P) { std::free(P); });
  return Path ? Path.get() : "";
}

namespace {
struct Loaded {
  bool IsProgram = false;
  uint64_t Base = 0;
  uint64_t End = 0; ///< behind its last segment
};
} // namespace

/// Calls Fn for each loaded file until it returns true.
static void forLoaded(const std::function<bool(const Loaded &)> &Fn) {
  struct Walk {
    const std::function<bool(const Loaded &)> &Fn;
    bool IsProgram = true;
  } All{Fn};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        auto &W = *static_cast<Walk *>(Data);
        Loaded One;
        One.IsProgram = std::exchange(W.IsProgram, false);
        One.Base = One.End = Info->dlpi_addr;
        for (unsigned I = 0; I != Info->dlpi_phnum; ++I)
          if (const ElfW(Phdr) &Segment = Info->dlpi_phdr[I];
              Segment.p_type == PT_LOAD)
            One.End = std::max<uint64_t>(
                One.End, Info->dlpi_addr + Segment.p_vaddr + Segment.p_memsz);
        return W.Fn(One) ? 1 : 0;
      },
      &All);
}

namespace {
struct MappedFile {
  std::string Path;
  bool IsGone = false; ///< deleted since, or replaced
};
/// By the addresses where their bytes begin to be.
using MappedFiles = std::map<uint64_t, MappedFile>;
} // namespace

static MappedFiles mappedFiles() {
  static constexpr std::string_view Gone = " (deleted)";
  MappedFiles Out;
  std::ifstream Lines("/proc/self/maps");
  for (std::string Line; std::getline(Lines, Line);) {
    const size_t Path = Line.find('/');
    if (Path == std::string::npos)
      continue;
    MappedFile File = {Line.substr(Path), Line.ends_with(Gone)};
    if (File.IsGone)
      File.Path.resize(File.Path.size() - Gone.size());
    Out.emplace(std::strtoull(Line.c_str(), nullptr, 16), std::move(File));
  }
  return Out;
}

/// Returns the file of what is loaded; one without a path if it has none.
static MappedFile fileOf(const Loaded &Of, const MappedFiles &Mapped) {
  const auto It = Mapped.lower_bound(Of.Base);
  return It != Mapped.end() && It->first < Of.End ? It->second : MappedFile();
}

FilePlace placeOf(const void *Address) {
  const auto At = reinterpret_cast<uint64_t>(Address);
  Loaded Of = {.IsProgram = true};
  forLoaded([&](const Loaded &One) {
    if (At < One.Base || At >= One.End)
      return false;
    Of = One;
    return true;
  });
  if (Of.IsProgram)
    return {};
  const MappedFile File = fileOf(Of, mappedFiles());
  // Without a path it would be the program's.
  if (File.Path.empty())
    return {"that is loaded from no file", 0, At - Of.Base};
  return {File.Path, File.IsGone ? 0 : checksumOfLibrary(File.Path),
          At - Of.Base};
}

/// Returns where a library is loaded; nothing if it is not. OrGone: also one
/// that was at the path and is there no more.
static std::optional<Loaded> findLoaded(const std::string &Path, bool OrGone) {
  const MappedFiles Mapped = mappedFiles();
  std::optional<Loaded> Out;
  forLoaded([&](const Loaded &One) {
    const MappedFile File = fileOf(One, Mapped);
    if (One.IsProgram || File.Path != Path || (File.IsGone && !OrGone))
      return false;
    Out = One;
    return true;
  });
  return Out;
}

namespace {
/// What addressOf has loaded, by path.
struct Opened {
  Mutex Lock;
  std::map<std::string, void *> Handles GUARDED_BY(Lock);
};
} // namespace

static Opened &opened() {
  static auto &Out = *new Opened; // libraries may be unloaded to the end
  return Out;
}

/// Returns the path here of what was loaded, which may be gone.
static std::string pathHere(const std::string &File) {
  const std::string Path = realPath(File);
  return Path.empty() ? File : Path;
}

LoadedAddresses addressesOf(const std::string &File) {
  const std::optional<Loaded> Known =
      findLoaded(pathHere(File), /*OrGone=*/true);
  return Known ? LoadedAddresses{Known->Base, Known->End} : LoadedAddresses();
}

void unload(const std::string &File) {
  void *Handle = nullptr;
  {
    MutexLock Guard(opened().Lock);
    const auto It = opened().Handles.find(pathHere(File));
    if (It == opened().Handles.end())
      return;
    Handle = It->second;
    opened().Handles.erase(It);
  }
  dlclose(Handle);
}

const void *addressOf(const FilePlace &Place, const LoadLibrary &Around,
                      std::string &Message) {
  const std::string Path = realPath(Place.File);
  if (Path.empty()) {
    Message = fmt::format("there is no library {}", Place.File);
    return nullptr;
  }
  // Before it is loaded: its constructors are not to run if it is another one.
  if (!Place.Checksum || checksumOfLibrary(Path) != Place.Checksum) {
    Message = fmt::format("the library {} is another one there", Path);
    return nullptr;
  }
  std::optional<Loaded> Known = findLoaded(Path, /*OrGone=*/false);
  if (!Known) {
    Around([&] {
      void *Handle = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!Handle) {
        Message = dlerror();
        return;
      }
      MutexLock Guard(opened().Lock);
      opened().Handles[Path] = Handle;
    });
    Known = findLoaded(Path, /*OrGone=*/false);
  }
  if (!Known)
    return nullptr;
  if (Place.Offset >= Known->End - Known->Base) {
    Message = fmt::format("the library {} has no such place", Path);
    return nullptr;
  }
  return reinterpret_cast<const void *>(Known->Base + Place.Offset);
}

} // namespace gridspan::ranks
