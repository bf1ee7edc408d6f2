//===- Architecture.cpp - GPU architectures to compile for ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses nvcc's spellings and makes clang's flags from the set. An architecture
// that is newer than clang 19 is replaced by the newest that it knows, with
// PTX, which the driver translates. One that CUDA 13 no longer assembles is an
// error.
//
// GPUs are detected through the driver library, opened by name, so that the
// compiler runs where there is no driver.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/Architecture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <dlfcn.h>

using namespace llvm;
using namespace gridspan;

std::string Architecture::cubinImage(StringRef File) const {
  return ("--image=profile=" + Name + ",file=" + File).str();
}

std::string Architecture::ptxImage(StringRef File) const {
  const StringRef Number = StringRef(Name).substr(StringRef("sm_").size());
  return ("--image=profile=compute_" + Number + ",file=" + File).str();
}

// The range that clang 19 can generate code for and CUDA 13 can assemble. Newer
// GPUs run the PTX of the newest one.
static constexpr unsigned OldestKnown = 75;
static constexpr unsigned NewestKnown = 90;
static constexpr StringLiteral Known[] = {"75", "80", "86", "89", "90"};

std::string ArchitectureSet::list(bool Codes, bool Virtual) {
  std::string Text;
  for (StringRef Name : Known)
    if (Codes && Virtual)
      Text += ("arch=compute_" + Name + ",code=sm_" + Name + "\n").str();
    else
      Text += ((Codes ? "sm_" : "compute_") + Name + "\n").str();
  return Text;
}

std::string ArchitectureSet::addOne(StringRef Name, bool Binary, bool Ptx) {
  StringRef Digits = Name.rtrim("af");
  unsigned Number = 0;
  if (Digits.getAsInteger(10, Number))
    return ("unknown GPU architecture '" + Name + "'").str();
  if (Number < OldestKnown)
    return ("sm_" + Name + " is not supported by CUDA 13; the oldest is sm_" +
            Twine(OldestKnown))
        .str();
  Wanted &W = Arches[Name.str()];
  W.Binary |= Binary;
  W.Ptx |= Ptx;
  return "";
}

std::string ArchitectureSet::addArch(StringRef Value) {
  FromArch = true;
  if (Value == "native") {
    Native = true;
    return "";
  }
  if (Value == "all" || Value == "all-major") {
    for (StringRef Name : Known)
      if (Value == "all" || Name.ends_with("0") || Name == "75")
        addOne(Name, /*Binary=*/true, /*Ptx=*/Name == "90");
    return "";
  }
  // A virtual architecture alone means its PTX; clang always makes the binary.
  StringRef Name = Value;
  if (Name.consume_front("sm_") || Name.consume_front("compute_") ||
      Name.consume_front("lto_"))
    return addOne(Name, /*Binary=*/true, /*Ptx=*/true);
  return ("unknown GPU architecture '" + Value + "'").str();
}

std::string ArchitectureSet::addCode(StringRef Value) {
  // With -code, -arch names only the virtual architecture to start from.
  if (FromArch) {
    Arches.clear();
    FromArch = false;
  }
  SmallVector<StringRef> Codes;
  Value.trim("[]\"'").split(Codes, ',');
  for (StringRef Code : Codes) {
    std::string Error;
    // Intermediate code for link-time optimization is what -rdc always leaves.
    if (Code.consume_front("sm_") || Code.consume_front("lto_"))
      Error = addOne(Code, /*Binary=*/true, /*Ptx=*/false);
    else if (Code.consume_front("compute_"))
      Error = addOne(Code, /*Binary=*/false, /*Ptx=*/true);
    else
      Error = ("unknown GPU code '" + Code + "'").str();
    if (!Error.empty())
      return Error;
  }
  return "";
}

std::string ArchitectureSet::addGencode(StringRef Value) {
  Value = Value.trim("\"'");
  auto [Arch, Code] = Value.split(",code=");
  if (!Arch.consume_front("arch="))
    return ("expected arch=...,code=... in '" + Value + "'").str();
  bool KeepArch = FromArch;
  FromArch = false;
  std::string Error = Code.empty() ? addArch(Arch) : addCode(Code);
  FromArch = KeepArch;
  return Error;
}

std::vector<Architecture>
ArchitectureSet::targets(ArrayRef<unsigned> Detected,
                         std::vector<std::string> &Notes) const {
  std::map<std::string, Wanted> All = Arches;
  if (wantsNative()) {
    if (Detected.empty())
      All[utostr(NewestKnown)] = {true, true};
    for (unsigned Capability : Detected)
      All[utostr(Capability)] = {true, true};
  }
  // An architecture that clang does not know becomes the newest that it knows,
  // with PTX.
  std::map<std::string, Wanted> Known;
  for (auto &[Name, W] : All) {
    unsigned Number = 0;
    StringRef(Name).rtrim("af").getAsInteger(10, Number);
    if (Number <= NewestKnown) {
      Known[Name].Binary |= W.Binary;
      Known[Name].Ptx |= W.Ptx;
      continue;
    }
    Notes.push_back(
        "sm_" + Name + " is newer than clang 19; compiling for sm_" +
        utostr(NewestKnown) + " with PTX, which the driver translates");
    Known[utostr(NewestKnown)] = {true, true};
  }
  std::vector<Architecture> Targets;
  for (auto &[Name, W] : Known)
    Targets.push_back({"sm_" + Name, W.Ptx});
  return Targets;
}

std::vector<std::string>
ArchitectureSet::flags(ArrayRef<Architecture> Architectures) {
  std::vector<std::string> Flags;
  for (const Architecture &A : Architectures) {
    Flags.push_back("--offload-arch=" + A.Name);
    // PTX is clang's default.
    if (!A.Ptx)
      Flags.push_back("--no-cuda-include-ptx=" + A.Name);
  }
  return Flags;
}

std::string ArchitectureSet::macroList(ArrayRef<Architecture> Architectures) {
  std::string List;
  for (const Architecture &A : Architectures) {
    StringRef Number = StringRef(A.Name).rtrim("af");
    Number.consume_front("sm_");
    List += (List.empty() ? "" : ",") + Number.str() + "0";
  }
  return List;
}

std::vector<unsigned> gridspan::detectGpus() {
  std::vector<unsigned> Found;
  // The library stays open: the driver does not like to be unloaded.
  void *Library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return Found;
  auto Init = reinterpret_cast<int (*)(unsigned)>(dlsym(Library, "cuInit"));
  auto Count =
      reinterpret_cast<int (*)(int *)>(dlsym(Library, "cuDeviceGetCount"));
  auto Attribute = reinterpret_cast<int (*)(int *, int, int)>(
      dlsym(Library, "cuDeviceGetAttribute"));
  int Devices = 0;
  if (!Init || !Count || !Attribute || Init(0) || Count(&Devices))
    return Found;
  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR; device handles are
  // ordinals since CUDA 2.0.
  constexpr int MajorAttribute = 75, MinorAttribute = 76;
  for (int Device = 0; Device < Devices; ++Device) {
    int Major = 0, Minor = 0;
    if (Attribute(&Major, MajorAttribute, Device) ||
        Attribute(&Minor, MinorAttribute, Device))
      continue;
    unsigned Capability = Major * 10 + Minor;
    if (!is_contained(Found, Capability))
      Found.push_back(Capability);
  }
  return Found;
}
