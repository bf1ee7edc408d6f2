//===- UntrackedCode.h - Device code that Gridspan does not see -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries such as cuBLAS launch their own kernels, which may write the
// program's buffers without the runtime's knowledge. In such a program a
// replica must not outlive the launch that it was made for.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_UNTRACKEDCODE_H
#define GRIDSPAN_RUNTIME_SUPPORT_UNTRACKEDCODE_H

namespace gridspan {

/// True if a library that launches kernels of its own is loaded or linked.
/// Libraries may be loaded at any time, so this is asked again; it costs little
/// while nothing is.
bool untrackedDeviceCode();

/// True if the runtime sees all work that is given to streams: gridspan++ has
/// found nothing else in the program when it linked it, no module calls what is
/// not redirected, and no library is loaded that might. Costs little.
bool seesAllWork();

/// Notes the libraries that are loaded while it lives, which the runtime loads
/// itself, as such that give no work to streams. There is one at a time, and
/// nobody asks meanwhile.
class OwnLibraries {
public:
  OwnLibraries();
  ~OwnLibraries();
  OwnLibraries(const OwnLibraries &) = delete;
  OwnLibraries &operator=(const OwnLibraries &) = delete;
};

/// True if devices may touch the program's memory without the runtime's
/// knowledge: untrackedDeviceCode(), or a module calls functions that give work
/// to streams and are not redirected. Costs little.
bool mayTouchUnseen();

/// True if the program gives work to devices through the driver, as far as is
/// known, or links its library. Costs a load.
bool givesDriverWork();

/// True if the program does not look into graphs, as far as all its parts are
/// known: a launch may be several nodes of a captured graph. Costs little.
bool graphsAreOpaque();

} // namespace gridspan

extern "C" {

/// Called by the constructors of modules that call functions which look at
/// nodes of graphs (passes/host/UntrackedWork.cpp).
__attribute__((visibility("hidden"))) void __gridspan_looks_into_graphs(
    const char *Function) __asm__("__gridspan_own_looks_into_graphs");

/// Called by the constructors of modules that call functions which give work to
/// streams and are not redirected (passes/host/UntrackedWork.cpp).
__attribute__((visibility("hidden"))) void __gridspan_unseen_work(
    const char *Function) __asm__("__gridspan_own_unseen_work");

/// Defined by gridspan++ in programs all of whose parts it knows; only its
/// address means something.
extern __attribute__((weak)) char __gridspan_knows_all_parts;
}

#endif // GRIDSPAN_RUNTIME_SUPPORT_UNTRACKEDCODE_H
