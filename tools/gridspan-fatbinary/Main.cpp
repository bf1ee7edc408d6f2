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
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <string>
#include <string_view>
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

int main(int Argc, char **Argv) {
  // clang names the program by the path in the overlay.
  std::string Real = std::string(Argv[0]) + ".toolkit";
  std::vector<std::string> Args = {Real};
  for (int I = 1; I < Argc; ++I)
    Args.push_back(translate(Argv[I]));
  std::vector<char *> Pointers;
  for (std::string &Arg : Args)
    Pointers.push_back(Arg.data());
  Pointers.push_back(nullptr);
  execv(Real.c_str(), Pointers.data());
  std::perror(Real.c_str());
  return 1;
}
