//===- UntrackedCode.cpp - Device code that Gridspan does not see ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared libraries are found by their file names. Of static ones a weak symbol
// resolves when the program linked them.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/UntrackedCode.h"
#include <atomic>
#include <cstring>
#include <link.h>
#include <set>
#include <string>

extern "C" {
__attribute__((weak)) int cublasCreate_v2(void *);
__attribute__((weak)) int cublasLtCreate(void *);
__attribute__((weak)) int cufftPlanMany();
__attribute__((weak)) int cufftCreate(void *);
__attribute__((weak)) int cusparseCreate(void *);
__attribute__((weak)) int cusolverDnCreate(void *);
__attribute__((weak)) int curandCreateGenerator(void *, int);
__attribute__((weak)) int cudnnCreate(void *);
__attribute__((weak)) int ncclCommInitAll();
__attribute__((weak)) int cuLaunchKernel();
}

namespace gridspan {

static const char *const Libraries[] = {
    "libcublas", "libcufft",    "libcusparse", "libcusolver", "libcurand",
    "libcudnn",  "libcutensor", "libnccl",     "libnpp",      "libnvjpeg",
    "libnvrtc",  "libnvinfer",  "libcudss",
};

/// The answer when this many objects had been loaded.
static std::atomic<unsigned long long> LoadsSeen{0};

static int isForeign(dl_phdr_info *Info, size_t, void *) {
  if (Info->dlpi_adds == LoadsSeen)
    return 0; // nothing new since the last look
  const char *Slash = std::strrchr(Info->dlpi_name, '/');
  const char *Name = Slash ? Slash + 1 : Info->dlpi_name;
  for (const char *Library : Libraries)
    if (std::strncmp(Name, Library, std::strlen(Library)) == 0)
      return 1;
  return 0;
}

static int rememberLoads(dl_phdr_info *Info, size_t, void *) {
  LoadsSeen = Info->dlpi_adds;
  return 1;
}

bool untrackedDeviceCode() {
  static std::atomic<bool> Found{false};
  if (Found)
    return true;
  const bool Foreign = cublasCreate_v2 || cublasLtCreate || cufftPlanMany ||
                       cufftCreate || cusparseCreate || cusolverDnCreate ||
                       curandCreateGenerator || cudnnCreate ||
                       ncclCommInitAll ||
                       dl_iterate_phdr(isForeign, nullptr) != 0;
  dl_iterate_phdr(rememberLoads, nullptr);
  if (Foreign)
    Found = true;
  return Foreign;
}

//===--- Work that is not seen -------------------------------------------===//

/// Libraries that give no work to streams but through the runtime.
static const char *const Harmless[] = {
    "ld-linux",   "libboost_context", "libc++",      "libc++abi",  "libc.",
    "libcuda.",   "libdl.",           "libm.",       "libgcc_s.",  "libgomp.",
    "libnvidia",  "libomp.",          "libpthread.", "libresolv.", "librt.",
    "libstdc++.", "libnss_",          "libunwind.",  "libz.",      "linux-vdso",
};

static std::atomic<bool> UnseenWork{false};
static std::atomic<bool> LooksIntoGraphs{false};
static std::atomic<bool> DriverWork{false};
/// The number of objects that had been loaded when they were looked at last,
/// above a bit that says whether all of them were harmless.
static std::atomic<unsigned long long> LoadsJudged{0};

namespace {

struct Judgement {
  unsigned long long Before; ///< LoadsJudged
  unsigned long long After;
};

} // namespace

/// The paths of libraries that the runtime has loaded for itself, and, while it
/// does, of those that were there before. Never destroyed.
static std::set<std::string> &ownPaths() {
  static auto *Paths = new std::set<std::string>;
  return *Paths;
}
static std::set<std::string> &pathsBefore() {
  static auto *Paths = new std::set<std::string>;
  return *Paths;
}

static int addPath(dl_phdr_info *Info, size_t, void *Data) {
  static_cast<std::set<std::string> *>(Data)->insert(Info->dlpi_name);
  return 0;
}

OwnLibraries::OwnLibraries() { dl_iterate_phdr(addPath, &pathsBefore()); }

OwnLibraries::~OwnLibraries() {
  std::set<std::string> Now;
  dl_iterate_phdr(addPath, &Now);
  for (const std::string &Path : Now)
    if (!pathsBefore().contains(Path))
      ownPaths().insert(Path);
  pathsBefore().clear();
}

static bool isHarmless(const char *Path) {
  const char *Slash = std::strrchr(Path, '/');
  const char *Name = Slash ? Slash + 1 : Path;
  if (!*Name)
    return true; // the program itself
  for (const char *Prefix : Harmless)
    if (std::strncmp(Name, Prefix, std::strlen(Prefix)) == 0)
      return true;
  return ownPaths().contains(Path);
}

static int judge(dl_phdr_info *Info, size_t, void *Data) {
  auto &J = *static_cast<Judgement *>(Data);
  if (J.Before >> 1 == Info->dlpi_adds) {
    J.After = J.Before;
    return 1; // nothing new since the last look
  }
  if (!(J.After >> 1))
    J.After = Info->dlpi_adds << 1 | 1;
  if (!isHarmless(Info->dlpi_name))
    J.After &= ~1ULL;
  return 0;
}

bool seesAllWork() {
  if (!&__gridspan_knows_all_parts ||
      UnseenWork.load(std::memory_order_relaxed))
    return false;
  Judgement J = {LoadsJudged.load(std::memory_order_relaxed), 0};
  dl_iterate_phdr(judge, &J);
  LoadsJudged.store(J.After, std::memory_order_relaxed);
  return J.After & 1;
}

bool mayTouchUnseen() {
  return UnseenWork.load(std::memory_order_relaxed) || untrackedDeviceCode();
}

bool givesDriverWork() {
  // What other compilers have made calls it without saying so.
  return cuLaunchKernel || DriverWork.load(std::memory_order_relaxed);
}

bool graphsAreOpaque() {
  return !LooksIntoGraphs.load(std::memory_order_relaxed) && seesAllWork();
}

} // namespace gridspan

void __gridspan_unseen_work(const char *Function) {
  gridspan::UnseenWork = true;
#define GRIDSPAN_DRIVER_WORK(Prefix)                                           \
  if (std::strncmp(Function, #Prefix, sizeof(#Prefix) - 1) == 0)               \
    gridspan::DriverWork = true;
#include "gridspan/UntrackedCudaCalls.def"
}

void __gridspan_looks_into_graphs(const char *) {
  gridspan::LooksIntoGraphs = true;
}
