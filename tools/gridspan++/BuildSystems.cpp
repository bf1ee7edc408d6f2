//===- BuildSystems.cpp - What build systems ask nvcc ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CMake knows two CUDA compilers. Taken for clang, gridspan++ would not do the
// device link: CMake then runs nvlink and fatbinary itself, with options that
// CUDA 13 refuses. Taken for nvcc, it is asked for everything. So it says what
// CMake's CMakeDetermineCUDACompiler.cmake looks for:
//   - a line of nvcc's --version, and the toolkit's version as V13.0.88;
//   - "#$ TOP=", "#$ INCLUDES=", "#$ LIBRARIES=" under -v, which name the
//     overlay, so that the CUDA runtime that CMake links is Gridspan's;
//   - the command that links, whose first word becomes CMake's linker of CUDA
//     programs: gridspan++;
//   - the linker's command line for CMakeCUDACompilerABI.cu, from which it
//     takes what C++ compilers have to link: the overlay's libraries again;
//   - "-arch compute_NN", the default architectures;
//   - __NVCC__ in CMakeCUDACompilerId.cu.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/BuildSystems.h"
#include "tools/gridspan++/Config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace gridspan;

/// Returns what nvcc of the toolkit prints with --version, or nothing.
static std::string askNvcc(const Toolkit &T) {
  const std::string Nvcc = T.Root + "/bin/nvcc";
  SmallString<128> Output;
  if (!sys::fs::can_execute(Nvcc) ||
      sys::fs::createTemporaryFile("nvcc", "txt", Output))
    return "";
  sys::ExecuteAndWait(Nvcc, {Nvcc, "--version"}, std::nullopt,
                      {"", StringRef(Output), ""}, /*SecondsToWait=*/10);
  auto Text = MemoryBuffer::getFile(Output);
  std::string Result = Text ? (*Text)->getBuffer().str() : "";
  sys::fs::remove(Output);
  return Result;
}

/// Returns major, minor and build number of the toolkit. The build is nvcc's,
/// or 0 if the toolkit comes without it.
static std::array<unsigned, 3> versionOf(const Toolkit &T) {
  std::array<unsigned, 3> Result = {T.Version / 1000, T.Version % 1000 / 10, 0};
  const std::string Text = askNvcc(T);
  StringRef Rest = StringRef(Text).split(", V").second;
  unsigned Major = 0, Minor = 0, Build = 0;
  if (!Rest.consumeInteger(10, Major) && Rest.consume_front(".") &&
      !Rest.consumeInteger(10, Minor) && Rest.consume_front(".") &&
      !Rest.consumeInteger(10, Build) && Major == Result[0] &&
      Minor == Result[1])
    Result[2] = Build;
  return Result;
}

std::string gridspan::versionText(const Setting &S) {
  const auto [Major, Minor, Build] = versionOf(S.Cuda);
  return formatv("gridspan++ {0} (clang {1}: {2}, CUDA {3}.{4}: {5})\n"
                 "In the place of nvcc: NVIDIA (R) Cuda compiler driver\n"
                 "Cuda compilation tools, release {3}.{4}, V{3}.{4}.{6}\n",
                 GRIDSPAN_VERSION_STRING, GRIDSPAN_LLVM_MAJOR, S.Gridspan.Clang,
                 Major, Minor, S.Cuda.Root, Build);
}

std::string gridspan::environmentText(const Request &R, const Setting &S) {
  const std::string &Top = S.Overlay;
  const std::string Libraries =
      formatv("\"-L{0}/lib64/stubs\" \"-L{0}/lib64\"", Top);
  std::string Architectures;
  for (const Architecture &A : S.Architectures)
    Architectures += " -arch compute_" + A.Name.substr(StringRef("sm_").size());
  std::string Text = formatv(
      "#$ TOP={0}\n"
      "#$ NVVMIR_LIBRARY_DIR={0}/nvvm/libdevice\n"
      "#$ PATH={0}/bin:{1}\n"
      "#$ INCLUDES=\"-I{0}/include\"\n"
      "#$ SYSTEM_INCLUDES=\"-isystem\" \"{0}/include/cccl\"\n"
      "#$ LIBRARIES={2}\n"
      "#$ ARCHITECTURES={3}\n",
      Top, sys::path::parent_path(S.Gridspan.Driver), Libraries, Architectures);
  // CMake takes assignments away, and finds commands behind the end of a line.
  if (!R.StopsBeforeLink && !R.DeviceLink && !R.Library)
    Text += formatv("\n#$ \"{0}\" -o \"{1}\" {2} -lcudadevrt -lcudart_static "
                    "-lrt -lpthread -ldl\n",
                    S.Gridspan.Driver, R.Output.value_or("a.out"), Libraries);
  return Text;
}

bool gridspan::isLinkProbe(const Request &R) {
  return any_of(R.Args, [](const Argument &A) {
    return A.Kind == Argument::LinkInput &&
           sys::path::filename(A.Text).starts_with("CMakeCUDACompilerABI.cu.");
  });
}

CommandLine gridspan::probedLinkFlags(const Setting &S) {
  return {"-L" + S.Overlay + "/lib64/stubs",
          "-L" + S.Overlay + "/lib64",
          "-lcudadevrt",
          "-lcudart_static",
          "-lrt",
          "-lpthread",
          "-ldl"};
}

CommandLine gridspan::identificationFlags(const Request &R, const Setting &S) {
  if (none_of(R.Args, [](const Argument &A) {
        return A.Kind == Argument::Source &&
               sys::path::filename(A.Text) == "CMakeCUDACompilerId.cu";
      }))
    return {};
  const auto [Major, Minor, Build] = versionOf(S.Cuda);
  return {"-D__NVCC__", formatv("-D__CUDACC_VER_MAJOR__={0}", Major),
          formatv("-D__CUDACC_VER_MINOR__={0}", Minor),
          formatv("-D__CUDACC_VER_BUILD__={0}", Build)};
}
