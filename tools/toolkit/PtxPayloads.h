//===- PtxPayloads.h - What device code carries -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In PTX, a payload (analysis/summary/Payload.h) is a global variable, which
// the driver would give memory on each device that loads the module, before its
// first launch: that takes as long as 50 launches. So payloads are taken out of
// PTX before it becomes machine code, and go beside that.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_TOOLKIT_PTXPAYLOADS_H
#define GRIDSPAN_TOOLS_TOOLKIT_PTXPAYLOADS_H

#include <string>

namespace gridspan {

/// Takes the payloads out of PTX, whose lines keep their numbers, and returns
/// their bytes one behind the other; nothing, and leaves it alone, if it has
/// none or one of another form.
std::string takePayloads(std::string &Ptx);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_TOOLKIT_PTXPAYLOADS_H
