//===- Main.cpp - fatbinary for clang 19 with CUDA 13 ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands as `fatbinary` in a toolkit overlay. CUDA 13's fatbinary no longer
// knows --image=profile=sm_NN,file=F, which clang 19 passes; the same is now
// said as --image3=kind=elf,sm=NN,file=F (kind=ptx for compute_NN). Everything
// else is passed on to fatbinary.toolkit beside this program's link.
//
// fatbinary compresses PTX, which is welcome, and with the same option images
// that were not optimized, in which the host compilation then cannot find what
// the device compilation left. Only if that happens, nothing is compressed.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static std::string translate(std::string_view Arg) {
  constexpr std::string_view Image = "--image=profile=";
  constexpr std::string_view Elf = "sm_", Ptx = "compute_";
  if (!Arg.starts_with(Image))
    return std::string(Arg);
  Arg.remove_prefix(Image.size());
  std::string Result = "--image3=kind=";
  if (Arg.starts_with(Elf)) {
    Arg.remove_prefix(Elf.size());
    Result += "elf";
  } else if (Arg.starts_with(Ptx)) {
    Arg.remove_prefix(Ptx.size());
    Result += "ptx";
  }
  return Result.append(",sm=").append(Arg);
}

/// True if a file holds what passes from device to host compilation
/// (analysis/summary/Payload.h).
static bool holdsFrame(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  std::string Bytes((std::istreambuf_iterator<char>(File)),
                    std::istreambuf_iterator<char>());
  return Bytes.find("\x93GridspanFrame1\xd7") != std::string::npos;
}

/// True if an image held a frame that the output hides.
static bool hidesFrames(const std::vector<std::string> &Args) {
  constexpr std::string_view Image = "--image3=kind=elf,", File = "file=";
  bool Images = false, Output = true;
  for (size_t I = 0; I != Args.size(); ++I) {
    if (Args[I].starts_with(Image))
      Images |= holdsFrame(Args[I].substr(Args[I].find(File) + File.size()));
    if (Args[I] == "--create" && I + 1 != Args.size())
      Output = holdsFrame(Args[I + 1]);
  }
  return Images && !Output;
}

/// Runs the program; its exit status.
static int run(const std::vector<std::string> &Args) {
  std::vector<char *> Pointers;
  for (const std::string &Arg : Args)
    Pointers.push_back(const_cast<char *>(Arg.data()));
  Pointers.push_back(nullptr);
  pid_t Child;
  if (int Error = posix_spawn(&Child, Pointers[0], nullptr, nullptr,
                              Pointers.data(), environ)) {
    std::fprintf(stderr, "%s: %s\n", Pointers[0], std::strerror(Error));
    return 1;
  }
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 1;
}

int main(int Argc, char **Argv) {
  // clang names the program by the path in the overlay.
  std::vector<std::string> Args = {std::string(Argv[0]) + ".toolkit"};
  for (int I = 1; I < Argc; ++I)
    Args.push_back(translate(Argv[I]));
  int Status = run(Args);
  if (Status != 0 || !hidesFrames(Args))
    return Status;
  Args.push_back("--compress=false");
  return run(Args);
}
