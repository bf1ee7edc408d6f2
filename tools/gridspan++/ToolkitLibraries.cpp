//===- ToolkitLibraries.cpp - The toolkit's libraries, seen anew ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcudart_static.a and libcudart.so are linker scripts that name, in a group:
//   - CUDA's names for Gridspan's functions (runtime/names);
//   - the runtime, in whose copy the real functions are called
//     __gridspan_real_<name>;
//   - the toolkit's static CUDA runtime, in whose copy they have these names.
// So a name of CUDA means Gridspan's function to the program and the real one
// to the runtime, which no order of libraries and no option of CMake could say.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan++/ToolkitLibraries.h"
#include "tools/gridspan++/Config.h"
#include "tools/gridspan++/RedirectObjects.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gridspan;

static constexpr StringLiteral RealRuntime = "libcudart_real.a";

StringRef gridspan::takenOverNames() {
  return
#define GRIDSPAN_API(Name) #Name " "
#define GRIDSPAN_API_PT(Name, Suffix) #Name #Suffix " "
#include "gridspan/CudaApi.def"
      ;
}

bool gridspan::isCudaRuntime(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name == "libcudart_static.a" || Name == "libcudart.so" ||
         Name.starts_with("libcudart.so.") || Name == "libcudadevrt.a";
}

bool gridspan::hasToolkitLibraries(StringRef Folder) {
  return sys::fs::exists(Folder + "/" + RealRuntime);
}

static Error writeScript(const Twine &Path, const Installation &Gridspan,
                         StringRef Folder) {
  std::error_code Code;
  SmallString<256> Name;
  raw_fd_ostream Out(Path.toStringRef(Name), Code);
  if (Code)
    return createStringError(Code, "cannot create '" + Name + "'");
  Out << "/* GNU ld script: Gridspan's runtime in the place of CUDA's. */\n"
      << "GROUP ( \"" << Gridspan.CudaNames << "\" \"" << Gridspan.Renamed
      << "\" \"" << Gridspan.Ranges << "\" \"" << Gridspan.Fibers << "\"";
  Out << " \"" << Folder << "/" << RealRuntime << "\" )\n"
      << "INPUT ( -lstdc++ -lm -ldl -lrt -lpthread )\n";
  Out.close();
  if (Out.has_error())
    return createStringError(Out.error(), "cannot write '" + Name + "'");
  return Error::success();
}

Error gridspan::makeToolkitLibraries(StringRef Libraries,
                                     const Installation &Gridspan,
                                     StringRef Folder, StringRef FinalPlace) {
  if (std::error_code Code = sys::fs::create_directory(Folder))
    return createStringError(Code, "cannot create '" + Folder + "'");
  std::error_code Code;
  for (sys::fs::directory_iterator I(Libraries, Code), End; I != End && !Code;
       I.increment(Code)) {
    StringRef Name = sys::path::filename(I->path());
    // The CUDA runtime that programs load keeps its name.
    if (isCudaRuntime(Name) && !Name.starts_with("libcudart.so."))
      continue;
    if (std::error_code Why =
            sys::fs::create_link(I->path(), Folder + "/" + Name))
      return createStringError(Why, "cannot link '" + Name + "'");
  }
  const std::string Static = (Libraries + "/libcudart_static.a").str();
  // A toolkit without it serves programs that gridspan++ links.
  if (!sys::fs::exists(Static))
    return Error::success();
  if (Error E = writeRealNames(Static, (Folder + "/" + RealRuntime).str()))
    return E;
  if (sys::fs::exists(Libraries + "/libcudadevrt.a"))
    if (std::error_code Why = sys::fs::create_link(
            Libraries + "/libcudadevrt.a", Folder + "/libcudadevrt.a"))
      return createStringError(Why, "cannot link 'libcudadevrt.a'");
  for (StringRef Name : {"libcudart_static.a", "libcudart.so"})
    if (Error E = writeScript(Folder + "/" + Name, Gridspan, FinalPlace))
      return E;
  return Error::success();
}
