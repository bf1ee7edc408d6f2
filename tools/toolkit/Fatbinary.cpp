//===- Fatbinary.cpp - fatbinary for clang 19 with CUDA 13 ----------------===//
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
// not, nothing is compressed. PTX is packed without payloads (PtxPayloads.h):
// the driver compiles it for GPUs that there is no machine code for.
//
//===----------------------------------------------------------------------===//

#include "tools/toolkit/PtxPayloads.h"
#include "tools/toolkit/ToolRun.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using namespace gridspan;

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

constexpr std::string_view ElfImage = "--image3=kind=elf,",
                           PtxImage = "--image3=kind=ptx,";

/// Returns where the path of an image begins.
static size_t pathIn(std::string_view Image) {
  constexpr std::string_view File = "file=";
  return Image.find(File) + File.size();
}

/// Returns the path of the output; nothing if there is none.
static std::string outputOf(const std::vector<std::string> &Args) {
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "--create")
      return Args[I + 1];
  return {};
}

/// Returns true if an image has a frame that the output does not show.
static bool hidesFrames(const std::vector<std::string> &Args) {
  const std::string Output = readFile(outputOf(Args));
  for (const std::string &Arg : Args) {
    if (!Arg.starts_with(ElfImage))
      continue;
    const std::string Bytes = readFile(Arg.substr(pathIn(Arg)));
    for (std::string_view Frame : framesOf(Bytes))
      if (!holds(Output, Frame))
        return true;
  }
  return false;
}

/// Has PTX be packed without its payloads, which machine code has beside it.
/// The files for that are added to Made.
static bool leavePayloads(std::vector<std::string> &Args,
                          std::vector<std::string> &Made) {
  for (std::string &Arg : Args) {
    if (!Arg.starts_with(PtxImage))
      continue;
    std::string Ptx = readFile(Arg.substr(pathIn(Arg)));
    if (takePayloads(Ptx).empty())
      continue;
    Made.push_back(outputOf(Args) + "." + std::to_string(Made.size()) + ".ptx");
    if (!writeFile(Made.back(), Ptx, std::ios::trunc))
      return false;
    Arg.replace(pathIn(Arg), Arg.npos, Made.back());
  }
  return true;
}

static int pack(std::vector<std::string> &Args) {
  const int Status = runTool(Args);
  if (Status != 0 || !hidesFrames(Args))
    return Status;
  Args.push_back("--compress=false");
  return runTool(Args);
}

int main(int Argc, char **Argv) {
  std::vector<std::string> Args = {toolFor(Argv[0])}, Made;
  for (int I = 1; I < Argc; ++I)
    Args.push_back(translate(Argv[I]));
  const int Status = leavePayloads(Args, Made) ? pack(Args) : 1;
  for (const std::string &Path : Made)
    std::remove(Path.c_str());
  return Status;
}
