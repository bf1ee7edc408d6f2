//===- ForeignCode.cpp - Device code that Gridspan does not see -----------===//
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

#include "ForeignCode.h"
#include <atomic>
#include <cstring>
#include <link.h>

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
}

namespace gridspan {

static const char *const Libraries[] = {
    "libcublas", "libcufft",    "libcusparse", "libcusolver", "libcurand",
    "libcudnn",  "libcutensor", "libnccl",     "libnpp",      "libnvjpeg",
    "libnvrtc",  "libnvinfer",  "libcudss",
};

/// What was found when this many objects had been loaded.
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

bool foreignDeviceCode() {
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

} // namespace gridspan
