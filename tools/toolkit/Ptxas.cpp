//===- Ptxas.cpp - ptxas without payloads ---------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands as `ptxas` in a toolkit overlay. The payloads of the PTX that it is
// given go behind the machine code in the output (PtxPayloads.h): fatbinary
// copies the file as it is, the driver reads what the ELF headers lead to, and
// the host compilation finds them by their frames. So ptxas does not read them
// either. What nvlink links keeps them, since nvlink makes another file.
// Everything else is passed on to ptxas.toolkit beside this program's link.
//
//===----------------------------------------------------------------------===//

#include "tools/toolkit/PtxPayloads.h"
#include "tools/toolkit/ToolRun.h"
#include <cstdio>
#include <string_view>

using namespace gridspan;

namespace {
/// What the command line says, as far as it matters here.
struct Files {
  size_t Input = 0; ///< the number of the argument; 0: none, or several
  std::string Output;
  bool ForNvlink = false;
};
} // namespace

static Files filesOf(const std::vector<std::string> &Args) {
  Files F;
  unsigned Inputs = 0;
  for (size_t I = 1; I < Args.size(); ++I) {
    const std::string_view Arg = Args[I];
    constexpr std::string_view Output = "--output-file=";
    if (Arg == "--output-file" || Arg == "-o") {
      if (++I < Args.size())
        F.Output = Args[I];
    } else if (Arg.starts_with(Output)) {
      F.Output = Arg.substr(Output.size());
    } else if (Arg == "-c" || Arg == "--compile-only") {
      F.ForNvlink = true;
    } else if (Arg.ends_with(".s") || Arg.ends_with(".ptx")) {
      F.Input = I;
      ++Inputs;
    }
  }
  if (Inputs != 1)
    F.Input = 0;
  return F;
}

int main(int Argc, char **Argv) {
  std::vector<std::string> Args(Argv, Argv + Argc);
  Args[0] = toolFor(Argv[0]);
  const Files F = filesOf(Args);
  if (F.Input == 0 || F.Output.empty() || F.ForNvlink)
    return runTool(Args);
  std::string Ptx = readFile(Args[F.Input]);
  std::string Payloads = takePayloads(Ptx);
  if (Payloads.empty())
    return runTool(Args);
  // Messages name the input.
  const std::string Reduced = F.Output + ".ptx";
  if (!writeFile(Reduced, Ptx, std::ios::trunc))
    return 1;
  Args[F.Input] = Reduced;
  const int Status = runTool(Args);
  std::remove(Reduced.c_str());
  if (Status != 0)
    return Status;
  return writeFile(F.Output, Payloads, std::ios::app) ? 0 : 1;
}
