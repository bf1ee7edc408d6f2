//===- ToolRun.cpp - Files and programs of stand-ins ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang names a stand-in by its path in the overlay, so the tool's path follows
// from that.
//
//===----------------------------------------------------------------------===//

#include "tools/toolkit/ToolRun.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gridspan {

std::string toolFor(const char *Argv0) {
  return std::string(Argv0) + ".toolkit";
}

std::string readFile(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(File),
          std::istreambuf_iterator<char>()};
}

bool writeFile(const std::string &Path, std::string_view Bytes,
               std::ios::openmode How) {
  std::ofstream File(Path, std::ios::binary | How);
  File.write(Bytes.data(), static_cast<std::streamsize>(Bytes.size())).flush();
  if (!File)
    std::fprintf(stderr, "cannot write '%s'\n", Path.c_str());
  return static_cast<bool>(File);
}

int runTool(const std::vector<std::string> &Args) {
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

} // namespace gridspan
