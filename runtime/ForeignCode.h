//===- ForeignCode.h - Device code that Gridspan does not see - -*- C++ -*-===//
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

#ifndef GRIDSPAN_RUNTIME_FOREIGNCODE_H
#define GRIDSPAN_RUNTIME_FOREIGNCODE_H

namespace gridspan {

/// Whether a library that launches kernels of its own is loaded or linked.
/// Libraries may be loaded at any time, so this is asked again; it costs little
/// while nothing is.
bool foreignDeviceCode();

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_FOREIGNCODE_H
