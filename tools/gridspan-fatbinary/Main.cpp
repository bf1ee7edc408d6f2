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
// that have debug information or were not optimized. The host compilation then
// does not find what the device compilation left, or finds the beginning of it.
// So each frame of the images must be in the output as it is; only if one is
// not, nothing is compressed.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstdint>
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

static std::string readFile(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(File),
          std::istreambuf_iterator<char>()};
}

// A frame of what passes from device to host compilation, as
// analysis/summary/Payload.h describes it.
static constexpr std::string_view Magic = "\x93GridspanFrame1\xd7";
static constexpr size_t StoredAt = 24, ContentsAt = 40;

/// Returns the frames of an image, each from its magic to its last byte.
static std::vector<std::string_view> framesOf(std::string_view Image) {
  std::vector<std::string_view> Frames;
  for (size_t At = Image.find(Magic); At != Image.npos;
       At = Image.find(Magic, At + Magic.size())) {
    uint64_t Stored;
    if (Image.size() - At < ContentsAt)
      break;
    std::memcpy(&Stored, &Image[At + StoredAt], sizeof(Stored));
    if (Stored <= Image.size() - At - ContentsAt)
      Frames.push_back(Image.substr(At, ContentsAt + Stored));
  }
  return Frames;
}

/// Returns true if the frame is in Output byte by byte. Compressed code may
/// hold its beginning, and repeat the rest by reference.
static bool holds(std::string_view Output, std::string_view Frame) {
  for (size_t At = Output.find(Magic); At != Output.npos;
       At = Output.find(Magic, At + 1))
    if (Output.substr(At, Frame.size()) == Frame)
      return true;
  return false;
}

/// Returns true if an image has a frame that the output does not show.
static bool hidesFrames(const std::vector<std::string> &Args) {
  constexpr std::string_view Image = "--image3=kind=elf,", File = "file=";
  std::string Output;
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "--create")
      Output = readFile(Args[I + 1]);
  for (const std::string &Arg : Args) {
    if (!Arg.starts_with(Image))
      continue;
    const std::string Bytes =
        readFile(Arg.substr(Arg.find(File) + File.size()));
    for (std::string_view Frame : framesOf(Bytes))
      if (!holds(Output, Frame))
        return true;
  }
  return false;
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
