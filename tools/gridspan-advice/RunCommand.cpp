//===- RunCommand.cpp - Runs a program for its profile --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program has the terminal as if it had been started by itself. A profile
// that an earlier run has left is removed first, so that it cannot be taken for
// this one's.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/RunCommand.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace gridspan {

namespace fs = std::filesystem;

static constexpr const char *Variable = "GRIDSPAN_PROFILE";

static int statusOf(const std::vector<std::string> &Command) {
  std::vector<char *> Words;
  for (const std::string &Word : Command)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  pid_t Child = 0;
  if (const int Error = posix_spawnp(&Child, Words[0], nullptr, nullptr,
                                     Words.data(), environ))
    throw std::runtime_error(
        fmt::format("{}: cannot be run: {}", Command[0], std::strerror(Error)));
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0)
    if (errno != EINTR)
      throw std::runtime_error(
          fmt::format("{}: {}", Command[0], std::strerror(errno)));
  return Status;
}

std::string runForProfile(const std::vector<std::string> &Command,
                          const std::string &Profile) {
  std::error_code Ignored;
  fs::remove(Profile, Ignored);
  // The program may change its folder.
  setenv(Variable, fs::absolute(Profile).c_str(), 1);
  const int Status = statusOf(Command);
  unsetenv(Variable);
  std::string How;
  if (WIFSIGNALED(Status))
    How = fmt::format("was ended by signal {}", WTERMSIG(Status));
  else if (WEXITSTATUS(Status))
    How = fmt::format("ended with status {}", WEXITSTATUS(Status));
  if (!fs::exists(Profile))
    throw std::runtime_error(fmt::format(
        "no-profile: {} {}{}", Command[0], How.empty() ? "" : How + ", and ",
        "wrote no profile: it made no CUDA call by Gridspan's runtime, or did "
        "not end by itself"));
  return How.empty() ? "" : fmt::format("{} {}", Command[0], How);
}

TemporaryFolder::TemporaryFolder() {
  Path = (fs::temp_directory_path() / "gridspan-advice-XXXXXX").string();
  if (!mkdtemp(Path.data()))
    throw std::runtime_error(fmt::format("{}: {}", Path, std::strerror(errno)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code Ignored;
  fs::remove_all(Path, Ignored);
}

} // namespace gridspan
