//===- PtxJob.cpp - Code of GPUs from PTX ---------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas assembles it for each architecture; a fat binary has it as PTX as well,
// where one with PTX is asked for. A cubin goes into a fat binary as it is.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/PtxJob.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gridspan;

static bool hasExtension(const Argument &A, StringRef Extension) {
  return A.Kind == Argument::LinkInput &&
         sys::path::extension(A.Text) == Extension;
}
static bool isPtx(const Argument &A) { return hasExtension(A, ".ptx"); }

/// Returns the inputs that are device code.
static SmallVector<StringRef, 2> deviceCode(const Request &R) {
  SmallVector<StringRef, 2> Out;
  for (const Argument &A : R.Args)
    if (isPtx(A) || (R.Fatbin && hasExtension(A, ".cubin")))
      Out.push_back(A.Text);
  return Out;
}

bool gridspan::hasDeviceCode(const Request &R) {
  return !deviceCode(R).empty();
}

/// Returns what nvcc gives ptxas for an option of the device compilation.
static CommandLine optionsForPtxas(StringRef Option) {
  if (Option == "-g")
    return {"-g", "--dont-merge-basicblocks", "--return-at-end"};
  if (Option == "-gline-tables-only")
    return {"--generate-line-info"};
  if (Option == "-ffp-contract=off")
    return {"--fmad", "false"};
  return {};
}

static CommandLine assemble(const Request &R, const Setting &S,
                            const Architecture &A, StringRef Ptx,
                            StringRef Output) {
  CommandLine Command = {S.Cuda.Root + "/bin/ptxas", "-arch=" + A.Name};
  if (R.Relocatable)
    Command.emplace_back("--compile-only");
  for (size_t I = 0; I + 1 < R.Args.size(); ++I) {
    if (R.Args[I].Kind != Argument::Option)
      continue;
    const StringRef Text = R.Args[I].Text;
    if (Text == "-Xcuda-ptxas")
      Command.push_back(R.Args[++I].Text);
    else if (Text == "-Xarch_device")
      append_range(Command, optionsForPtxas(R.Args[++I].Text));
  }
  append_range(Command, CommandLine{Ptx.str(), "-o", Output.str()});
  return Command;
}

Expected<Job> gridspan::planDeviceCode(const Request &R, const Setting &S) {
  const SmallVector<StringRef, 2> Inputs = deviceCode(R);
  const StringRef Ptx = Inputs.front();
  const bool IsCubin = none_of(R.Args, isPtx);
  const auto Failure = [&](const Twine &Why) {
    return createStringError(inconvertibleErrorCode(), Ptx + ": " + Why);
  };
  // -ptx is -S.
  if (!R.DeviceOnly || any_of(R.Args, [](const Argument &A) {
        return A.Kind == Argument::Option && A.Text == "-S";
      }))
    return Failure("of PTX only -cubin and -fatbin are made");
  if (R.hasSources() || Inputs.size() > 1)
    return Failure("device code has to be the only input");
  if (IsCubin && S.Architectures.size() != 1)
    return Failure("a cubin is for one architecture");
  const std::string Output =
      R.Output.value_or(R.inOutputFolder(Ptx, R.Fatbin ? "fatbin" : "cubin"));
  Job J;
  if (!R.Fatbin) {
    if (S.Architectures.size() != 1)
      return Failure("-cubin is for one architecture");
    J.Commands.push_back(assemble(R, S, S.Architectures[0], Ptx, Output));
    return J;
  }
  CommandLine Pack = {S.Overlay + "/bin/fatbinary", "-64", "--create", Output};
  if (IsCubin) {
    Pack.push_back(S.Architectures[0].cubinImage(Ptx));
    J.Commands.push_back(std::move(Pack));
    return J;
  }
  for (const Architecture &A : S.Architectures) {
    Expected<std::string> Cubin = J.Files.add(sys::path::stem(Ptx), "cubin");
    if (!Cubin)
      return Cubin.takeError();
    J.Commands.push_back(assemble(R, S, A, Ptx, *Cubin));
    Pack.push_back(A.cubinImage(*Cubin));
    if (A.Ptx)
      Pack.push_back(A.ptxImage(Ptx));
  }
  J.Commands.push_back(std::move(Pack));
  return J;
}
